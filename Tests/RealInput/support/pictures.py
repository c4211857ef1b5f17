"""Judges thumbnails with Pillow, which shares no code with libvips' loaders above the codec libraries."""

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat

# Trusted files of Debian packages: no limit of Pillow's own.
Image.MAX_IMAGE_PIXELS = None
# Mean absolute difference per channel, of 255, in the worst quarter. Compared at a small size, where resamplers and
# JPEG agree whatever the detail; a grey quarter or a picture on its side does not agree.
MOST_DIFFERENCE = 4.0
COMPARED_SIDE = 32
# The reference is kept at this size and brought down from there: a picture is decoded in full only once.
REFERENCE_SIDE = 1024


@dataclass(frozen=True)
class Wanted:
    """What a picture must become: `fit` or `fill` into a box, in a format by Pillow's name."""

    mode: str
    box: tuple[int, int]
    format: str


@dataclass
class Reference:
    """The source as it should be seen: upright, sRGB, on white; with its true size."""

    size: tuple[int, int]
    small: Image.Image


def reference(path: Path) -> Reference:
    with Image.open(path) as opened:
        turned_size = ImageOps.exif_transpose(opened).size if opened.format != "JPEG" else upright_size(opened)
        # Scaled decoding of JPEG leaves at least twice what is asked for.
        opened.draft("RGB" if opened.mode == "RGB" else opened.mode, (REFERENCE_SIDE * 2, REFERENCE_SIDE * 2))
        picture = to_srgb(on_white(ImageOps.exif_transpose(opened)), opened.info.get("icc_profile"))
    picture.thumbnail((REFERENCE_SIDE, REFERENCE_SIDE), Image.Resampling.LANCZOS, reducing_gap=4.0)
    return Reference(turned_size, picture)


def upright_size(opened: Image.Image) -> tuple[int, int]:
    width, height = opened.size
    return (height, width) if opened.getexif().get(0x0112, 1) in (5, 6, 7, 8) else (width, height)


def on_white(picture: Image.Image) -> Image.Image:
    if "A" not in picture.getbands() and "transparency" not in picture.info:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def to_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    if not profile or profile[16:20] != b"RGB ":
        return picture
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    return ImageCms.profileToProfile(picture, source, ImageCms.createProfile("sRGB"), outputMode="RGB")


def wanted_size(size: tuple[int, int], mode: str, box: tuple[int, int]) -> tuple[int, int]:
    """Returns the size the picture must come out with; never enlarged."""
    width, height = size
    scales = box[0] / width, box[1] / height
    if mode == "fit":
        scale = min(1, *scales)
        return max(1, round(width * scale)), max(1, round(height * scale))
    if max(scales) <= 1:
        return box
    # Smaller than the box: it keeps its scale and is cut to the box's aspect ratio.
    return min(width, round(height * box[0] / box[1])), min(height, round(width * box[1] / box[0]))


def has_size(actual: tuple[int, int], wanted: tuple[int, int]) -> bool:
    return abs(actual[0] - wanted[0]) <= 1 and abs(actual[1] - wanted[1]) <= 1


def objection(path: Path, source: Reference, wanted: Wanted) -> str | None:
    """Returns what is wrong with the thumbnail, or None."""
    try:
        with Image.open(path) as opened:
            opened.load()
            if opened.format != wanted.format:
                return f"is {opened.format}, not {wanted.format}"
            if opened.getexif().get(0x0112, 1) != 1:
                return "still carries an EXIF orientation"
            picture = on_white(opened)
    except (OSError, SyntaxError) as error:
        return f"cannot be read: {error}"
    size = wanted_size(source.size, wanted.mode, wanted.box)
    if not has_size(picture.size, size):
        return f"is {picture.size[0]}x{picture.size[1]}, not {size[0]}x{size[1]}"
    difference = worst_quarter(picture, expected(source, wanted, picture.size))
    return None if difference <= MOST_DIFFERENCE else f"looks different: {difference:.1f} of 255 in a quarter"


def expected(source: Reference, wanted: Wanted, size: tuple[int, int]) -> Image.Image:
    if wanted.mode == "fit":
        return source.small.resize(size, Image.Resampling.LANCZOS)
    return ImageOps.fit(source.small, size, Image.Resampling.LANCZOS)


def worst_quarter(one: Image.Image, other: Image.Image) -> float:
    """Returns the mean absolute difference of the quarter in which the two differ most."""
    small = [picture.resize((COMPARED_SIDE, COMPARED_SIDE), Image.Resampling.BOX) for picture in (one, other)]
    difference = ImageChops.difference(*small)
    halves = [(0, COMPARED_SIDE // 2), (COMPARED_SIDE // 2, COMPARED_SIDE)]
    quarters = [difference.crop((left, top, right, bottom)) for left, right in halves for top, bottom in halves]
    return max(sum(ImageStat.Stat(quarter).mean) / 3 for quarter in quarters)
