"""Executors of units and teams: one contract, whoever works; lost workers, limits, and the end."""

import socket
import time
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import pytest
from support.fixtures.processes import engine_processes
from support.fixtures.units import Brief, Killer, Process, Square, Waiting, Wrong
from support.fixtures.waiting import PATIENCE, wait_until

from plansolve.errors import EngineError, OptionError, StoreError
from plansolve.records.records import Records
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import CutShort, cores, is_unwanted
from plansolve.solvers.result import StopReason
from plansolve.solvers.units import executors
from plansolve.solvers.units import team as teams
from plansolve.solvers.units.executors import (
    UnitExecutor,
    local_processes,
    open_executor,
    process_executor,
    thread_executor,
)
from plansolve.solvers.units.team import Done, Failed, ProofRecords, Team

DASK = pytest.param("dask-local:2", marks=pytest.mark.slow)
PROCESSES = ("local:2", DASK)


@pytest.fixture(scope="module")
def opened():
    """An executor for each name, of two workers, opened when it is first asked for."""
    executors = {}

    def of(name):
        if name not in executors:
            if name == "threads":
                executors[name] = thread_executor(2)
            else:
                if "dask" in name:
                    pytest.importorskip("distributed")
                executors[name] = open_executor(name)
        return executors[name]

    yield of
    for executor in executors.values():
        executor.close(True)


@pytest.fixture(params=["threads", *PROCESSES])
def executor(request, opened):
    return opened(request.param)


@pytest.fixture
def processes(opened):
    return opened("local:2")


def ended(team, units):
    return [done for done in team.each(units) if done is not None]


# The contract


def test_each_unit_is_answered_once(executor):
    found = ended(Team(executor), (Square(n) for n in range(50)))
    assert sorted((done.number, done.answer) for done in found) == [(n, n * n) for n in range(50)]


def test_only_a_few_units_are_taken_ahead_and_none_is_passed_on(executor):
    taken = []

    def units():
        for number in range(1000):
            taken.append(number)
            yield None if number == 3 else Square(number)

    run = Team(executor).each(units())
    ended, seen = 0, []
    while ended < 10:
        seen.append(next(run))
        ended += seen[-1] is not None
    assert None in seen
    # Two for each of two workers, and those that have ended.
    assert len(taken) <= 10 + 4 + 1
    run.close()


def one_fails(executor, unit, said):
    found = ended(Team(executor), [Square(2), unit, Square(3)])
    (wrong,) = (done for done in found if isinstance(done, Failed))
    assert wrong.number == 1 and said in str(wrong.error)
    assert sorted(done.answer for done in found if isinstance(done, Done)) == [4, 9]


def test_an_error_of_a_unit_is_its_own(executor):
    one_fails(executor, Wrong(), "seven is not eight")


@pytest.mark.parametrize("name", PROCESSES)
def test_what_cannot_be_sent_fails_with_its_error_and_the_rest_goes_on(opened, name):
    one_fails(opened(name), Square(Lock()), "pickle")


def test_units_beyond_the_last_that_counts_are_not_begun(executor):
    team = Team(executor)
    numbers = []
    for done in team.each(Square(n) for n in range(1000)):
        if done is not None:
            numbers.append(done.number)
            team.drop(after=5)
    assert set(range(6)) <= set(numbers)
    assert max(numbers) <= 5 + 4


def test_to_drain_lets_those_at_work_come_to_their_end(executor):
    team = Team(executor)
    numbers = []
    for done in team.each(Square(n) for n in range(1000)):
        if done is not None:
            numbers.append(done.number)
            team.drain()
    assert len(set(numbers)) == len(numbers) <= 1 + 4


@pytest.mark.parametrize("name", ["threads", "local:1"])
def test_to_drain_takes_back_what_nobody_has_begun(tmp_path, name):
    first, second = (str(tmp_path / name) for name in "ab")
    with thread_executor(1) if name == "threads" else open_executor(name) as executor:
        team = Team(executor)
        run = team.each([Brief(first), Brief(second)])
        assert next(run) is None
        wait_until(Path(f"{first}.begun").exists)
        team.drain()
        assert next(run) is None
        Path(f"{first}.go").touch()
        assert [done.answer for done in run if done is not None] == ["went"]
    assert not Path(f"{second}.begun").exists()


def test_a_unit_knows_its_deadline(executor, tmp_path):
    team = Team(executor, deadline=lambda: time.monotonic() + 0.1)
    (done,) = ended(team, [Waiting(str(tmp_path / "sign"))])
    assert done.answer == "stopped"


