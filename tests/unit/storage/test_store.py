"""The store of tables: what is kept, what is trusted, and who builds."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from plansolve.errors import InternalError
from plansolve.storage import files
from plansolve.storage import store as store_module
from plansolve.storage.folder import writable_folder
from plansolve.storage.notices import listen
from plansolve.storage.store import Store, StoreKey

KEY = StoreKey("test", "2x3 of something", {"arcs": [[1], [0]], "version": 1})
LENGTH = 10_000


@pytest.fixture
def few_are_small(monkeypatch):
    monkeypatch.setattr(store_module, "ALWAYS_SUMMED", 100)


def numbers():
    return np.arange(LENGTH, dtype=np.uint64).astype(np.uint8)


class Builder:
    """Counts its builds and keeps what it was told."""

    def __init__(self, table=None):
        self.table = numbers() if table is None else table
        self.builds = 0
        self.notes = []

    def __call__(self):
        self.builds += 1
        return self.table.copy()

    def load(self, store, key=KEY):
        return store.load_or_build(key, len(self.table), self, self.notes.append)


def file_of(folder, key=KEY):
    return folder / f"{key.name}.table"


def test_a_table_is_built_once_and_then_mapped(tmp_path):
    first, second = Builder(), Builder()
    built = first.load(Store(tmp_path))
    assert Store(tmp_path).has(KEY)
    loaded = second.load(Store(tmp_path))
    assert (first.builds, second.builds) == (1, 0)
    assert len(first.notes) == 1 and KEY.title in first.notes[0]
    assert second.notes == []
    for table in (built, loaded):
        assert table.dtype == np.uint8 and (table == numbers()).all()
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 1


def test_equal_content_is_one_key_whatever_the_order_of_its_parts():
    again = StoreKey(KEY.kind, KEY.title, dict(reversed(KEY.content.items())))
    assert again.digest == KEY.digest
    others = [
        StoreKey("other", KEY.title, KEY.content),
        StoreKey(KEY.kind, KEY.title, {**KEY.content, "version": 2}),
    ]
    assert len({key.digest for key in (KEY, *others)}) == 3


@pytest.mark.parametrize(
    "title", ["", "../../etc/passwd", "a/b\0c", "x" * 500, "\u202e\n", "Ünïcode 5x5"]
)
def test_a_title_never_leads_out_of_the_folder(tmp_path, title):
    key = StoreKey("test", title, {})
    Builder().load(Store(tmp_path), key)
    (entry,) = Store(tmp_path).files()
    assert entry.key == key
    assert file_of(tmp_path, key).is_file()


def with_header(data, text):
    return data[:18] + len(text).to_bytes(4, "little") + text + data[22:]


def changed(data, place):
    return bytes(byte ^ 1 if i == place % len(data) else byte for i, byte in enumerate(data))


HARMS = {
    "first byte": lambda data: changed(data, 0),
    "last byte": lambda data: changed(data, -1),
    "padding": lambda data: changed(data, -LENGTH - 1),
    "truncated": lambda data: data[:-1],
    "empty": lambda data: b"",
    "header only": lambda data: data[:100],
    "endless header": lambda data: data[:18] + b"\xff\xff\xff\xff" + data[22:],
    "deep header": lambda data: with_header(data, b"[" * 100_000),
}


def other_key(path):
    """Put the file of another table under this one's name."""
    key = StoreKey("test", KEY.title, {"other": True})
    Builder().load(Store(path.parent), key)
    os.replace(file_of(path.parent, key), path)


def link(path):
    elsewhere = path.parent / "elsewhere"
    os.replace(path, elsewhere)
    path.symlink_to(elsewhere)


