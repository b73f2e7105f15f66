"""The scheduler of units: every unit once, lost workers, limits, and an end to what is unwanted."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.fixtures.processes import engine_processes
from support.fixtures.units import PATIENCE, Brief, Killer, Process, Square, Waiting, Wrong

from plansolve.errors import EngineError, OptionError
from plansolve.solvers.limits import CutShort, cores
from plansolve.solvers.units.crew import GivenCrew, ProcessCrew, ThreadCrew
from plansolve.solvers.units.dispatch import Dispatcher
from plansolve.solvers.units.executors import local_processes, open_crew


@pytest.fixture(scope="module")
def processes():
    with ProcessCrew(2) as crew:
        yield crew


@pytest.fixture(params=["threads", "processes", "given"])
def crew(request, processes):
    if request.param == "processes":
        yield processes
    elif request.param == "threads":
        with ThreadCrew(2) as made:
            yield made
    else:
        with ThreadPoolExecutor(2) as executor, GivenCrew(executor, 2) as made:
            yield made


def ended(dispatcher, units):
    return [done for done in dispatcher.run(units) if done is not None]


def wait_for(path):
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, path
        time.sleep(0.01)


def test_each_unit_is_answered_once_whatever_the_crew(crew):
    found = ended(Dispatcher(crew), (Square(n) for n in range(50)))
    assert sorted((done.number, done.answer) for done in found) == [(n, n * n) for n in range(50)]
    assert all(done.unit == Square(done.number) and done.error is None for done in found)


def test_only_a_few_units_are_taken_ahead_and_none_is_passed_on(crew):
    taken = []

    def units():
        for number in range(1000):
            taken.append(number)
            yield None if number == 3 else Square(number)

    run = Dispatcher(crew).run(units())
    seen = [next(run) for _ in range(10)]
    assert None in seen
    # Two for each of two workers, and those that have ended.
    assert len(taken) <= 10 + 4 + 1
    run.close()


def test_an_error_of_a_unit_is_its_own(crew):
    found = ended(Dispatcher(crew), [Square(2), Wrong(), Square(3)])
    errors = [done for done in found if done.error is not None]
    assert [done.number for done in errors] == [1]
    assert "seven is not eight" in str(errors[0].error)
    assert sorted(done.answer for done in found if done.error is None) == [4, 9]


def test_processes_stay_from_unit_to_unit(processes):
    found = ended(Dispatcher(processes), [Process(n) for n in range(40)])
    assert len({done.answer for done in found}) <= 2


def test_a_lost_unit_is_run_again(processes, tmp_path):
    found = ended(Dispatcher(processes), [Killer(str(tmp_path / "once")), Square(5)])
    assert sorted(str(done.answer) for done in found) == ["25", "survived"]


def test_a_unit_that_kills_its_worker_twice_is_reported_and_the_rest_goes_on(processes):
    found = ended(Dispatcher(processes), [Square(1), Killer(), *(Square(n) for n in range(8))])
    assert len(found) == 10
    (lost,) = (done for done in found if done.error is not None)
    assert lost.unit == Killer()
    assert isinstance(lost.error, CutShort)
    assert "exit code 7" in str(lost.error)


@pytest.mark.parametrize("listens", [True, False])
def test_what_is_dropped_ends_whether_it_listens_or_not(processes, tmp_path, listens):
    sign = tmp_path / "sign"
    dispatcher = Dispatcher(processes)
    run = dispatcher.run([Waiting(str(sign), listens), Square(3)])
    next(done for done in run if done is not None)
    wait_for(Path(f"{sign}.begun"))
    begin = time.monotonic()
    dispatcher.drop()
    assert [done for done in run if done is not None] == []
    # Whoever comes next finds both processes free.
    assert len(ended(Dispatcher(processes), [Square(n) for n in range(4)])) == 4
    assert time.monotonic() - begin < PATIENCE / 2
    if listens:
        wait_for(Path(f"{sign}.ended"))
    else:
        assert not Path(f"{sign}.ended").exists()


def test_units_beyond_the_last_that_counts_are_not_begun(crew):
    dispatcher = Dispatcher(crew)
    numbers = []
    for done in dispatcher.run(Square(n) for n in range(1000)):
        if done is not None:
            numbers.append(done.number)
            dispatcher.drop(after=5)
    assert set(range(6)) <= set(numbers)
    assert max(numbers) <= 5 + 4


def test_to_drain_lets_those_at_work_come_to_their_end(crew):
    dispatcher = Dispatcher(crew)
    numbers = []
    for done in dispatcher.run(Square(n) for n in range(1000)):
        if done is not None:
            numbers.append(done.number)
            dispatcher.drain()
    assert sorted(numbers) == [*range(len(numbers))]
    assert len(numbers) <= 1 + 4


@pytest.mark.parametrize("kind", ["threads", "given"])
def test_to_drain_takes_back_what_nobody_has_begun(tmp_path, kind):
    first, second = (str(tmp_path / name) for name in "ab")
    with ThreadPoolExecutor(1) as pool, made(kind, pool) as crew:
        dispatcher = Dispatcher(crew)
        run = dispatcher.run([Brief(first), Brief(second)])
        assert next(run) is None
        wait_for(Path(f"{first}.begun"))
        dispatcher.drain()
        assert next(run) is None
        Path(f"{first}.go").touch()
        assert [done.answer for done in run if done is not None] == ["went"]
    assert not Path(f"{second}.begun").exists()


def made(kind, pool):
    return GivenCrew(pool, 1) if kind == "given" else ThreadCrew(1)


def test_a_unit_knows_its_deadline(processes, tmp_path):
    sign = tmp_path / "sign"
    dispatcher = Dispatcher(processes, lambda: time.monotonic() + 0.1)
    (done,) = ended(dispatcher, [Waiting(str(sign))])
    assert done.answer == "stopped"


def test_threads_are_told_to_stop(tmp_path):
    sign = tmp_path / "sign"
    with ThreadCrew(1) as crew:
        run = Dispatcher(crew).run([Waiting(str(sign))])
        next(run)
        wait_for(Path(f"{sign}.begun"))
        run.close()
    assert Path(f"{sign}.ended").exists()


def test_no_process_is_left():
    before = {child.pid for child in engine_processes()}
    with ProcessCrew(2) as crew:
        ended(Dispatcher(crew), [Square(1), Square(2), Square(3)])
        begun = {child.pid for child in engine_processes()} - before
        assert begun
    assert begun.isdisjoint(child.pid for child in engine_processes())


@pytest.mark.parametrize(
    ("specification", "width"), [("local:3", 3), ("local", None)], ids=["three", "all"]
)
def test_a_specification_names_a_crew(specification, width):
    with open_crew(specification) as crew:
        assert crew.width == (width or cores()) == local_processes(specification)


@pytest.mark.parametrize("nonsense", ["", "local:0", "local:x", "dask://here", "tcp://a:1", "ray"])
def test_nonsense_names_none(nonsense):
    with pytest.raises(OptionError, match="is no executor: choose local, local:N, dask://"):
        open_crew(nonsense)


def test_a_scheduler_that_is_not_there(monkeypatch):
    dask_crew = pytest.importorskip("plansolve.solvers.units.dask_crew")
    monkeypatch.setattr(dask_crew, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(EngineError, match="no scheduler of Dask answers there"):
        open_crew("dask://127.0.0.1:9")
