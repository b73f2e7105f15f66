"""A file is replaced whole or not at all."""

import os

import pytest

from plansolve.storage.atomic import replacing


@pytest.fixture
def umask():
    previous = os.umask(0o027)
    yield
    os.umask(previous)


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize(("private", "expected"), [(False, 0o640), (True, 0o600)])
def test_a_new_file_keeps_to_the_umask_or_is_private(tmp_path, umask, private, expected):
    path = tmp_path / "new"
    with replacing(path, private=private, sync=True) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert (path.read_bytes(), mode(path)) == (b"whole", expected)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("private", "expected"), [(False, 0o666), (True, 0o600)])
def test_the_permissions_of_a_file_that_is_replaced(tmp_path, umask, private, expected):
    path = tmp_path / "old"
    path.write_bytes(b"old")
    path.chmod(0o666)
    with replacing(path, private=private) as stream:
        stream.write(b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", expected)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_everything_as_it_was(tmp_path, error):
    path = tmp_path / "old"
    path.write_bytes(b"old")
    with pytest.raises(error), replacing(path) as stream:
        stream.write(b"half")
        stream.flush()
        raise error
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_and_its_target_stays(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with replacing(link, private=True) as stream:
        stream.write(b"new")
    assert (target.read_bytes(), link.read_bytes()) == (b"old", b"new")
    assert not link.is_symlink()


@pytest.mark.parametrize("name", ["x" * 255, "\u00fc" * 127, "x" * 251 + ".puz"])
def test_any_name_that_a_file_can_have(tmp_path, name):
    with replacing(tmp_path / name) as stream:
        stream.write(b"whole")
    assert (tmp_path / name).read_bytes() == b"whole"


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(OSError, match="No such file"), replacing(tmp_path / "absent" / "x"):
        pytest.fail("nothing is to be written")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError), replacing(tmp_path / "folder") as stream:
        stream.write(b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]
