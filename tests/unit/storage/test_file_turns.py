"""Turns of processes."""

import os

from plansolve.storage.file_turns import FileTurns
from plansolve.storage.notices import listen, notify


def test_who_holds_a_turn_for_too_long_is_passed_and_nobody_is_waited_for_again(tmp_path):
    told, busy = [], []
    turns = FileTurns(patience=0.05)
    with listen(told.append, busy.append), turns.turn(tmp_path / "a", lambda: notify("nothing")):
        assert (told, busy) == ([], [])
        with turns.turn(tmp_path / "a", lambda: notify("tables")):
            assert told == ["tables, which may take some seconds"]
            assert busy == [True, False]
        assert turns.patience == 0.0
    # Whoever had it has given it back.
    with listen(told.append), turns.turn(tmp_path / "a", lambda: notify("others")):
        assert len(told) == 1


def test_where_no_lock_can_be_made_all_are_served(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        FileTurns().turn(tmp_path / "file" / "lock", lambda: notify("a")),
        FileTurns().turn(tmp_path / "file" / "lock", lambda: notify("b")),
    ):
        assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_fork_does_not_keep_the_turn(tmp_path):
    told = []
    with FileTurns().turn(tmp_path / "a", lambda: notify("something")):
        reading, writing = os.pipe()
        fork = os.fork()
        if not fork:
            os.close(writing)
            os.read(reading, 1)  # until the parent has closed its end
            os._exit(0)
    with listen(told.append), FileTurns().turn(tmp_path / "a", lambda: notify("something")):
        assert told == []
    os.close(writing)
    os.close(reading)
    os.waitpid(fork, 0)
