"""Files and folders appear whole, or not at all."""

import os
import shutil
from errno import ENOSPC
from pathlib import Path

import pytest

from plansolve.errors import OptionError
from plansolve.storage.files import new_folder, replacing, require_new


@pytest.mark.parametrize(
    ("before", "private", "expected"),
    [(None, False, 0o640), (None, True, 0o600), (0o666, False, 0o666), (0o666, True, 0o600)],
)
def test_a_new_file_keeps_to_the_umask_another_its_mode_or_is_private(
    tmp_path, before, private, expected
):
    path = tmp_path / "file"
    if before:
        path.touch()
        path.chmod(before)
    previous = os.umask(0o027)
    try:
        with replacing(path, private=private, sync=True) as stream:
            stream.write(b"whole")
            assert path.exists() == bool(before)
    finally:
        os.umask(previous)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"whole", expected)
    assert list(tmp_path.iterdir()) == [path]


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


def test_it_appears_with_all_that_is_in_it(tmp_path):
    wanted = tmp_path / "above" / "wanted"
    with new_folder(wanted) as made:
        (made.part / "file").write_text("text")
        assert not wanted.exists()
        made.keep()
    assert (wanted / "file").read_text() == "text"
    assert [path.name for path in wanted.parent.iterdir()] == ["wanted"]
    usual = tmp_path / "usual"
    usual.mkdir()
    assert wanted.stat().st_mode == usual.stat().st_mode


def test_nothing_stays_of_one_that_is_not_kept(tmp_path):
    with new_folder(tmp_path / "wanted") as made:
        (made.part / "file").touch()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "above" / "wanted"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    # As when the disk is full: the error of an open file names none.
    with pytest.raises(OSError, match="No space") as full, new_folder(tmp_path / "wanted"):
        raise OSError(ENOSPC, os.strerror(ENOSPC))
    assert full.value.filename == str(tmp_path / "wanted")


def test_the_folder_where_one_stands_is_filled(tmp_path, monkeypatch):
    tmp_path.chmod(0o2750)
    monkeypatch.chdir(tmp_path)
    with new_folder(Path(".")) as made:
        (made.part / "file").touch()
        monkeypatch.chdir("/")
        made.keep()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert tmp_path.stat().st_mode & 0o7777 == 0o2750


def test_what_was_made_stays_where_the_folder_was_filled_meanwhile(tmp_path):
    wanted = tmp_path / "wanted"
    for before in (False, True):
        if before:
            shutil.rmtree(wanted)
            wanted.mkdir()
        with (
            pytest.raises(OptionError, match="is no longer empty; the output is in ") as caught,
            new_folder(wanted) as made,
        ):
            (made.part / "file").write_text("precious")
            wanted.mkdir(exist_ok=True)
            (wanted / "other").touch()
            made.keep()
        kept = Path(str(caught.value).rpartition(" is in ")[2])
        assert (kept / "file").read_text() == "precious"
        assert (wanted / "other").exists() and not (wanted / "file").exists()


def test_what_is_no_new_folder_is_refused_before_the_work(tmp_path, monkeypatch):
    file, full, link, loop = (tmp_path / name for name in ("file", "full", "link", "loop"))
    file.touch()
    full.mkdir()
    (full / "mine").touch()
    link.symlink_to(full)
    loop.symlink_to(loop)
    for folder, message in (
        (file, "file: is not a folder; name a new one"),
        (link, "link: is not empty; name a new folder"),
        (full, "full: is not empty; name a new folder"),
        (file / "below", "below: .*file is not a folder; name a new one"),
        (loop / "below", "below: "),
        (tmp_path / ("n" * 300), "File name too long; name a new folder"),
    ):
        with pytest.raises(OptionError, match=message):
            require_new(folder)
    with pytest.raises(OptionError) as caught:
        require_new(full / "two\nlines" / ".." / ".." / "full")
    assert str(caught.value).isprintable()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OptionError, match=f"new: the folder {tmp_path} cannot be written"):
        require_new(tmp_path / "new")
