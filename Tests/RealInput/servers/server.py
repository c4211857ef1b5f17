"""What all servers have in common: they start, are ready within a bounded time, tell what they hold, and end."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

START_LIMIT = 90  # seconds; a cold start on a busy machine
LOG_TAIL = 3000  # characters


@dataclass(frozen=True)
class StoredFile:
    """A file as a server has it."""

    name: str
    size: int
    sha256: str


def stored(name: str, data: bytes) -> StoredFile:
    return StoredFile(name, len(data), hashlib.sha256(data).hexdigest())


class Process:
    """A process with its children in a group of their own, and its output in a log."""

    def __init__(self, log: Path, *command, environment: dict[str, str] | None = None, folder: Path | None = None):
        self.log, self.name = log, Path(str(command[0])).name
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=os.environ | (environment or {}), cwd=folder or log.parent, start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        return self._process.poll() is None

    def told(self) -> str:
        return self.log.read_text(errors="replace")

    def stop(self, first: int = signal.SIGTERM, seconds: float = 15):
        """Ends the process and whatever is left of its group."""
        if self.is_running():
            self._process.send_signal(first)
            try:
                self._process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                print(f"servers: {self.name} ({self.pid}) does not end by itself", file=sys.stderr, flush=True)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # nothing is left
        self._process.wait(timeout=10)


class Server:
    """A real server on loopback for as long as its `with` block runs; everything it writes lies below `scratch`.

    A subclass has `install`, which fetches what is missing and may raise `Unavailable`, and `launch`, which starts processes
    with `run` and returns when they are ready.
    """

    title = ""

    def __init__(self, scratch: Path):
        self.scratch = scratch.resolve()
        self._processes: list[Process] = []

    def __enter__(self) -> "Server":
        self.install()
        self.scratch.mkdir(parents=True, exist_ok=True)
        try:
            self.launch()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        while self._processes:
            self._processes.pop().stop()

    def install(self):
        raise NotImplementedError

    def launch(self):
        raise NotImplementedError

    def facts(self) -> dict:
        """Returns what a client must know: `to` and the variables of `environment` as `calotype publish` takes them."""
        raise NotImplementedError

    def files(self) -> list[StoredFile]:
        """Returns the media that the server holds, in a stable order."""
        raise NotImplementedError

    def posts(self) -> list[dict]:
        """Returns the posts that the server holds, oldest first."""
        raise NotImplementedError

    def run(self, *command, environment: dict[str, str] | None = None, folder: Path | None = None) -> Process:
        """Starts a process that ends with this server."""
        log = self.scratch / f"{len(self._processes)}-{Path(str(command[0])).name}.log"
        self._processes.append(Process(log, *command, environment=environment, folder=folder))
        return self._processes[-1]

    def await_ready(self, condition, seconds: float = START_LIMIT):
        """Waits until `condition` is true, for as long as all processes run."""
        end = time.monotonic() + seconds
        while not condition():
            if not self.is_running() or time.monotonic() > end:
                why = f"not ready within {seconds:.0f} s" if self.is_running() else "a process ended"
                raise RuntimeError(f"{self.title} did not start, {why}:\n{self.told()}")
            time.sleep(0.05)

    def launch_on_free_ports(self, start, attempts: int = 5):
        """Launches a server that must know its ports beforehand: another process may take one in between.

        `start` starts its processes, and returns a condition that is true when they are ready.
        """
        for _ in range(attempts):
            is_ready = start()
            self.await_ready(lambda: is_ready() or not self.is_running())
            if self.is_running():
                return
            told = self.told()
            self.__exit__()
        raise RuntimeError(f"{self.title} did not start in {attempts} attempts:\n{told}")

    def is_running(self) -> bool:
        return all(process.is_running() for process in self._processes)

    def told(self) -> str:
        """Returns the end of what each process said."""
        return "\n".join(f"{process.log.name}: {process.told()[-LOG_TAIL:]}" for process in self._processes)
