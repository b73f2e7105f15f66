"""Requests of the form, read into problems; errors name the field and the place."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import pytest

pytest.importorskip("starlette", reason="the extra plansolve[web] is not installed")

from plansolve.apps.web import requests
from plansolve.apps.web.requests import FieldError, Refusal, read_goal_board, read_posed, written
from plansolve.formats import read_problem

EIGHT = "4 1 2\n. 5 3\n7 8 6"


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"board": ""}, "board", "empty"),
        ({"board": "4 1 2\n. 5 5\n7 8 6"}, "board", "line 2: 5 appears twice, 3 is missing"),
        ({"board": "4 1 2\n. 5\n7 8 6"}, "board", "line 2"),
        ({"board": "hello"}, "board", "hello"),
        ({"board": "1 2 \x00"}, "board", "byte 0x00"),
        ({"board": "1 2 \ud800"}, "board", "'í' is not a tile"),
        ({"board": " ".join(["."] + [str(i) for i in range(1, 31)])}, "board", "30"),
        ({"puzzle": "chess"}, "puzzle", "unknown puzzle 'chess'"),
        ({"puzzle": "x" * 300}, "puzzle", "too long"),
        ({"puzzle": "loopover:rows=Q"}, "puzzle", "Q"),
        ({"board": "1 2\n3 .", "puzzle": "lloyd"}, "puzzle", "odd"),
        ({"goal": "in-order"}, "goal", "unknown goal 'in-order'"),
        ({"goal": "1 2\n3 ."}, "goal", "2x2"),
        ({"goal": "1 2 3\n4 5 6\n7 8 8"}, "goal", "8 appears twice"),
        ({"goal": "/etc/passwd"}, "goal", "'/etc/passwd'"),
        ({"goal": "1 2 3\n4 5 6\n7 eight ."}, "goal", "line 3"),
        ({"format": "docx"}, "format", "unknown format 'docx'"),
        ({"format": "korf", "board": "?"}, "board", ""),
        ({"aim": "quick"}, "aim", "unknown aim"),
    ],
)
def test_what_is_wrong_is_told_beside_its_field(changes, field, words):
    with pytest.raises(FieldError) as caught:
        read_posed({"board": EIGHT, **changes})
    assert caught.value.field == field
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_board_of_900_cells_is_read_and_a_larger_one_is_not():
    def board(rows):
        cells = [*map(str, range(1, 30 * rows)), "."]
        return "\n".join(" ".join(cells[30 * r : 30 * r + 30]) for r in range(rows))

    assert read_posed({"board": board(30)})[0].puzzle.cells == 900
    # Nor by rules of one's own.
    swap, cells = {"name": "s", "moves": [[0, 1], [1, 0]]}, [[*range(1, 902)]]
    mine = {"name": "mine", "rows": 1, "columns": 901, "operators": [swap], "goal": cells}
    for larger, words in ((board(31), "30"), (json.dumps({"puzzle": mine, "board": cells}), "900")):
        with pytest.raises(FieldError, match=words) as caught:
            read_posed({"board": larger})
        assert caught.value.field == "board"


def test_the_goal_of_a_scramble():
    goal, moves = read_goal_board({"rows": 2, "columns": 3, "moves": 7})
    assert (goal.start, goal.goal, moves) == ((1, 2, 3, 4, 5, 0), (1, 2, 3, 4, 5, 0), 7)
    goal, moves = read_goal_board({"rows": 3, "columns": 3, "goal": "snail", "puzzle": ""})
    assert (goal.start, moves) == ((1, 2, 3, 8, 0, 4, 7, 6, 5), None)
    goal, _ = read_goal_board({"rows": 1, "columns": 3, "goal": ". 2 1"})
    assert goal.goal == (0, 2, 1)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rows": None}, "size"),
        ({"rows": 0}, "size"),
        ({"columns": 31}, "size"),
        ({"rows": 1, "columns": 1}, "puzzle"),
        ({"moves": -1}, "moves"),
        ({"moves": 10**9}, "moves"),
        ({"puzzle": "lloyd", "rows": 4}, "puzzle"),
        ({"goal": "in-order"}, "goal"),
        ({"goal": "1 2\n3 ."}, "goal"),
        ({"goal": "1 2 3\n4 5 6\n7 8 8"}, "goal"),
    ],
)
def test_what_cannot_be_scrambled(changes, field):
    with pytest.raises(FieldError) as caught:
        read_goal_board({"rows": 3, "columns": 3, **changes})
    assert caught.value.field == field


@pytest.mark.parametrize("rows", ["3", 3.0, True, [3]])
def test_sides_are_whole_numbers(rows):
    with pytest.raises(Refusal):
        read_goal_board({"rows": rows, "columns": 3})


RULES = {
    "puzzle": {
        "name": "turn",
        "rows": 1,
        "columns": 3,
        "operators": [{"name": "T", "moves": [[0, 2], [1, 0], [2, 1]]}],
        "goal": [[1, 2, 3]],
    },
    "board": [[1, 2, 3]],
}


NESTED = "[[4, 1, 2], [0, 5, 3], [7, 8, 6]]"


@pytest.mark.parametrize(
    ("form", "moves", "start"),
    [
        ({"board": "3\n4 1 2\n0 5 3\n7 8 6\n"}, ["D"], (0, 1, 2, 4, 5, 3, 7, 8, 6)),
        ({"board": EIGHT, "goal": "blank-first"}, ["D"], (0, 1, 2, 4, 5, 3, 7, 8, 6)),
        ({"board": NESTED, "goal": "", "format": ""}, ["D"], (0, 1, 2, 4, 5, 3, 7, 8, 6)),
        ({"board": "ABCDE\nFGHIJ\nKL+NO\nPQRST\nUVWXM"}, [], None),
        ({"board": " ".join(map(str, range(1, 26)))}, ["R1"], (5, *range(1, 5), *range(6, 26))),
        ({"board": EIGHT, "format": "puz", "goal": "8 7 6\n5 4 3\n2 1 ."}, [], None),
        ({"board": "1 3\n2 4", "puzzle": "torus-ring:rings=none"}, ["R1"], (3, 1, 2, 4)),
        ({"board": json.dumps(RULES)}, ["T", "T"], (2, 3, 1)),
        ({"board": 'name,board\na,"4,1,2,0,5,3,7,8,6"\n'}, ["D"], (0, 1, 2, 4, 5, 3, 7, 8, 6)),
    ],
)
def test_the_text_follows_moves_by_hand(form, moves, start):
    problem, aim = read_posed({**form, "moves": moves})
    assert aim == "optimal" and read_posed({**form, "aim": "short"})[1] == "short"
    assert start in (None, problem.start)
    text = written(form, problem)
    assert read_posed({**form, "board": text})[0] == problem
    # The text keeps its format.
    assert form["board"] != NESTED or json.loads(text) == [[0, 1, 2], [4, 5, 3], [7, 8, 6]]
    # Without moves the board is read as elsewhere; puzzle and goal stand above the text.
    options = {key: form[key] for key in ("puzzle", "goal", "format") if form.get(key)}
    assert read_posed(form)[0] == read_problem(form["board"], **options)


@pytest.mark.parametrize("moves", ["D", [1], ["D", "D"], ["nosuch"], ["D", "U"] * 501, {}])
def test_moves_that_the_page_would_never_send_are_refused(moves):
    with pytest.raises(Refusal):
        read_posed({"board": EIGHT, "moves": moves})


def test_a_request_that_does_not_end_is_refused(monkeypatch):
    class Endless:
        headers = MappingProxyType({"content-type": "application/json"})

        async def stream(self):
            yield b"{"
            await asyncio.Event().wait()

    monkeypatch.setattr(requests, "BODY_SECONDS", 0.02)
    # In a thread: tests of pages leave an event loop running in this one.
    with ThreadPoolExecutor(1) as pool, pytest.raises(Refusal, match="longer than 0 s") as refused:
        pool.submit(asyncio.run, requests.requested_object(Endless())).result()
    assert refused.value.status == 408
