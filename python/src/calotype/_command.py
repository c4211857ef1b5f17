"""Finds and runs the ``calotype`` command."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Sequence


class CalotypeError(Exception):
    """An error of this package."""


class CommandNotFound(CalotypeError):
    """The ``calotype`` command is missing."""


class CommandFailed(CalotypeError):
    """The command ended with an error.

    ``code`` is its exit code: 2 if the arguments or the input cannot be used, 3 if nothing succeeded, 130 if it was
    interrupted.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message or f"calotype ended with exit code {code}")
        self.code = code


def binary() -> str:
    """Returns the path of the command: ``CALOTYPE_BINARY``, else ``calotype`` on ``PATH``."""
    named = os.environ.get("CALOTYPE_BINARY")
    found = shutil.which(named or "calotype")
    if found is None:
        where = f"CALOTYPE_BINARY names {named}, which is no program" if named else "it is not on PATH"
        raise CommandNotFound(f"the calotype command is missing: {where}; install it, or set CALOTYPE_BINARY to its path")
    return found


@functools.lru_cache(maxsize=8)
def known_options(path: str) -> frozenset[str]:
    """Returns the long options of ``calotype dataset``, as its help lists them."""
    done = subprocess.run([path, "dataset", "--help"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandFailed(done.returncode, f"{path} has no command dataset; it is too old")
    return frozenset(re.findall(r"^\s+(?:-\w, )?(--[a-z0-9-]+)", done.stdout, flags=re.MULTILINE))


def option_arguments(options: Sequence[tuple[str, object]]) -> list[str]:
    """Returns command-line arguments for options in Python's spelling.

    ``None`` and ``False`` leave an option out, ``True`` is a flag, and a list or tuple is joined by commas.
    """
    arguments: list[str] = []
    for name, value in options:
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(option)
        elif isinstance(value, (list, tuple)):
            arguments.append(f"{option}={','.join(str(part) for part in value)}")
        else:
            arguments.append(f"{option}={value}")
    return arguments
