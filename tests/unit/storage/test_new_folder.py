"""Folders that appear whole, or not at all."""

import os

import pytest

from plansolve.errors import OptionError
from plansolve.storage.new_folder import new_folder, require_new


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


def test_an_empty_folder_is_filled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = tmp_path / "wanted"
    wanted.mkdir()
    with new_folder(wanted.relative_to(tmp_path)) as made:
        (made.part / "file").touch()
        made.keep()
    assert [path.name for path in wanted.iterdir()] == ["file"]


def test_nothing_stays_of_one_that_is_not_kept(tmp_path):
    with new_folder(tmp_path / "wanted") as made:
        (made.part / "file").touch()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "wanted"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_one_that_was_filled_meanwhile_stays_as_it_is(tmp_path):
    wanted = tmp_path / "wanted"
    with pytest.raises(OptionError, match="wanted: Directory not empty"):  # noqa: SIM117
        with new_folder(wanted) as made:
            (made.part / "file").touch()
            wanted.mkdir()
            (wanted / "other").touch()
            made.keep()
    assert [path.name for path in tmp_path.rglob("*")] == ["wanted", "other"]


def test_what_is_no_new_folder_is_refused_before_the_work(tmp_path, monkeypatch):
    file, full, link = tmp_path / "file", tmp_path / "full", tmp_path / "link"
    file.touch()
    full.mkdir()
    (full / "mine").touch()
    link.symlink_to(full)
    for folder, message in (
        (file, "file: is no folder; name a new one"),
        (link, "link: is no folder; name a new one"),
        (full, "full: is not empty; name a new folder"),
        (file / "below", "file/below: "),
        (tmp_path / ("n" * 300), "File name too long"),
    ):
        with pytest.raises(OptionError, match=message):
            require_new(folder)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OptionError, match=f"new: the folder {tmp_path} cannot be written"):
        require_new(tmp_path / "new")
