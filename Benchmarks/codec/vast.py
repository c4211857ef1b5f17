"""Pictures that are too large to be made or held in one piece; written by codec/vast.c, kept in Benchmarks/.data/vast."""

import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Fifty megapixels, as the larger cameras make them.
PHOTO = (8660, 5774)
SIDE = 30_000


class Vast:
    def __init__(self, data: Path):
        self._folder = data / "vast"
        self._program = data / "bin" / "vast"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._program.parent.mkdir(parents=True, exist_ok=True)
        command = ["pkg-config", "--cflags", "--libs", "libjpeg", "libpng"]
        flags = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["cc", "-O2", HERE / "vast.c", "-o", self._program, *flags], check=True)

    def photos(self, count: int) -> list[Path]:
        return [self._made("jpeg", PHOTO, seed) for seed in range(1, count + 1)]

    def giant(self, format: str) -> Path:
        return self._made(format, (SIDE, SIDE), 1, ("smooth",))

    def _made(self, format: str, size: tuple[int, int], seed: int, words: tuple[str, ...] = ()) -> Path:
        path = self._folder / f"{size[0]}x{size[1]}-{'-'.join([str(seed), *words])}.{'jpg' if format == 'jpeg' else format}"
        if not path.exists():
            staging = path.with_suffix(".part")
            subprocess.run([self._program, format, *map(str, size), str(seed), staging, *words], check=True)
            staging.rename(path)
        return path