@pytest.mark.parametrize(
    ("name", "listens"),
    [
        ("threads", True),
        ("local:2", True),
        ("local:2", False),
        pytest.param("dask-local:2", True, marks=pytest.mark.slow),
    ],
)
def test_what_is_dropped_ends(opened, tmp_path, name, listens):
    sign, executor = tmp_path / "sign", opened(name)
    team = Team(executor)
    run = team.each([Waiting(str(sign), listens), Square(3)])
    next(done for done in run if done is not None)
    wait_until(Path(f"{sign}.begun").exists)
    begin = time.monotonic()
    team.drop()
    assert [done for done in run if done is not None] == []
    # The next units find both workers free.
    assert len(ended(Team(executor), [Square(n) for n in range(4)])) == 4
    if listens:
        wait_until(Path(f"{sign}.ended").exists)
    else:
        assert not Path(f"{sign}.ended").exists()
    assert time.monotonic() - begin < PATIENCE / 2


@pytest.mark.parametrize("name", PROCESSES)
def test_a_unit_that_loses_its_worker_is_run_again(opened, tmp_path, name):
    found = ended(Team(opened(name)), [Killer(str(tmp_path / "once")), Square(5)])
    assert sorted(str(done.answer) for done in found) == ["25", "survived"]


def test_a_unit_that_kills_its_worker_twice_is_reported_and_the_rest_goes_on(processes):
    found = ended(Team(processes), [Square(1), Killer(), *(Square(n) for n in range(8))])
    assert len(found) == 10
    (lost,) = (done for done in found if isinstance(done, Failed))
    assert lost.unit == Killer()
    assert isinstance(lost.error, CutShort)
    assert "exit code 7" in str(lost.error)


@pytest.mark.parametrize("make", [thread_executor, process_executor])
def test_to_close_ends_what_is_at_work_and_what_waits(tmp_path, make):
    sign, before = tmp_path / "sign", set(engine_processes())
    with make(1) as executor:
        futures = [executor.submit(Waiting(str(sign)).run)]
        futures += [executor.submit(Square(n).run) for n in range(3)]
        wait_until(Path(f"{sign}.begun").exists)
    # No future waits for ever, and none can be made any more.
    assert all(future.done() for future in futures)
    assert all(future.cancelled() for future in futures[1:])
    assert Path(f"{sign}.ended").exists()
    with pytest.raises(RuntimeError):
        executor.submit(int)
    assert set(engine_processes()) <= before


def test_processes_stay_from_unit_to_unit_and_may_be_prepared(processes):
    processes.prepare(int, 7)
    found = ended(Team(processes), [Process(n) for n in range(40)])
    assert len({done.answer for done in found}) <= 2


# Who works


@pytest.mark.parametrize(
    ("specification", "width"), [("local:3", 3), ("local", None)], ids=["three", "all"]
)
def test_a_specification_names_an_executor(specification, width):
    with open_executor(specification) as executor:
        assert executor.width() == (width or cores()) == local_processes(specification)


@pytest.mark.parametrize("nonsense", ["", "local:0", "local:x", "dask://here", "tcp://a:1", "ray"])
def test_nonsense_names_none(nonsense):
    with pytest.raises(OptionError, match="is not an executor: choose local, local:N, dask://"):
        open_executor(nonsense)


def test_a_scheduler_that_is_not_there(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(executors, "_PATIENCE", 0.5)
    with pytest.raises(OptionError, match="no Dask scheduler answers there"):
        solve([[1, 2], [0, 3]], executor="dask://127.0.0.1:9")
    # Nor is one where something else listens.
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(OptionError, match="no Dask scheduler answers there"),
    ):
        open_executor(f"dask://127.0.0.1:{other.getsockname()[1]}")


def test_to_be_without_workers_is_told_and_the_deadline_counts(monkeypatch):
    monkeypatch.setattr(teams, "_FIRST_NOTE", 0.15)
    monkeypatch.setattr(teams, "_NEXT_NOTE", 0.25)
    notes, begin = [], time.monotonic()
    nobody = UnitExecutor("dask://a:1", lambda *_: Future(), lambda: 0, lambda at_once: None)
    team = Team(nobody, deadline=lambda: begin + 0.6, tell=notes.append)
    assert set(team.each([Square(1)])) == {None}
    assert 0.6 <= time.monotonic() - begin < PATIENCE
    assert notes[0] == "dask://a:1 has no workers: waiting for one"
    assert 1 <= len(notes) <= 2
    with pytest.raises(CutShort, match=r"dask://a:1 had no workers for 0\.2 s, the "):
        ended(Team(nobody, patience=0.2), [Square(1)])


def test_an_executor_that_is_lost_ends_a_proof_and_one_that_was_not_needed_is_named(kept_workers):
    lost = CutShort(StopReason.LOST, "the scheduler has gone")
    gone = UnitExecutor("x", lambda *_: Future(), lambda: 1, lambda _: None, why_lost=lambda: lost)
    with pytest.raises(CutShort, match="the scheduler has gone"):
        answers(Team(gone), [Kept(1)])
    notes = []
    told = {"progress": lambda event: notes.append((event.kind, event.note))}
    solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]], executor="local:1", workers=kept_workers, **told)
    why = "local:1 had nothing to do: no proof was long enough to split"
    assert ("choice", why) in notes


# Teams


@dataclass(frozen=True)
class Answer:
    value: int
    is_done: bool = True
    seconds: float = 0.5
    host: str = "here"

    def document(self):
        return {"value": self.value}


