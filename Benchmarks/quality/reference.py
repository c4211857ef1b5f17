"""What a perfect scaler would give: Lanczos-3 of the whole picture, on white, in floating point, samples as coded."""

import hashlib
from pathlib import Path

import numpy
from PIL import Image, ImageOps

from figures import luma

Image.MAX_IMAGE_PIXELS = None


class Reference:
    """The references of one picture; they are kept in a folder, since they are the same in each run."""

    def __init__(self, path: Path, cache: Path):
        self._path, self._cache = path, cache
        self._key = hashlib.sha256(str(path).encode()).hexdigest()[:16]
        self._planes: list[Image.Image] | None = None

    def at(self, size: tuple[int, int]) -> numpy.ndarray:
        """Returns height x width x 3 samples of 0 to 255, not rounded."""
        kept = self._cache / f"{self._key}-{size[0]}x{size[1]}.npy"
        if kept.exists():
            return numpy.load(kept)
        planes = [plane.resize(size, Image.Resampling.LANCZOS) for plane in self._whole()]
        scaled = numpy.stack([numpy.asarray(plane) for plane in planes], axis=2).clip(0, 255)
        staging = kept.with_suffix(".part")
        with open(staging, "wb") as file:
            numpy.save(file, scaled)
        staging.rename(kept)
        return scaled

    def _whole(self) -> list[Image.Image]:
        if self._planes is None:
            samples = on_white(upright(self._path))
            self._planes = [Image.fromarray(numpy.ascontiguousarray(samples[:, :, band])) for band in range(3)]
        return self._planes


def upright(path: Path) -> Image.Image:
    with Image.open(path) as opened:
        return ImageOps.exif_transpose(opened)


def on_white(picture: Image.Image) -> numpy.ndarray:
    """Returns the picture as floating-point samples, transparency laid on white without rounding."""
    has_alpha = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    samples = numpy.asarray(picture.convert("RGBA" if has_alpha else "RGB"), dtype=numpy.float32)
    if not has_alpha:
        return samples
    alpha = samples[:, :, 3:] / 255
    return samples[:, :, :3] * alpha + 255 * (1 - alpha)


def compared(path: Path) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns the samples of a contestant's picture, and their luma."""
    with Image.open(path) as opened:
        samples = on_white(opened)
    return samples, luma(samples)
