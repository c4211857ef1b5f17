"""Builds the libraries that are loaded before all others of a command."""

import subprocess
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "FaultLibrary"


def built(name: str, folder: Path) -> Path:
    """Compiles `name` into a library in `folder` and returns its path."""
    library = folder / f"{name}.so"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, SOURCES / f"{name}.c", "-ldl", "-pthread"], check=True)
    return library
