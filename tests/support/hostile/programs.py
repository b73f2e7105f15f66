"""Programs that a referee must survive, as texts; each runs as `python -I -S` with some arguments.

Should a sandbox fail to hold them, they do little harm: what multiplies or grows stops by itself,
and what kills all that it sees does so only if it does not see the processes of the tests.
"""

ECHOES = """
import os, sys
print(open("board.puz").read().strip(), sys.stdin.read(), *sys.argv[1:], sep="|")
print("warned", file=sys.stderr)
print("kept", file=open(os.path.join(os.environ["TMPDIR"], "scratch"), "w"))
sys.exit(7)
"""

SLEEPS = """
import time
print("started", flush=True)
time.sleep(300)
"""

FORK_BOMB = """
import mmap, os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 20
tally = mmap.mmap(-1, 3000)
position = 0
while time.monotonic() < end:
    position = tally.find(b"\\0", position)
    if position < 0:
        break
    tally[position] = 1
    try:
        os.fork()
    except OSError:
        pass
time.sleep(300)
"""

THREADS = """
import threading, time
for _ in range(200):
    try:
        threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
    except RuntimeError:
        break
time.sleep(300)
"""

ENDLESS_OUTPUT = """
import os
for _ in range(10 << 14):  # 10 GB
    os.write(1, b"U" * 65536)
"""

ENDLESS_ERRORS = """
import os
while True:
    os.write(2, b"warning\\n" * 8192)
"""

IGNORES_SIGNALS = """
import signal
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
print("ignored", flush=True)
while True:
    pass
"""

DAEMONS = """
import os, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            os.close(0)
            if sys.argv[2] == "quiet":
                os.close(1)
                os.close(2)
            time.sleep(300)
        os._exit(0)
    os.wait()
print("UULL")
"""

ALLOCATES_IN_CHILDREN = """
import os, time
for _ in range(10):
    if os.fork() == 0:
        held = b"x" * (32 << 20)
        time.sleep(300)
time.sleep(300)
"""

SHARES_MEMORY = """
import os, time
held = b"x" * (80 << 20)
for _ in range(10):
    if os.fork() == 0:
        time.sleep(300)
time.sleep(0.5)
print("fine")
"""

EMPTY_FILES = """
import time
try:
    for number in range(100000):
        open(str(number), "w").close()
except OSError:
    pass
time.sleep(300)
"""

EMPTY_FILES_OF_MEMORY = f"import os; os.chdir('/dev/shm')\n{EMPTY_FILES}"

HUGE_FILE = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores
with open("huge", "wb") as stream:
    for _ in range(1024):
        stream.write(b"x" * (1 << 20))
"""

MANY_SMALL_FILES = """
import os, time
try:
    for number in range(100000):
        os.makedirs(str(number % 50), exist_ok=True)
        with open(f"{number % 50}/{number}", "w") as stream:
            stream.write("x")
except OSError:
    pass
time.sleep(300)
"""

CLOSES_STDOUT = """
import os, time
print("UU", flush=True)
os.close(0); os.close(1); os.close(2)
time.sleep(300)
"""

RUBBISH = """
import os
os.write(1, bytes(range(256)) * 4 + b"\\0" * 1000)
os.write(2, b"\\xff\\0\\x1b[2J")
"""

NETWORK = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5).close()
    print("connected")
except OSError as error:
    print("refused", error)
"""

WRITES_OUTSIDE = """
import os, sys
for path in sys.argv[1:]:
    for change in (
        lambda: open(path, "w").close(), lambda: open(path + ".new", "w").close(),
        lambda: os.unlink(path), lambda: os.chmod(path, 0), lambda: os.rename(path, path + ".old"),
    ):
        try:
            change()
            print("changed")
        except OSError:
            print("refused")
"""

KILLS_PARENT = """
import os, signal, time
os.kill(os.getppid(), signal.SIGKILL)
print("killed", flush=True)
time.sleep(300)
"""

STOPS_PARENT = """
import os, signal, time
os.kill(os.getppid(), signal.SIGSTOP)
os.killpg(os.getppid(), signal.SIGSTOP) if os.getppid() > 1 else None
print("stopped", flush=True)
time.sleep(300)
"""

KILLS_ALL_IT_SEES = """
import os, signal, sys, time
if os.readlink("/proc/self/ns/pid") == sys.argv[1]:
    sys.exit("these are the processes of the tests")
for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
    for process in [-1, *map(int, filter(str.isdigit, os.listdir("/proc")))]:
        if process != os.getpid():
            try:
                os.kill(process, number)
            except OSError:
                pass
print("alive")
"""

KILLS_ITSELF = """
import os, signal
os.kill(os.getpid(), signal.SIGSEGV)
"""

MANY_OPEN_FILES = """
import os
opened = []
try:
    for _ in range(10000):
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(len(opened), error.strerror)
"""

UNDELETABLE = """
import os, sys
top = os.getcwd()
for depth in range(int(sys.argv[1])):
    os.mkdir("nested" * 40)
    os.chdir("nested" * 40)
open("file", "w").close()
os.chdir(top)
os.makedirs("locked/inner/innermost")
open("locked/inner/file", "w").close()
os.symlink("/", "link")
os.mkfifo("pipe")
os.chmod("locked/inner/file", 0)
os.chmod("locked/inner", 0)
os.chmod("locked", 0)
os.chmod(".", 0)
"""

