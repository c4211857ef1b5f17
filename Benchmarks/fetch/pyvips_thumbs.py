"""Thumbnails by pyvips on two threads, written by line number.

  pyvips_thumbs.py LIST OUTPUT_FOLDER BOX QUALITY [thumbnail|sharp]
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips  # noqa: E402

# Eighths of the size to which libjpeg can reduce, as divisors; sharp takes the largest that leaves the target's size.
SHRINKS = (8, 4, 2)


def thumbnail(data: bytes, box: int) -> "pyvips.Image":
    return pyvips.Image.thumbnail_buffer(data, box, height=box, size="down", option_string="[fail_on=truncated]")


def sharp(data: bytes, box: int) -> "pyvips.Image":
    """Shrinks on load and resizes what is left, as sharp does for a plain `resize`."""
    image = pyvips.Image.new_from_buffer(data, "", access="sequential")
    factor = max(image.width, image.height) / box
    if factor <= 1:
        return image.autorot()
    target = [max(1, round(side / factor)) for side in (image.width, image.height)]
    loader, shrink = image.get("vips-loader"), next((one for one in SHRINKS if one <= factor), 1)
    if loader == "jpegload_buffer" and shrink > 1:
        image = pyvips.Image.new_from_buffer(data, "", shrink=shrink, access="sequential")
    elif loader == "webpload_buffer":
        image = pyvips.Image.new_from_buffer(data, "", scale=1 / factor, access="sequential")
    return resized(image, target[0] / image.width, target[1] / image.height).autorot()


def resized(image: "pyvips.Image", across: float, down: float) -> "pyvips.Image":
    if not image.hasalpha():
        return image.resize(across, vscale=down, kernel="lanczos3")
    return image.premultiply().resize(across, vscale=down, kernel="lanczos3").unpremultiply().cast("uchar")


def encoded(image: "pyvips.Image", quality: int) -> bytes:
    return image.jpegsave_buffer(Q=quality, strip=True, background=[255, 255, 255])


def main():
    paths, folder = Path(sys.argv[1]).read_text().splitlines(), Path(sys.argv[2])
    box, quality, make = int(sys.argv[3]), int(sys.argv[4]), sharp if sys.argv[5:] == ["sharp"] else thumbnail
    pyvips.cache_set_max(0)

    def work(job: tuple[int, str]):
        index, path = job
        (folder / f"{index:09}.jpg").write_bytes(encoded(make(Path(path).read_bytes(), box), quality))

    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(work, enumerate(paths)):
            pass


if __name__ == "__main__":
    main()
