"""An event loop: boards are solved beside it, and a cancelled task leaves no engine."""

import asyncio
import threading

import pytest
from support.fixtures.processes import engine_processes
from support.fixtures.solving import HARD

from plansolve.solvers.engine.solve import solve_async

EASY = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
SOLVED = [[1, 2], [3, 0]]


def test_the_event_loop_goes_on_while_boards_are_solved():
    async def program():
        return await asyncio.gather(
            *(solve_async(board, optimal=True) for board in (EASY, SOLVED, EASY))
        )

    assert [result.length for result in asyncio.run(program())] == [5, 0, 5]


def test_a_cancelled_task_ends_its_engines():
    async def program():
        loop, is_searching = asyncio.get_running_loop(), asyncio.Event()

        def progress(event):
            loop.call_soon_threadsafe(is_searching.set)

        task = asyncio.create_task(solve_async(HARD, engine="cnf", progress=progress, optimal=True))
        await is_searching.wait()
        assert task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return engine_processes()

    assert asyncio.run(program()) == []


def test_to_cancel_one_task_leaves_others_with_the_same_event_at_work():
    async def both():
        cancel = threading.Event()
        options = {"engine": "cnf", "cancel": cancel, "optimal": True}
        hard = asyncio.create_task(solve_async(HARD, **options))
        await asyncio.sleep(0)
        hard.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hard
        assert not cancel.is_set()
        return await solve_async(EASY, **options)

    assert asyncio.run(both()).length == 5