REPLACES_FOLDER = """
import os, sys
work = os.getcwd()
os.rename(work, work + "-moved")
os.symlink(sys.argv[1], work)
"""

SECRETS = """
import os
print(sorted(os.environ))
for process in filter(str.isdigit, os.listdir("/proc")):
    try:
        print(open(f"/proc/{process}/environ").read())
    except OSError:
        pass
"""

REMOVES_FOLDER = """
import os, shutil, time
shutil.rmtree(os.getcwd())
print("removed", flush=True)
time.sleep(300)
"""

WRITABLE_PLACES = """
import os
for line in open("/proc/self/mountinfo"):
    before, _, after = line.partition(" - ")
    place = before.split()[4]
    probe = os.path.join(place, "probe")
    try:
        open(probe, "w").close()
        os.unlink(probe)
    except OSError:
        continue
    print(place, os.statvfs(place).f_blocks * os.statvfs(place).f_frsize)
"""

# Each of these is harmless even where it succeeds: it opens and changes nothing.
TRIES_WAYS_OUT = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)

def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")

def writes(path):
    os.close(os.open(path, os.O_WRONLY))

def namespace(path):
    descriptor = os.open(path, os.O_RDONLY)
    called(libc.setns(descriptor, 0))

attempts = {
    "core pattern": lambda: writes("/proc/sys/kernel/core_pattern"),
    "system request": lambda: writes("/proc/sysrq-trigger"),
    "cgroups": lambda: os.mkdir("/sys/fs/cgroup/plansolve-way-out"),
    "disk": lambda: writes("/dev/vda"),
    "new device": lambda: os.mknod("device", 0o60600, os.makedev(254, 0)),
    "remount": lambda: called(libc.mount(None, b"/", None, ctypes.c_ulong(32 | 4096), None)),
    "unmount": lambda: called(libc.umount2(b"/tmp", 2)),
    "new namespace": lambda: called(libc.unshare(0x10000000 | 0x00020000)),
    "change root": lambda: os.chroot("/"),
    "watcher's memory": lambda: writes("/proc/1/mem"),
    "watcher's streams": lambda: writes("/proc/1/fd/1"),
    "watcher's tracing": lambda: called(libc.ptrace(16, 1, None, None)),
    "watcher's namespace": lambda: namespace("/proc/1/ns/mnt"),
    "host name": lambda: socket.sethostname("changed"),
}
for name, attempt in attempts.items():
    try:
        attempt()
        print("DONE:", name)
    except OSError as error:
        print("refused:", name, error)
"""

# Memory that a sum of resident sizes does not see. Each takes up to 600 MB, says that it is there,
# and stays; a door that is shut is told by its error.
HOARDS = """
import ctypes, errno, mmap, os, platform, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
MB = 1 << 20
held = []

def call(*numbers):
    result = libc.syscall(*map(ctypes.c_long, numbers))
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result

def number(x86_64, aarch64):
    return {"x86_64": x86_64, "aarch64": aarch64}[platform.machine()]

def segments():
    for _ in range(10):
        segment = call(number(29, 194), 0, 60 * MB, 0o1600)
        address = call(number(30, 196), segment, 0, 0)
        ctypes.memset(address, 1, 60 * MB)
        call(number(67, 197), address)

def queues():
    for _ in range(16000):
        queue = call(number(68, 186), 0, 0o1600)
        call(number(69, 189), queue, ctypes.addressof(message), 8000, 0o4000)
        call(number(69, 189), queue, ctypes.addressof(message), 8000, 0o4000)

def shared():
    for _ in range(10):
        place = mmap.mmap(-1, 60 * MB)
        for position in range(0, 60 * MB, 4096):
            place[position] = 1
        place.madvise(mmap.MADV_DONTNEED)
        held.append(place)

def tables():
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # not reserved
    place = mmap.mmap(-1, 150_000 * 2 * MB, flags, mmap.PROT_READ)
    held.append(place)
    for position in range(0, 150_000 * 2 * MB, 2 * MB):
        place[position]

def sockets():
    for _ in range(70):
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        held.append(pair)
        for one in pair:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 26)
            one.setblocking(False)
            try:
                while True:
                    one.send(bytes(200_000))
            except BlockingIOError:
                pass

def children():
    for _ in range(24):
        if os.fork() == 0:
            held.clear()
            sockets()
            time.sleep(300)

def pipes():
    place = mmap.mmap(-1, 2 * MB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    place[0] = 1
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    part = Part(ctypes.addressof(ctypes.c_char.from_buffer(place)), 4096)
    _, writing = os.pipe()
    call(number(278, 75), writing, ctypes.addressof(part), 1, 0)

def files():
    for folder in ("/tmp", "/dev/shm"):
        with open(os.path.join(folder, "hoard"), "wb") as stream:
            stream.write(bytes(60 * MB))
    held.append(b"x" * (60 * MB))

message = ctypes.create_string_buffer(b"x" * 8 + bytes(8000), 8008)
try:
    globals()[sys.argv[1]]()
    print("held", flush=True)
except OSError as error:
    print(errno.errorcode[error.errno], flush=True)
    sys.exit()
time.sleep(300)
"""
