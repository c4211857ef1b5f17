"""Thumbnails by Pillow as thumbor makes them: `draft` lets libjpeg leave out what is not needed, Lanczos-3 does the rest.

  pillow_thumbs.py LIST OUTPUT_FOLDER [BOX [QUALITY [PROCESSES]]]
"""

import io
import sys
from multiprocessing import get_context
from pathlib import Path

from PIL import Image, ImageOps

# Pictures of our own making and of Debian's.
Image.MAX_IMAGE_PIXELS = None


def thumbnail(opened: Image.Image, box: int) -> Image.Image:
    """Returns the picture within a square box, upright, never enlarged, its alpha kept."""
    scale = min(1, box / max(opened.size))
    small = tuple(max(1, round(side * scale)) for side in opened.size)
    opened.draft(None, small)
    if opened.mode in ("P", "PA") or "transparency" in opened.info:
        has_alpha = opened.mode == "PA" or "transparency" in opened.info
        opened = opened.convert("RGBA" if has_alpha else "RGB")
    elif opened.mode in ("1", "I;16", "I"):
        opened = opened.convert("L")
    return ImageOps.exif_transpose(opened.resize(small, Image.Resampling.LANCZOS))


def on_white(picture: Image.Image) -> Image.Image:
    if "A" not in picture.getbands():
        return picture
    layer = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def make(job: tuple[str, Path, int, int]):
    path, target, box, quality = job
    with Image.open(io.BytesIO(Path(path).read_bytes())) as opened:
        on_white(thumbnail(opened, box)).save(target, "JPEG", quality=quality)


def main():
    folder = Path(sys.argv[2])
    box, quality, processes = (int(word) for word in (sys.argv[3:] + ["256", "85", "2"][len(sys.argv) - 3 :])[:3])
    paths = Path(sys.argv[1]).read_text().splitlines()
    jobs = [(path, folder / f"{index:09}.jpg", box, quality) for index, path in enumerate(paths)]
    if processes == 1:
        for job in jobs:
            make(job)
        return
    with get_context("fork").Pool(processes) as pool:
        for _ in pool.imap_unordered(make, jobs, chunksize=8):
            pass


if __name__ == "__main__":
    main()
