"""One function call in a child process: values, errors, limits, and no process left."""

import math
import operator
import os
import time
from threading import Event

import pytest
from support.fixtures.processes import engine_processes

from plansolve.errors import InternalError, OptionError
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.limits import CutShort, Limits
from plansolve.solvers.processes import workers
from plansolve.solvers.processes.call import call_in_child
from plansolve.solvers.result import StopReason


@pytest.fixture(autouse=True)
def _no_process_is_left():
    before = set(engine_processes(recursive=True))
    yield
    assert set(engine_processes(recursive=True)) <= before


def test_the_value_comes_back_whatever_it_is():
    assert call_in_child(math.gcd, 12, 18, limits=Limits()) == 6
    assert call_in_child(list.append, [], 1, limits=Limits()) is None
    assert isinstance(call_in_child(ValueError, "a value", limits=Limits()), ValueError)
    assert call_in_child(os.getpid, limits=Limits()) != os.getpid()


def test_what_the_function_tells_on_its_way_comes_first():
    told = []
    assert call_in_child(_tell_twice, 7, limits=Limits(), tell=told.append) == 49
    assert told == [7, 14]


def _tell_twice(number, tell):
    tell(number)
    tell(2 * number)
    return number**2


def test_errors_of_ours_are_those_of_the_function_and_others_are_internal():
    with pytest.raises(OptionError, match="unknown puzzle 'chess'"):
        call_in_child(make_puzzle, "chess", 3, 3, limits=Limits())
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        call_in_child(operator.truediv, 1, 0, limits=Limits())


def test_a_limit_ends_the_call():
    for limits, reason in (
        (Limits(deadline=time.monotonic() + 0.3), StopReason.TIME),
        (Limits(cancel=_set()), StopReason.INTERRUPTED),
    ):
        with pytest.raises(CutShort) as caught:
            call_in_child(time.sleep, 3600, limits=limits)
        assert caught.value.reason == reason


def test_a_process_that_dies_is_told():
    with pytest.raises(CutShort, match="exit code 3"):
        call_in_child(os._exit, 3, limits=Limits())


def _set():
    event = Event()
    event.set()
    return event


class InterruptedStart:
    """Takes the place of the thread that starts children: Ctrl-C comes while somebody waits."""

    def __init__(self, *, has_started):
        self._has_started = has_started
        self.started = []

    def submit(self, start):
        self.go_on = lambda: self.started.append(start())
        return self

    def result(self):
        if self._has_started:
            self.go_on()
        raise KeyboardInterrupt


@pytest.mark.parametrize("has_started", [False, True])
def test_a_process_that_starts_during_ctrl_c_is_ended(monkeypatch, has_started):
    starter = InterruptedStart(has_started=has_started)
    monkeypatch.setattr(workers, "_starter", lambda: starter)
    with pytest.raises(KeyboardInterrupt):
        workers.Workers().take()
    if not has_started:
        starter.go_on()
    (started,) = starter.started
    assert not started.is_alive
