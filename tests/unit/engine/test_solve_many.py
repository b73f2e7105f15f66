"""Many boards, and an event loop: completeness, laziness, errors by number, no engine left."""

import asyncio
import inspect
import itertools
import threading

import pytest
from support.fixtures.processes import engine_processes
from support.fixtures.solving import HARD

from plansolve.errors import BoardError, OptionError, WrongTypeError
from plansolve.formats import read_problem
from plansolve.solvers.engine.solve import SolveOptions, solve
from plansolve.solvers.engine.solve_async import solve_async
from plansolve.solvers.engine.solve_many import solve_many
from plansolve.solvers.result import StopReason

EASY = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
SOLVED = [[1, 2], [3, 0]]


def test_results_come_as_they_are_done_from_a_generator_without_end():
    read = []

    def boards():
        for number in itertools.count():
            read.append(number)
            yield EASY if number % 2 else SOLVED

    results = solve_many(boards(), parallel=2)
    assert read == []
    lengths = {str(read_problem(EASY)): 5, str(read_problem(SOLVED)): 0}
    found = [*itertools.islice(results, 6)]
    assert all(result.length == lengths[str(result.problem)] for result in found)
    assert {result.length for result in found} == {0, 5}
    assert len(read) <= 6 + 2 * 2
    results.close()
    assert engine_processes() == []


def test_to_leave_the_loop_ends_what_was_begun():
    for result in solve_many([SOLVED, HARD, HARD, HARD], parallel=2, engine="cnf"):
        assert result.length == 0
        break
    assert engine_processes() == []


def test_another_thread_can_cancel_all():
    cancel = threading.Event()
    results = solve_many([SOLVED, HARD, HARD], parallel=1, engine="cnf", cancel=cancel)
    assert next(results).length == 0
    cancel.set()
    assert [result.stop_reason for result in results] == [StopReason.INTERRUPTED] * 2


def test_to_cancel_one_task_leaves_others_with_the_same_event_at_work():
    async def both():
        cancel = threading.Event()
        options = {"engine": "cnf", "cancel": cancel}
        hard = asyncio.create_task(solve_async(HARD, **options))
        await asyncio.sleep(0)
        hard.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hard
        assert not cancel.is_set()
        return await solve_async(EASY, **options)

    assert asyncio.run(both()).length == 5


def test_an_error_names_the_board():
    results = solve_many([SOLVED, [[1, 0], [3, 3]], SOLVED])
    assert next(results).length == 0
    with pytest.raises(BoardError, match=r"^board 2: row 2: 3 appears twice, 2 is missing"):
        next(results)
    with pytest.raises(WrongTypeError, match=r"^board 1: a board: text"):
        next(solve_many([7]))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], -1), OptionError, "-1 boards at a time make no sense"),
        (([], 1.5), TypeError, "parallel: a whole number, not 1.5"),
        (("4 1 2", 1), TypeError, "boards: a list of them, not str"),
        ((4, 1), TypeError, "boards: a list of them, not int"),
    ],
    ids=str,
)
def test_nonsense_is_refused_at_once(arguments, error, message):
    problems, parallel = arguments
    with pytest.raises(error, match=message):
        solve_many(problems, parallel=parallel)


def test_the_event_loop_goes_on_while_boards_are_solved():
    async def program():
        return await asyncio.gather(*(solve_async(board) for board in (EASY, SOLVED, EASY)))

    assert [result.length for result in asyncio.run(program())] == [5, 0, 5]


def test_a_cancelled_task_ends_its_engines():
    async def program():
        loop, is_searching = asyncio.get_running_loop(), asyncio.Event()

        def progress(event):
            loop.call_soon_threadsafe(is_searching.set)

        task = asyncio.create_task(solve_async(HARD, engine="cnf", progress=progress))
        await is_searching.wait()
        assert task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return engine_processes()

    assert asyncio.run(program()) == []


def test_options_are_those_of_solve_and_misspelt_ones_are_refused_at_once():
    parameters = inspect.signature(solve).parameters.values()
    keywords = {one.name for one in parameters if one.kind == one.KEYWORD_ONLY}
    assert SolveOptions.__annotations__.keys() == keywords
    with pytest.raises(TypeError, match="solve has no option 'time_limt'"):
        solve_many([SOLVED], time_limt=5)
