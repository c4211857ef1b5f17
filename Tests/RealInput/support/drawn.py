"""The pictures that `calotype origin` draws, as files: drawn once for all parts, for an unoptimised build draws each for a
second and more."""

import subprocess
import urllib.request
from pathlib import Path

from servers.cache import locked

COUNT = 12
_place: Path | None = None


def keep_in(folder: Path):
    """Says where the pictures go when somebody wants them; parts that run as other processes take them from there too."""
    global _place
    _place = folder


def options(binary: Path) -> list[str]:
    """Returns what to tell an origin so that it serves the pictures; where nobody has said where they are kept, it draws them."""
    return ["--images", str(pictures(binary))] if _place else ["--count", str(COUNT)]


def pictures(binary: Path) -> Path:
    """Returns the folder of the pictures: photos of all sorts, some turned by EXIF."""
    with locked(_place):
        if not _place.exists():
            staging = _place.with_suffix(".part")
            staging.mkdir(parents=True)
            draw(binary, staging)
            staging.rename(_place)
    return _place


def draw(binary: Path, folder: Path):
    process = subprocess.Popen([binary, "origin", "--count", str(COUNT)], stdout=subprocess.PIPE, text=True)
    try:
        base = process.stdout.readline().split()[-1]
        for url in read(f"{base}/list.txt").decode().split():
            (folder / url.rpartition("/")[2]).write_bytes(read(url))
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read()
