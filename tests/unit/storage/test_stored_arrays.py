"""Arrays behind lemmas in the cache folder: found again, and never taken from a damaged file."""

import pickle

import numpy as np
import pytest

from plansolve.storage.arrays import load_or_build
from plansolve.storage.store import Store


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    return tmp_path / "lemmas"


class Builder:
    """Makes the same arrays each time and counts how often."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return {"cells": np.array([[1, -1], [300, 2]]), "none": np.zeros((0, 3), np.int64)}


def load(build, key=7, name="things"):
    found = load_or_build(name, {"version": key}, build)
    expected = Builder()()
    assert found.keys() == expected.keys()
    for part, array in expected.items():
        assert found[part].dtype == np.int64
        assert np.array_equal(found[part], array) and found[part].shape == array.shape


def test_arrays_are_built_once_for_each_name_and_key(folder):
    build = Builder()
    for key, name, calls in ((7, "things", 1), (7, "things", 1), (8, "things", 2), (7, "x", 3)):
        load(build, key, name)
        assert build.calls == calls
    assert len(list(folder.iterdir())) == 3


def flipped(whole, place):
    return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [lambda whole: b"", lambda whole: whole[:-1], lambda whole: flipped(whole, len(whole) - 1)],
)
def test_a_damaged_file_is_built_anew(folder, damage):
    build = Builder()
    load(build)
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    load(build)
    assert build.calls == 2
    load(build)
    assert build.calls == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no arrays",
        pickle.dumps({"key": 1}),
        b"[1]\n",
        b'{"cells": 7}\n',
        b'{"cells": [2, 2]}\n' + bytes(31),
        b'{"cells": [2, 2]}\n' + bytes(33),
        b'{"cells": [-2, -2]}\n' + bytes(32),
        b'{"cells": [true, 4.0]}\n' + bytes(32),
        b'{"cells": ["4"]}\n' + bytes(32),
        b'{"cells": [4611686018427387904]}\n' + bytes(32),
        b'{"cells": [' + b"9" * 400 + b"]}\n" + bytes(32),
        b'{"cells": [' + b", ".join([b"1"] * 100) + b"]}\n" + bytes(8),
        b"[" * 100_000,
    ],
)
def test_a_file_with_a_right_checksum_and_no_arrays_is_built_anew(folder, content):
    build = Builder()
    load(build)
    store = Store(folder)
    (file,) = store.files()
    store.write(file.key, np.frombuffer(content, np.uint8))
    load(build)
    assert build.calls == 2
    load(build)
    assert build.calls == 2


def test_without_a_folder_arrays_are_built_each_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path / "file"))
    build = Builder()
    load(build)
    load(build)
    assert build.calls == 2