def named_pipe(path):
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("harm", [*HARMS, other_key, link, named_pipe])
def test_a_file_that_is_not_the_table_is_built_again(tmp_path, harm):
    Builder().load(Store(tmp_path))
    path = file_of(tmp_path)
    if isinstance(harm, str):
        path.write_bytes(HARMS[harm](path.read_bytes()))
    else:
        harm(path)
    again, then = Builder(), Builder()
    assert (again.load(Store(tmp_path)) == numbers()).all()
    assert again.builds == 1
    assert (then.load(Store(tmp_path)) == numbers()).all()
    assert then.builds == 0
    assert path.is_file() and not path.is_symlink()


def damage_payload(path):
    path.write_bytes(changed(path.read_bytes(), -1))


def test_a_directory_in_the_place_of_a_table_is_left_alone(tmp_path):
    file_of(tmp_path).mkdir()
    builder = Builder()
    assert (builder.load(Store(tmp_path)) == numbers()).all()
    assert "not kept" in builder.notes[-1]
    assert list(tmp_path.glob("*.part")) == []


def test_a_file_of_another_length_is_built_again(tmp_path):
    Builder().load(Store(tmp_path))
    longer = Builder(np.zeros(LENGTH + 1, np.uint8))
    assert longer.load(Store(tmp_path)).size == LENGTH + 1
    assert longer.builds == 1


def test_a_builder_that_makes_something_else_is_a_defect(tmp_path):
    for table in (np.zeros(LENGTH, np.uint8), np.zeros(LENGTH + 1, np.int64)):
        with pytest.raises(InternalError):
            Store(tmp_path).load_or_build(KEY, LENGTH + 1, lambda t=table: t, print)
    assert Store(tmp_path).files() == []


def test_without_a_folder_the_table_is_built_in_memory(tmp_path, monkeypatch):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(in_the_way))
    monkeypatch.chdir(tmp_path)
    for store in (Store(), Store(in_memory=True)):
        builder = Builder()
        table = builder.load(store)
        assert (table == numbers()).all() and not table.flags.writeable
        assert builder.builds == 1 and builder.notes
        store.write(KEY, numbers())
        assert store.load(KEY, LENGTH) is None and not store.remove(KEY.name)
        assert store.files() == [] and not store.has(KEY)
    assert list(tmp_path.iterdir()) == [in_the_way]


def test_a_folder_that_cannot_be_written_to_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    Builder().load(Store())
    # Such a folder could be another's: nothing is written there.
    (tmp_path / "tables").chmod(0o777)
    assert writable_folder("tables") is None
    builder = Builder()
    builder.load(Store())
    assert builder.builds == 0
    before = sorted((tmp_path / "tables").iterdir())
    other = StoreKey(KEY.kind, "another", {})
    assert (builder.load(Store(), other) == numbers()).all()
    Store().write(other, numbers())
    cannot = f"(not kept: {tmp_path / 'tables'} cannot be written)"
    assert builder.notes == [f"building the table another {cannot}"]
    assert sorted((tmp_path / "tables").iterdir()) == before


@pytest.mark.parametrize("mode", [0o700, 0o777])
def test_a_build_is_announced_whether_it_is_kept_or_not(tmp_path, monkeypatch, mode):
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables").chmod(mode)
    happened = []
    builder = Builder()
    builder.notes = happened
    with listen(print, happened.append):
        builder.load(Store())
    assert happened[0] is True and happened[-1] is False and len(happened) == 3


def test_a_full_disk_leaves_the_table_in_memory(tmp_path, monkeypatch):
    def no_space(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", no_space)
    builder = Builder()
    assert (builder.load(Store(tmp_path)) == numbers()).all()
    assert "No space left" in builder.notes[-1]
    assert [path.suffix for path in tmp_path.iterdir()] in ([], [".lock"])


def test_an_interrupted_build_leaves_nothing(tmp_path):
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).load_or_build(KEY, LENGTH, interrupted, print)
    assert Store(tmp_path).files() == []
    builder = Builder()
    builder.load(Store(tmp_path))
    assert builder.builds == 1


