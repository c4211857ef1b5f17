"""What the servers are made of, fetched once and kept below `.build/real-servers`: environments of Python packages.

The folder can be removed at any time; what is missing is fetched again.
"""

import contextlib
import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / ".build" / "real-servers"
PINS = Path(__file__).resolve().parent / "pins"
APPS = Path(__file__).resolve().parent / "apps"
FETCH_LIMIT = 600  # seconds
TOLD_LIMIT = 200  # characters


class Unavailable(Exception):
    """A server cannot be had on this machine or right now: no network, another distribution."""


def environment(name: str) -> Path:
    """Returns an environment of Python that has exactly the packages of `pins/NAME.txt`, making it when it is missing."""
    pins = PINS / f"{name}.txt"
    # Other pins or another Python make another environment.
    mark = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = FOLDER / f"{name}-{mark}"
    with locked(folder):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            call(sys.executable, "-m", "venv", folder)
            install = [folder / "bin" / "pip", "--disable-pip-version-check", "--quiet", "--retries", "1", "install"]
            call(*install, "--no-deps", "--requirement", pins)
            (folder / "complete").touch()
    return folder


@contextlib.contextmanager
def locked(target: Path):
    """Holds the right to make `target`, so that two runs at a time do not make it both."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.with_name(f"{target.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def call(*command, **options) -> str:
    """Runs a command that fetches or unpacks; what it says is told when it fails."""
    line = [str(part) for part in command]
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=FETCH_LIMIT, **options,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{line[0]}: {error}") from error
    if done.returncode != 0:
        # What went wrong stands last, at the end of retries and traces.
        last = " / ".join([text.strip() for text in done.stderr.splitlines() if text.strip()][-2:])
        raise Unavailable(f"{' '.join(line)[:TOLD_LIMIT]} ended with {done.returncode}: {last[-TOLD_LIMIT:]}")
    return done.stdout


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        print(environment(wanted))
