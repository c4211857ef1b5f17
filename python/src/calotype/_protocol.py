"""Runs ``calotype worker`` and exchanges JSON lines with it; knows no engine."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import IO, Any, Optional

from ._command import CommandFailed, binary
from ._shards import PathLike

LINE_LIMIT = 1 << 20  # bytes
REPORT_LIMIT = 100_000  # reports that nobody has taken
MESSAGE_LIMIT = 2000  # characters

Message = dict[str, Any]


class Worker:
    """A running worker. It ends when it is closed, or when this process does: its input ends then."""

    def __init__(
        self, folder: PathLike, *, slots: Optional[int] = None, scratch: Optional[PathLike] = None,
        token: Optional[str] = None, command: Optional[Sequence[str]] = None,
    ) -> None:
        line = list(command) if command is not None else [binary(), "worker"]
        line.append(str(folder))
        for name, value in (("slots", slots), ("scratch", scratch), ("token", token)):
            if value is not None:
                line.append(f"--{name}={value}")
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)
        self._reports: deque[Message] = deque(maxlen=REPORT_LIMIT)
        self._changed = threading.Condition()
        self._has_ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not self._has_ended

    def send(self, op: str, **members: Any) -> None:
        """Sends an order; one that the worker no longer reads is dropped."""
        line = (json.dumps({"op": op, **members}) + "\n").encode()
        if len(line) > LINE_LIMIT:
            raise ValueError(f"an order of {len(line)} bytes is longer than {LINE_LIMIT}")
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # It has ended, which take() reports.

    def take(self, timeout: float = 0.0) -> list[Message]:
        """Returns the reports since the last call; waits up to ``timeout`` seconds for the first.

        Raises:
            CommandFailed: if the worker has ended by itself and all its reports were taken.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._reports or self._has_ended, timeout)
            reports = list(self._reports)
            self._reports.clear()
            ended = self._has_ended and not reports
        if ended and (code := self._process.wait()) != 0:
            self._errors.seek(max(0, self._errors.seek(0, 2) - MESSAGE_LIMIT))
            raise CommandFailed(code, self._errors.read().decode(errors="replace").strip())
        return reports

    def wait_for(self, event: str, timeout: float) -> Message:
        """Returns the next report of a kind, and drops those before it."""
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            reports = self.take(left)
            for index, report in enumerate(reports):
                if report.get("event") == event:
                    with self._changed:
                        self._reports.extendleft(reversed(reports[index + 1 :]))
                    return report
            if not reports and self._has_ended:
                break
        raise TimeoutError(f"the worker did not report {event}")

    def close(self, timeout: float = 10.0) -> int:
        """Ends the worker's input, and kills it if it does not exit; returns its exit code."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()
        return self._process.returncode

    def kill(self) -> None:
        """Kills the worker."""
        self._process.kill()
        self.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                report = json.loads(line)
            except ValueError:
                continue
            if isinstance(report, dict):
                with self._changed:
                    self._reports.append(report)
                    self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()
