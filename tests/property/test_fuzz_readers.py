"""Whatever a file holds, its reader returns something sound or raises one clear error.

`tests/support/hostile/fuzzing.py` lists the readers, and what holds for what they return.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.hostile.damage import corner_cases, damaged
from support.hostile.fuzzing import readers
from support.hostile.reader import outcome

from plansolve.errors import InputError

READERS = readers()
every_reader = pytest.mark.parametrize("name", READERS)


def bounded(examples):
    # Under load a reader may wait for a processor as long as it likes.
    health = [HealthCheck.too_slow]
    return settings(max_examples=examples, deadline=None, suppress_health_check=health)


@every_reader
def test_valid_files_are_read(name):
    reader = READERS[name]
    for sample in reader.samples:
        assert not isinstance(outcome(reader, sample), InputError), sample


def test_the_facts_can_fail():
    """A reader that returns something else, raises something else, or explains nothing is found."""
    sound = READERS["plan sliding"]

    def refuse(message):
        def read(data):
            raise InputError(message)

        return read

    def break_down(data):
        raise KeyError("x")

    broken = [lambda data: ("U", "nonsense"), *map(refuse, ("", "a\nb", "x" * 500, "\ud800"))]
    for read in broken:
        with pytest.raises(AssertionError):
            outcome(type(sound)(read, sound.check, sound.samples), b"")
    with pytest.raises(KeyError):
        outcome(type(sound)(break_down, sound.check, sound.samples), b"")


@every_reader
def test_corner_cases(name):
    for data in corner_cases(1 << 14):
        outcome(READERS[name], data)


anything = st.one_of(
    st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8"))
)


@every_reader
@bounded(25)
@given(data=anything)
def test_any_bytes(name, data):
    outcome(READERS[name], data)


@every_reader
@bounded(30)
@given(data=st.data())
def test_damaged_files(name, data):
    seed = data.draw(st.integers(0, 1 << 32))
    outcome(READERS[name], damaged(READERS[name].samples, seed))


@pytest.mark.slow
@every_reader
@bounded(1500)
@given(data=st.data())
def test_many_damaged_files(name, data):
    seed = data.draw(st.integers(0, 1 << 32))
    outcome(READERS[name], damaged(READERS[name].samples, seed))


def read_elsewhere(seed, examples, most):
    """Return the report of a process that reads damaged files and corner cases."""
    tests = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", "from support.hostile.fuzzing import main; main()"]
        + [str(number) for number in (seed, examples, most)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((tests, *filter(None, sys.path)))},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("examples", "most"), [(2, 1 << 12), pytest.param(300, 1 << 30, marks=pytest.mark.slow)]
)
def test_no_reader_takes_200_megabytes(examples, most):
    report = read_elsewhere(examples, examples, most)
    assert report["counts"].keys() == READERS.keys()
    assert all(sum(counts.values()) > 50 for counts in report["counts"].values())
    assert {name: peak for name, peak in report["peaks"].items() if peak >= 200_000_000} == {}
