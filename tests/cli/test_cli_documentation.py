"""Every command and every piece of Python in README and the documentation does what it says."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest
from support.fixtures.own_cache import own_cache
from support.fixtures.pages import PAGES, ROOT, Step, agrees, steps

from plansolve.cli import options
from plansolve.cli.main import cli

NAMES = cli.list_commands(None)
SESSIONS = [page for page in PAGES if any(step.kind != "file" for step in steps(page))]
SLOW = [page for page in SESSIONS if any(step.is_slow for step in steps(page))]


FILES = {
    "board.puz": "4 1 2\n. 5 3\n7 8 6\n",
    "big-board.puz": "\n".join(
        " ".join(str((row * 12 + column + 1) % 144) for column in range(12)) for row in range(12)
    ),
    "plan.txt": "UDDLLUU\n",
    "boards/five.puz": "4 1 2\n. 5 3\n7 8 6\n",
    "korf-line": "1 14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3\n",
    "rules.json": (
        '{"puzzle": {"name": "ring", "rows": 1, "columns": 5, "goal": ["abcde"], "operators": ['
        '{"name": "T", "moves": [[0, 4], [1, 0], [2, 1], [3, 2], [4, 3]]},'
        '{"name": "S", "moves": [[0, 1], [1, 0]]}], "labels": ["_", "a", "b", "c", "d", "e"]},'
        ' "board": ["bacde"]}'
    ),
    "student.py": (
        "import sys\nimport plansolve\nboard = plansolve.read_problem(open(sys.argv[1]).read())\n"
        "print(*plansolve.solve(board).plan)\n"
    ),
    "old-solver": "#!/bin/sh\necho UDDLLUU\n",
}
"""The files in a reader's folder: boards, a plan, rules, and programs to judge."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a page is read: with boards, and what other pages have made."""
    (tmp_path / "instances").symlink_to(ROOT / "instances")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "old-solver").chmod(0o755)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def follow(plansolve, folder):
    """Takes a step of a page; fails where it does not do what the page says."""
    cache = own_cache(folder / "cache")
    names: dict[str, object] = {"__name__": "__main__"}

    def take(page: Path, step: Step) -> None:
        where = f"{page.relative_to(ROOT)}:{step.line}"
        if step.kind == "file":
            (folder / step.name).write_text(step.text)
        elif step.kind == "python":
            exec(compile(step.text, where, "exec"), names)
        elif step.kind == "pycon":
            examples = doctest.DocTestParser().get_doctest(step.text, names, where, where, 0)
            examples.globs = names
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
            with ThreadPoolExecutor(1) as thread:
                # In this one a browser's tests may have left an event loop that runs.
                ran = thread.submit(runner.run, examples, clear_globs=False).result()
            assert ran.failed == 0, where
        else:
            # A page may clear its reader's tables: other tests need ours. Compiled code is ours.
            own = "plansolve tables" in step.text
            code, output = run(step.text, plansolve, cache if own else {})
            assert code == step.code, f"{where}: {step.text}\n{output}"
            if step.expected:
                assert agrees(output, step.expected), f"{where}: {step.text}\n{output}"

    return take


def run(command: str, plansolve, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and output of a command; where nothing but plansolve takes part, in this process.

    Standard error comes after standard output, as on a terminal it does where a plan is found.
    """
    words = shlex.split(command, comments=True)
    if words[0] != "plansolve" or {"|", "<", "<<"} & {*words}:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout
    target = words.index(">") if ">" in words else len(words)
    done = plansolve(*words[1:target], env=environment or None)
    if words[target + 1 :]:
        Path(words[target + 1]).write_text(done.out)
        return done.code, done.err
    return done.code, done.out + done.err


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page, follow):
    for step in steps(page):
        if not (step.is_slow or step.why_not):
            follow(page, step)


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=lambda page: page.stem)
def test_a_page_does_what_it_says_in_its_slow_steps_too(page, follow):
    for step in steps(page):
        if not step.why_not:
            follow(page, step)


def named_commands(page):
    """The plansolve commands of a page that are not run: of its blocks, and of its running text."""
    yield from (step.text for step in steps(page) if step.why_not)
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    yield from (" ".join(code.split()) for code in re.findall(r"`(plansolve\s[^`]+)`", text))


def check_words(command, words):
    """Raise `NoSuchOption` or another `UsageError` for words that are nothing of a command's."""
    try:
        context = command.make_context(command.name, [*words])
    except (click.MissingParameter, click.BadOptionUsage, click.exceptions.Exit):
        return  # running text shows no more than it is about
    if isinstance(command, click.Group) and words:
        check_words(command.resolve_command(context, words)[1], words[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_that_are_not_run_exist_with_their_options(page, folder, monkeypatch):
    monkeypatch.setattr(options, "is_piped", lambda: True)
    for command in named_commands(page):
        for part in re.split(r"\s[|>&]+\s", command):
            program, *words = shlex.split(part, comments=True)
            if program == "plansolve":
                is_named = words[:1] and (words[0] in NAMES or words[0].startswith("-"))
                check_words(cli, words if is_named else ["solve", *words])


def test_few_commands_are_not_run_and_each_says_why():
    every = [step for page in SESSIONS for step in steps(page) if step.kind != "file"]
    left_out = [step for step in every if step.why_not]
    assert len(left_out) < len(every) / 5
    assert all(len(step.why_not.split()) > 2 for step in left_out)


def test_external_links_stand_on_one_page_and_once():
    """Whoever wants to know whether they still lead somewhere has one page to look at."""
    for page in SESSIONS:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        links = re.findall(r"\]\((https?://[^)]+)\)|<(https?://[^>]+)>", text)
        assert links == [], page
    sources = ROOT / "docs" / "explanation" / "sources.md"
    links = re.findall(r"https?://[^)>\s]+", sources.read_text(encoding="utf-8"))
    assert len(links) == len(set(links)) > 10
