"""Arrays behind lemmas in the cache folder: found again, and never taken from a damaged file."""

import hashlib
import io
import pickle

import numpy as np
import pytest

from plansolve.storage.arrays import load_or_build


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


def summed(data):
    return hashlib.sha256(data).digest() + data


def archive(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda data: summed(b"no archive"),
        lambda data: summed(pickle.dumps({"key": 1})),
        lambda data: summed(archive(cells=np.array([1]))),
        lambda data: summed(archive(key=np.frombuffer(b"another", np.uint8))),
        lambda data: summed(archive(key=np.array([{}], dtype=object))),
    ],
)
def test_a_damaged_or_foreign_file_is_built_anew(folder, damage):
    build = Builder()
    load(build)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    load(build)
    assert build.calls == 2
    assert path.read_bytes()[:32] == hashlib.sha256(path.read_bytes()[32:]).digest()
    load(build)
    assert build.calls == 2


def test_without_a_folder_arrays_are_built_each_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path / "file"))
    build = Builder()
    load(build)
    load(build)
    assert build.calls == 2
