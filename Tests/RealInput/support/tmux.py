"""A terminal of any size, by tmux: keys go in, what the screen shows comes out as text and colours."""

import re
import subprocess
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from support.checks import eventually

LOOK_INTERVAL = 0.03  # seconds


@dataclass
class Cell:
    """A character and its colours; `None` for the terminal's own."""

    text: str
    ink: tuple[int, int, int] | None
    ground: tuple[int, int, int] | None


class Tmux:
    """A tmux server of its own with one window, in which a command runs under a shell."""

    def __init__(self, scratch: Path, columns: int, rows: int, environment: dict[str, str]):
        self.scratch = scratch
        scratch.mkdir(parents=True, exist_ok=True)
        # Nothing of the user's own settings, no line of tmux's own, and room for bursts of keys.
        (scratch / "tmux.conf").write_text(
            'set -g status off\nset -g default-terminal "tmux-256color"\nset -s escape-time 0\n'
            'set -g default-command "/bin/sh"\n'
        )
        self.environment = environment
        self.call("new-session", "-d", "-x", str(columns), "-y", str(rows))
        self.resize(columns, rows)

    def __enter__(self) -> "Tmux":
        return self

    def __exit__(self, *_):
        self.call("kill-server", check=False)

    def call(self, *arguments: str, check: bool = True) -> str:
        # The socket lies in the scratch folder: nobody else's server is met, and nothing is left.
        command = ["tmux", "-S", self.scratch / "socket", "-f", self.scratch / "tmux.conf", "-u", *arguments]
        done = subprocess.run(
            list(map(str, command)), env=self.environment, capture_output=True, text=True, timeout=60, check=check
        )
        return done.stdout

    def type(self, text: str):
        """Types text as it is."""
        self.call("send-keys", "-l", "--", text)

    def press(self, *keys: str):
        """Presses keys by tmux's names, such as Down, Enter, Escape, PageDown, C-u."""
        self.call("send-keys", *keys)

    def resize(self, columns: int, rows: int):
        self.call("resize-window", "-x", str(columns), "-y", str(rows))

    def lines(self) -> list[str]:
        return self.call("capture-pane", "-p").split("\n")[:-1]

    def text(self) -> str:
        return "\n".join(self.lines())

    def shows(self, *texts: str, seconds: float = 30) -> bool:
        """Waits until the screen shows all of `texts`; each look is a process, which takes time from what is waited for."""
        return eventually(lambda: self.has(*texts), seconds, LOOK_INTERVAL)

    def has(self, *texts: str) -> bool:
        text = self.text()
        return all(one in text for one in texts)

    def format(self, name: str) -> str:
        return self.call("display-message", "-p", f"#{{{name}}}").strip()

    def cells(self) -> list[list[Cell]]:
        """Returns the screen cell by cell; the second half of a wide character is an empty text."""
        return [line_cells(line) for line in self.call("capture-pane", "-p", "-e", "-N").split("\n")[:-1]]


def line_cells(line: str) -> list[Cell]:
    cells, ink, ground, isReversed = [], None, None, False
    for part in re.split(r"(\x1b\[[0-9;:]*m|\x1b[()].|[\x0e\x0f])", line):
        if part.startswith("\x1b["):
            ink, ground, isReversed = styled(part[2:-1], ink, ground, isReversed)
        elif part and part[0] not in "\x1b\x0e\x0f":
            for character in part:
                colours = (ground, ink) if isReversed else (ink, ground)
                if unicodedata.combining(character):
                    continue
                cells.append(Cell(character, *colours))
                if unicodedata.east_asian_width(character) in "WF":
                    cells.append(Cell("", *colours))
    return cells


def styled(text: str, ink, ground, isReversed):
    codes = [int(code or 0) for code in re.split("[;:]", text)]
    while codes:
        code = codes.pop(0)
        if code == 0:
            ink, ground, isReversed = None, None, False
        elif code in (7, 27):
            isReversed = code == 7
        elif code in (38, 48):
            colour = colour_of(codes)
            ink, ground = (colour, ground) if code == 38 else (ink, colour)
        elif code == 39:
            ink = None
        elif code == 49:
            ground = None
        elif 30 <= code <= 37 or 90 <= code <= 97:
            ink = indexed(code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            ground = indexed(code - 40 if code < 100 else code - 92)
    return ink, ground, isReversed


def colour_of(codes: list[int]) -> tuple[int, int, int]:
    if codes.pop(0) == 5:
        return indexed(codes.pop(0))
    return codes.pop(0), codes.pop(0), codes.pop(0)


def indexed(number: int) -> tuple[int, int, int]:
    """Returns a colour of xterm's palette of 256."""
    if number < 16:
        level = 255 if number >= 8 else 205
        return tuple(level if number >> bit & 1 else 0 for bit in range(3))
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    steps = [0, 95, 135, 175, 215, 255]
    number -= 16
    return steps[number // 36], steps[number // 6 % 6], steps[number % 6]