@dataclass(frozen=True)
class Kept:
    """A unit that gives up so many times first, or raises an error."""

    number: int
    tries: list = field(default_factory=list)
    error: Exception | None = None

    @property
    def key(self):
        return f"u{self.number}"

    def run(self):
        if self.error is not None:
            raise self.error
        if self.tries:
            self.tries.pop()
            return Answer(0, is_done=False)
        return Answer(0, is_done=False) if is_unwanted() else Answer(self.number**2)

    def answer(self, document, seconds):
        if document["value"] < 0:
            raise ValueError("no square")
        return Answer(document["value"], seconds=seconds)


@dataclass(frozen=True)
class Drained(Kept):
    """A unit that fails when its team has been drained."""

    team: Team | None = None

    def run(self):
        self.team.drain()
        raise ArithmeticError("seven")


PROOF = "k1 idastar"


def answers(team, units, bound=7):
    return {found.number: found.answer.value for found in team.run(units, bound) if found}


def test_what_the_store_has_is_not_worked_on_again(opened, tmp_path):
    path = str(tmp_path / "a.sqlite")
    units = [Kept(n) for n in range(6)]
    with closing(ProofRecords(path, PROOF, is_new=True)) as records:
        team = Team(opened("threads"), records)
        assert answers(team, units[::2]) == {0: 0, 1: 4, 2: 16}
        assert team.counts() == {"units": 3, "units_from_store": 0}
        assert answers(team, units) == {n: n * n for n in range(6)}
        assert team.counts() == {"units": 9, "units_from_store": 3}
        assert answers(team, units, bound=9) == {n: n * n for n in range(6)}
        assert team.known == 3
    with Records(path) as store:
        forged = next(iter(store.units(PROOF, 7).values()))
        store._connection.execute("UPDATE units SET answer = '{\"value\": -1}'")
    message = "the answer of unit u0 cannot be read: no square"
    with closing(ProofRecords(path, PROOF)) as records, pytest.raises(StoreError, match=message):
        answers(Team(opened("threads"), records), units)
    assert forged.host == "here" and forged.seconds == 0.5


def test_a_unit_that_is_given_up_is_done_by_the_next_but_not_for_ever(opened):
    """A cluster may take a unit from a worker that has begun it, which then ends it early."""
    threads = opened("threads")
    assert answers(Team(threads), [Kept(2, [1, 1, 1, 1]), Kept(3)]) == {0: 4, 1: 9}
    with pytest.raises(CutShort, match="a part of the proof failed: workers gave up on it 5 times"):
        answers(Team(threads), [Kept(2, [1] * 9), Kept(3)])
    late = Team(threads, deadline=time.monotonic)
    assert answers(late, [Kept(2), Kept(3)]) == {}


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (ArithmeticError("seven"), CutShort),
        (MemoryError("seven"), MemoryError),
        (EngineError("seven"), EngineError),
    ],
    ids=["any", "memory", "engine"],
)
def test_an_error_of_a_part_is_raised_when_the_others_are_done(opened, error, raised):
    team = Team(opened("threads"))
    with pytest.raises(raised, match="seven"):
        answers(team, [Kept(1, error=error), Kept(2), Kept(3)])
    assert team.done == 2


def test_an_error_of_what_a_drain_lets_end_is_not_raised(opened):
    team = Team(opened("threads"))
    assert answers(team, [Drained(1, team=team)]) == {}


def test_units_after_the_last_that_counts_do_not_matter(opened):
    team = Team(opened("threads"))
    units = [Kept(1), Kept(2), *(Kept(n, error=ArithmeticError()) for n in range(3, 30))]
    found = []
    for answered in team.run(units, 7):
        if answered is not None:
            found.append(answered.number)
            team.drop(after=1)
    assert sorted(found) == [0, 1]


def test_the_file_of_a_new_proof_is_made_with_its_first_unit(tmp_path):
    path = tmp_path / "a.sqlite"
    with closing(ProofRecords(str(path), PROOF, is_new=True)) as records:
        assert records.answers([Kept(1)], 7) == {} and records.round(7) is None
        records.keep_round(5, '{"size": 5}')
        records.keep_round(7, '{"size": 5}')
        records.keep_round(7, '{"size": 6}')
        assert not path.exists()
        records.keep_unit(Kept(1), Answer(3), 7)
        records.keep_round(9, '{"size": 6}')
        kept = {bound: records.round(bound) for bound in (5, 7, 9, 11)}
        assert kept == {5: '{"size": 5}', 7: '{"size": 5}', 9: '{"size": 6}', 11: None}
    again, other = ProofRecords(str(path), PROOF), ProofRecords(str(path), "k1 cnf")
    with closing(again), closing(other):
        assert again.round(9) == '{"size": 6}'
        assert again.answers([Kept(2), Kept(1)], 7) == {1: Answer(3)}
        assert other.round(9) is None and other.answers([Kept(1)], 7) == {}
