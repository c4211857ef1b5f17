"""The programs whose pictures are judged: each makes a JPEG (quality 85) and a PNG of every picture at one size."""

import os
import subprocess
from multiprocessing import get_context
from pathlib import Path

from PIL import Image

import pillow_thumbs

QUALITY = 85


class Ours:
    """The codec of Calotype alone, at one effort."""

    def __init__(self, program: Path, effort: str, libvips_only: bool = False):
        self.name, self._program, self._effort = f"ours {effort}", program, effort
        self._options = ["--libvips"] if libvips_only else []

    def make(self, paths: list[Path], size: int, folder: Path) -> dict[int, dict[str, Path]]:
        command = [
            self._program, write_list(paths, folder), folder, "--sizes", str(size), "--formats", "jpeg,png",
            "--quality", str(QUALITY), "--effort", self._effort,
            "--threads", str(os.cpu_count()), "--pixels", "1000000000", *self._options,
        ]  # fmt: skip
        say_failures(self.name, subprocess.run(command, stdout=subprocess.PIPE, text=True), {0, 1})
        return found(len(paths), folder)


class Libvips:
    """The C program of `script/bench fetch` on vips_thumbnail_buffer."""

    name = "libvips"

    def __init__(self, program: Path):
        self._program = program

    def make(self, paths: list[Path], size: int, folder: Path) -> dict[int, dict[str, Path]]:
        command = [self._program, write_list(paths, folder), folder, size, QUALITY, os.cpu_count(), "png"]
        environment = os.environ | {"VIPS_WARNING": "1"}
        # libvips 8.14.1 crashes now and then on more than one thread: docs/decisions/0002.
        for _ in range(3):
            finished = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, env=environment)
            if finished.returncode >= 0:
                break
        say_failures(self.name, finished, {0, 1})
        return found(len(paths), folder)


class Pillow:
    """Pillow as thumbor uses it: `draft` leaves at least the size that is asked for, Lanczos-3 does the rest."""

    name = "Pillow draft"

    def make(self, paths: list[Path], size: int, folder: Path) -> dict[int, dict[str, Path]]:
        jobs = [(path, size, folder / f"{index:09}") for index, path in enumerate(paths)]
        with get_context("fork").Pool(os.cpu_count()) as pool:
            pool.map(self._make, jobs, chunksize=4)
        return found(len(paths), folder)

    @staticmethod
    def _make(job: tuple[Path, int, Path]):
        path, size, target = job
        with Image.open(path) as opened:
            small = pillow_thumbs.thumbnail(opened, size)
        small.save(target.with_suffix(".png"), compress_level=1)
        pillow_thumbs.on_white(small).save(target.with_suffix(".jpg"), quality=QUALITY)


def write_list(paths: list[Path], folder: Path) -> Path:
    listed = folder / "paths.txt"
    listed.write_text("".join(f"{path}\n" for path in paths))
    return listed


def found(count: int, folder: Path) -> dict[int, dict[str, Path]]:
    """Returns what was made, by the picture's number."""
    made = {}
    for index in range(count):
        paths = {kind: folder / f"{index:09}.{end}" for kind, end in (("jpeg", "jpg"), ("png", "png"))}
        made[index] = {kind: path for kind, path in paths.items() if path.exists()}
    return made


def say_failures(name: str, finished: subprocess.CompletedProcess, fine: set[int]):
    if finished.returncode not in fine:
        raise SystemExit(f"{name} ended with {finished.returncode}: {finished.stdout[-2000:]}")
    if finished.returncode:
        print(f"quality: {name}: {finished.stdout[-2000:]}")