def test_what_a_killed_builder_left_is_tidied_away(tmp_path):
    leftover = tmp_path / f"{KEY.name}.abc.part"
    leftover.write_bytes(b"half a table")
    Builder().load(Store(tmp_path))
    assert not leftover.exists()


_BUILDER = """
import sys, time
import numpy as np
from pathlib import Path
from plansolve.storage.store import Store, StoreKey

folder = Path(sys.argv[1])
key = StoreKey("test", "shared", {})

def build():
    with open(folder / "builds", "a") as log:
        log.write("built\\n")
    # Until the other process is there and has to wait.
    while not (folder / "go").exists():
        time.sleep(0.01)
    return np.full(5000, 7, np.uint8)

def tell(line):
    print(line, flush=True)

table = Store(folder).load_or_build(key, 5000, build, tell)
assert (table == 7).all()
"""


def start(folder):
    return subprocess.Popen(
        [sys.executable, "-c", _BUILDER, str(folder)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("is_killed", [False, True])
def test_of_two_processes_one_builds_and_a_killed_one_gives_its_turn_away(tmp_path, is_killed):
    with start(tmp_path) as first:
        assert "building" in first.stdout.readline()
        with start(tmp_path) as second:
            assert "waiting" in second.stdout.readline()
            if is_killed:
                first.kill()
                assert "building" in second.stdout.readline()
            (tmp_path / "go").touch()
            assert (first.wait(30), second.wait(30)) == (-9 if is_killed else 0, 0)
    assert (tmp_path / "builds").read_text() == "built\n" * (1 + is_killed)


def test_where_no_lock_can_be_made_tables_are_built_without(tmp_path):
    file_of(tmp_path).with_suffix(".lock").mkdir()
    builder = Builder()
    assert (builder.load(Store(tmp_path)) == numbers()).all()
    assert (builder.builds, len(builder.notes)) == (1, 1)
    assert Store(tmp_path).has(KEY)


def test_a_fork_of_the_builder_does_not_keep_the_turn(tmp_path):
    forks = []
    reading, writing = os.pipe()

    class Forking(Builder):
        def __call__(self):
            forks.append(os.fork())
            if not forks[-1]:
                os.close(writing)
                os.read(reading, 1)  # until the parent has closed its end
                os._exit(0)
            return super().__call__()

    Forking().load(Store(tmp_path))
    Store(tmp_path).remove(KEY.name)
    other = Builder()
    other.load(Store(tmp_path))
    assert other.builds == 1 and not any("waiting" in note for note in other.notes)
    os.close(writing)
    os.close(reading)
    os.waitpid(forks[0], 0)


def test_a_large_file_is_summed_once_and_again_when_it_has_changed(tmp_path, few_are_small):
    sums = []

    class Counting(Store):
        def checksum(self, content):
            sums.append(content.size)
            return super().checksum(content)

    store = Counting(tmp_path)
    Builder().load(store)
    Builder().load(store)
    # One that is written to the file, and none to compare it with.
    assert sums == [LENGTH]
    # A copy has the bytes but not the stamp: it is read once and then known.
    path = file_of(tmp_path)
    path.write_bytes(path.read_bytes())
    for _ in range(2):
        same = Builder()
        same.load(store)
        assert same.builds == 0
    assert len(sums) == 2
    damage_payload(path)
    again = Builder()
    assert (again.load(store) == numbers()).all()
    assert again.builds == 1


@pytest.mark.parametrize("stamp", ["", "[]", "null", "[1,2,3,4,5]", "[" * 5000])
def test_a_foreign_stamp_vouches_for_nothing(tmp_path, few_are_small, stamp):
    store = Store(tmp_path)
    Builder().load(store)
    damage_payload(file_of(tmp_path))
    (tmp_path / f"{KEY.name}.seen").write_text(stamp)
    again = Builder()
    assert (again.load(store) == numbers()).all()
    assert again.builds == 1


def test_the_files_tell_names_sizes_and_damage(tmp_path):
    Builder().load(Store(tmp_path))
    (tmp_path / "foreign.table").write_text("nothing")
    whole, foreign = sorted(Store(tmp_path).files(), key=lambda file: bool(file.damage))
    assert (whole.name, whole.length, whole.key) == (KEY.name, LENGTH, KEY)
    assert whole.size >= LENGTH and whole.size % 16 == LENGTH % 16
    assert foreign.name == "foreign" and foreign.key is None


@pytest.mark.parametrize(
    "header",
    [
        '{"kind":"k","title":"t","content":{"x":NaN},"length":1}',
        '{"kind":"k","title":"t","content":{},"length":1e999}',
        '{"kind":"k","title":"t","content":{},"length":-5}',
        '{"kind":"k","title":"t","content":{},"length":"1"}',
        '{"kind":1,"title":"t","content":{},"length":1}',
        '{"kind":"k","title":"t","content":[],"length":1}',
        '{"kind":"k"}',
        '{"kind":"k","title":"t","content":' + '{"a":' * 900 + "1" + "}" * 900 + ',"length":1}',
        '{"kind":"../k","title":"\\ud800","content":{},"length":1}',
    ],
)
def test_hostile_headers_are_listed_and_no_more(tmp_path, header):
    text = header.encode()
    head = b"plansolve table 1\n" + len(text).to_bytes(4, "little") + text
    (tmp_path / "hostile.table").write_bytes(head + bytes(-len(head) % 4096 + 1))
    store = Store(tmp_path)
    (entry,) = store.files()
    assert entry.name == "hostile"
    assert isinstance(store.read("hostile"), str)
    assert store.remove("hostile")


def test_bytes_that_were_written_are_loaded_up_to_a_size(tmp_path):
    store = Store(tmp_path)
    assert store.load(KEY, LENGTH) is None
    store.write(KEY, numbers())
    assert (store.load(KEY, LENGTH) == numbers()).all()
    assert store.load(KEY, LENGTH - 1) is None
    assert store.load(StoreKey(KEY.kind, KEY.title, {}), LENGTH) is None
    damage_payload(file_of(tmp_path))
    assert store.load(KEY, LENGTH) is None


def test_reading_by_name_checks_every_byte(tmp_path):
    store = Store(tmp_path)
    Builder().load(store)
    key, table = store.read(KEY.name)
    assert key == KEY and (table == numbers()).all()
    damage_payload(file_of(tmp_path))
    assert "checksum" in store.read(KEY.name)
    os.replace(file_of(tmp_path), tmp_path / "renamed.table")
    assert "name" in store.read("renamed")
    assert "no such" in store.read("../renamed")


def test_removing_leaves_nothing_of_a_table(tmp_path, few_are_small):
    store = Store(tmp_path)
    Builder().load(store)
    assert {path.suffix for path in tmp_path.iterdir()} >= {".table", ".seen"}
    assert store.remove(KEY.name) and not store.remove(KEY.name)
    assert list(tmp_path.iterdir()) == []


def test_the_store_needs_no_compiler():
    code = "import sys, plansolve.storage.store; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("mode", "usable"), [(0o777, False), (0o1777, True), (0o755, True), (0o775, True)]
)
def test_a_folder_that_others_could_exchange_is_not_used(tmp_path, monkeypatch, mode, usable):
    above = tmp_path / "shared"
    (above / "mine").mkdir(parents=True)
    above.chmod(mode)
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(above / "mine"))
    assert (writable_folder("tables") is not None) == usable
    # Nor through a link from a place of our own.
    (tmp_path / "link").symlink_to(above / "mine")
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path / "link"))
    assert (writable_folder("tables") is not None) == usable


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder away")
def test_a_folder_inside_somebody_else_s_is_not_used(tmp_path, monkeypatch):
    above = tmp_path / "theirs"
    (above / "mine").mkdir(parents=True)
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(above / "mine"))
    assert writable_folder("tables") is not None
    os.chown(above, 1000, 1000)
    assert writable_folder("tables") is None
