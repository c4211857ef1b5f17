"""A program on a pseudo-terminal, and what its screen shows: as much of a terminal as `calotype wall` uses."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

# A control sequence, a string that ends with ESC \\, or a plain character.
TOKEN = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[P_\]X^].*?\x1b\\|\x1b.|[^\x1b]", re.DOTALL)
UNFINISHED = re.compile(r"\x1b(\[[0-9;?]*|[P_\]X^]([^\x1b]|\x1b(?!\\))*)?\Z", re.DOTALL)


class Screen:
    """Characters in their places; colours and pictures are left out."""

    def __init__(self, columns: int, rows: int):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes):
        text = self._rest + self._decoder.decode(data)
        unfinished = UNFINISHED.search(text)
        self._rest = text[unfinished.start() :] if unfinished else ""
        for token in TOKEN.finditer(text[: len(text) - len(self._rest)]):
            if token[2]:
                self._control(token[1], token[2])
            elif not token[0].startswith("\x1b"):
                self._write(token[0])

    def line(self, row: int) -> str:
        return "".join(self.cells[row])

    def _control(self, parameters: str, kind: str):
        numbers = [int(n) for n in parameters.split(";") if n.isdigit()]
        if kind == "H":
            row, column = (numbers + [1, 1])[:2] if numbers else (1, 1)
            self.row, self.column = min(row, self.rows) - 1, min(column, self.columns) - 1
        elif kind == "J":
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif kind == "K":
            self.cells[self.row][self.column :] = [" "] * (self.columns - self.column)

    def _write(self, character: str):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character >= " ":
            self.cells[self.row][self.column] = character
            self.column = min(self.column + 1, self.columns - 1)


class Terminal:
    """Runs a command on a terminal of this size, and keeps its screen."""

    def __init__(self, command: list, columns: int, rows: int, environment: dict[str, str]):
        self.screen = Screen(columns, rows)
        self._waiting: list[tuple[float, bytes]] = []
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            size = struct.pack("HHHH", rows, columns, columns * 8, rows * 16)
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.execve(command[0], [str(part) for part in command], environment)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_):
        try:
            os.kill(self.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        while self.read(1):
            pass
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)

    def press(self, keys: bytes):
        os.write(self.descriptor, keys)

    def read(self, seconds: float) -> bytes:
        """Takes what the program writes within `seconds`, once; nothing at its end and when nothing comes.

        The screen follows with `catch_up`: it is slow, and must not hold up the clock.
        """
        ready, _, _ = select.select([self.descriptor], [], [], max(seconds, 0))
        if not ready:
            return b""
        try:
            data = os.read(self.descriptor, 1 << 16)
        except OSError:
            return b""
        self._waiting.append((time.monotonic(), data))
        return data

    def catch_up(self, condition=lambda: False) -> float | None:
        """Brings the screen up to date; returns when the bytes came with which `condition` began to hold."""
        waiting, self._waiting, found = self._waiting, [], None
        for came, data in waiting:
            self.screen.feed(data)
            if found is None and condition():
                found = came
        return found

    def until(self, condition, seconds: float, line: int | None = None) -> float | None:
        """Reads until `condition` holds, and returns when its bytes came; `None` when it does not within `seconds`.

        With a line of the screen, counted from 1, it looks only when something was written there.
        """
        end, mark = time.monotonic() + seconds, b"" if line is None else b"\x1b[%d;" % line
        self.catch_up()
        if line is None and condition():
            return time.monotonic()
        while time.monotonic() < end:
            if mark in self.read(min(0.05, end - time.monotonic())):
                came = self.catch_up(condition)
                if came is not None:
                    return came
        return None

    def figure(self, word: str) -> int:
        """Returns the figure behind a word of the last line, -1 if there is none."""
        found = re.search(rf"\b{word} (\d+)", self.screen.line(self.screen.rows - 1))
        return int(found[1]) if found else -1

    def position(self) -> str:
        return (self.screen.line(self.screen.rows - 1).split() or [""])[0]
