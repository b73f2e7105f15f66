"""Build wheel and source distribution, and try the wheel where nothing else of the repository is.

    python .ci/check_package.py DIST

The wheel is built from the source distribution, so that this holds all that the wheel needs. It is
installed into an environment of its own, which sees this one's dependencies and not the repository.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOARD = "4 1 2\n. 5 3\n7 8 6\n"
PROGRAM = """
import json, pathlib, sys
import plansolve
import plansolve.apps.web.app
from plansolve.compat.solver import solve

assert not pathlib.Path(plansolve.__file__).is_relative_to(sys.argv[1]), plansolve.__file__
result = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
assert plansolve.Result.from_json(result.to_json()) == result
print(json.dumps({"plan": list(result.plan), "compat": solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]])}))
"""


def main() -> None:
    """Build into the folder that is named, and check."""
    dist = Path(sys.argv[1])
    for old in dist.glob("plansolve-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT))
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(source))
    check_contents(wheel, source)
    with tempfile.TemporaryDirectory() as folder:
        try_wheel(wheel.resolve(), Path(folder))
    print(f"{wheel.name} and {source.name}: built, checked, installed and tried")


def check_contents(wheel: Path, source: Path) -> None:
    """See that every file of the package is in both, and the repository's data in the latter."""
    tracked = run("git", "-C", str(ROOT), "ls-files").splitlines()
    with zipfile.ZipFile(wheel) as packed:
        missing = {file for file in tracked if file.startswith("plansolve/")} - {*packed.namelist()}
    assert not missing, f"not in the wheel: {sorted(missing)}"
    with tarfile.open(source) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    missing = {file for file in tracked if file != ".gitignore"} - names
    assert not missing, f"not in the source distribution: {sorted(missing)}"


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel alone, and run its commands in a folder that holds one board."""
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "env"))
    python = folder / "env" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-deps", str(wheel))
    own = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # The files ".pth" in that folder, such as one that names the repository, are not read.
    (Path(own) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    (folder / "board.puz").write_text(BOARD)
    command = str(folder / "env" / "bin" / "plansolve")
    version = run(command, "--version", cwd=folder).split()[-1]
    assert version in wheel.name, version
    assert run(command, "board.puz", "--optimal", cwd=folder) == "DLLUU\n"
    run(command, "replay", "board.puz", "--plan", "DLLUU", "--html", "page.html", cwd=folder)
    assert "<svg" in (folder / "page.html").read_text(encoding="utf-8")
    run(command, "certify", "board.puz", "-o", "cert", cwd=folder)
    assert "breadth-first" in run(command, "list", "engines", cwd=folder)
    answer = json.loads(run(str(python), "-c", PROGRAM, str(ROOT), cwd=folder))
    assert answer["plan"] == list("DLLUU"), answer
    assert len(answer["compat"]) == 5, answer
    # What type checkers look for, and pytest.
    assert (Path(own) / "plansolve" / "py.typed").is_file()
    assert "--plansolve" in run(str(python), "-m", "pytest", "--help", cwd=folder)


def run(*words: str, cwd: Path | None = None) -> str:
    """Return what a command prints; raise an error with all that it said where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
