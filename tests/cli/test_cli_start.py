"""An engine's process starts before the command line is imported, if there is a board."""

import pytest

from plansolve import __main__ as start
from plansolve.solvers.processes.workers import Workers

NINE, SIXTEEN = "8 6 7\n2 5 4\n3 . 1\n", "6 5 2 3\n. 7 11 4\n9 1 10 8\n15 14 13 12\n"


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        ([], None),
        (["large"], start._SLOW_MODULES),
        (["--json", "large"], None),
        (["solve", "--json", "large"], start._SLOW_MODULES),
        (["solve", "small"], ()),
        (["large", "--engine=cnf"], ()),
        (["large", "--lemmas", "none"], ()),
        (["verify", "large"], None),
        (["solve", "large", "--help"], None),
        (["large", "--help-all"], None),
        (["solve", "no-such-file"], None),
    ],
)
def test_a_process_starts_early_where_there_is_a_board(monkeypatch, tmp_path, words, modules):
    started = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Workers, "start", lambda workers, *modules: started.append(modules))
    (tmp_path / "small").write_text(NINE)
    (tmp_path / "large").write_text(SIXTEEN)
    assert (start._workers_for(words) is None) == (modules is None)
    assert started == ([] if modules is None else [modules])
