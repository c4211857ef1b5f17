"""Runs commands of `calotype` as a user would, in a home of their own, on pipes or on a terminal."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from pathlib import Path

from support.checks import Checks

TIME_LIMIT = 120
BASE = "CALOTYPE_API"


@dataclass
class Done:
    """What a command printed, and its exit code."""

    exit: int
    out: str
    error: str

    def lines(self) -> list[str]:
        return self.out.splitlines()

    def objects(self) -> list[dict]:
        return [json.loads(line) for line in self.lines()]

    def __str__(self) -> str:
        return f"exit {self.exit}, printed {self.out[-300:]!r}, said {self.error[-500:]!r}"


class Commands:
    """The command with a home, and so a cache, below `scratch`; `base` is what CALOTYPE_API says unless told otherwise."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, base: str):
        self.checks, self.binary, self.scratch, self.base = checks, binary, scratch, base
        scratch.mkdir(parents=True, exist_ok=True)

    def environment(self, api: str | None = None, **variables: str) -> dict[str, str]:
        homes = {name: str(self.scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return os.environ | homes | {BASE: self.base if api is None else api} | variables

    def run(self, *arguments, api: str | None = None, stdin=subprocess.DEVNULL) -> Done:
        done = subprocess.run(
            self.line(arguments), env=self.environment(api), timeout=TIME_LIMIT,
            capture_output=True, stdin=stdin,
        )
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def start(self, *arguments, api: str | None = None, **variables: str) -> subprocess.Popen:
        return subprocess.Popen(
            self.line(arguments), env=self.environment(api, **variables),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def line(self, arguments) -> list[str]:
        return [str(part) for part in (self.binary, *arguments)]

    def expect(self, name: str, done: Done, exit: int, *said: str) -> Done:
        """Checks the exit code, that each of `said` is on standard error, and that each line there says who speaks."""
        self.checks.equal(f"{name}: exit code", done.exit, exit, str(done))
        for text in said:
            self.checks.that(f"{name}: says '{text}'", text in done.error, done)
        strangers = [line for line in done.error.splitlines() if not line.startswith(("calotype ", "Try '"))]
        self.checks.equal(f"{name}: lines that do not say who speaks", strangers, [])
        return done

    def on_terminal(self, rows: int, *arguments, columns: int = 100) -> str:
        """Runs the command on a terminal of this size and returns all that was written to it."""
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen(
            self.line(arguments), stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
            env=self.environment(TERM="xterm-256color"),
        )
        os.close(terminal)
        try:
            return read_to_end(controller).decode(errors="replace")
        finally:
            process.wait(timeout=30)
            os.close(controller)


def read_to_end(controller: int) -> bytes:
    """Reads what is written to a terminal until its last writer has gone."""
    text, end = b"", time.monotonic() + TIME_LIMIT
    while time.monotonic() < end:
        if not select.select([controller], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(controller, 65536)
        except OSError:  # the other end is closed
            break
        text += chunk
    return text
