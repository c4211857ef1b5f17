"""The pictures that quality is judged on: photographs, text on screens, line art; all from Debian packages.

photo   the large photographs of the wallpaper packages, and web-sized cuts of them as JPEG, WebP and PNG
text    screenshots of the GIMP manual (the largest), and pages of text that we draw at several sizes
line    drawings of the Open Clip Art library with 1,100 to 4,000 pixels a side, most of them with alpha
"""

import json
import random
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import corpus
from support import packages

SEED = 1888
# Part of the list's name: change it when a change here makes other pictures.
VERSION = 1
WEB_PHOTOS = {"JPEG": 56, "WEBP": 14, "PNG": 10}
SCREENSHOTS, PAGES, DRAWINGS = 24, 12, 40
LINE_SIDES = range(1100, 4001)
PAGE_SIZES = [(1920, 1200), (1366, 768), (2560, 1440), (1600, 2200)]
WORDS = (
    "a light sensitive paper was washed with gallic acid and silver nitrate then put into the camera while still damp "
    "the latent picture came out slowly as it was washed again and warmed before a fire until its blacks were deep"
).split()


@dataclass(frozen=True)
class Picture:
    kind: str
    path: str

    @property
    def name(self) -> str:
        return "/".join(Path(self.path).parts[-2:])

    @property
    def source(self) -> str:
        return {".jpg": "JPEG", ".jpeg": "JPEG", ".png": "PNG", ".webp": "WebP"}[Path(self.path).suffix.lower()]


def ensure(data: Path) -> list[Picture]:
    """Returns the pictures, kind by kind; fetches and draws them where they are missing."""
    listed = data / f"quality-{VERSION}" / "pictures.json"
    if listed.exists():
        found = [Picture(**entry) for entry in json.loads(listed.read_text())]
        if all(Path(picture.path).exists() for picture in found):
            return found
    web = corpus.ensure(data)
    print("quality: getting about 180 MB of packages with screenshots and drawings, once", file=sys.stderr)
    extra = packages.available(["gimp-help-en", "openclipart-png", "fonts-dejavu-core"], data / "packages")
    found = photographs(data, web) + text(extra, listed.parent) + line_art(extra)
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(json.dumps([asdict(picture) for picture in found], indent=0))
    return found


def photographs(data: Path, web: Path) -> list[Picture]:
    found = [path for path in sorted((data / f"photos-{corpus.VERSION}").iterdir()) if has_plain_colours(path)]
    entries = corpus.entries(web)
    rng = random.Random(SEED)
    for format, count in WEB_PHOTOS.items():
        # The profile with number 0 is sRGB. A PNG with alpha or a palette is no photograph any more.
        suited = [
            entry
            for entry in entries
            if entry["format"] == format and entry["mode"] in ("RGB", "L") and entry["profile"] <= 0
            and Path(entry["source"]).suffix.lower() in (".jpg", ".jpeg")
        ]  # fmt: skip
        found += [web / entry["name"] for entry in sorted(rng.sample(suited, count), key=lambda entry: entry["name"])]
    return [Picture("photo", str(path)) for path in found]


def has_plain_colours(path: Path) -> bool:
    """Returns whether the picture is in sRGB: other colours would test colour management, and not the scaler."""
    with Image.open(path) as opened:
        profile = opened.info.get("icc_profile")
        if opened.mode not in ("RGB", "L"):
            return False
    return not profile or b"sRGB" in profile[:4096].replace(b"\0", b"")


def text(extra: dict[str, Path], folder: Path) -> list[Picture]:
    sized = []
    for path in packages.pictures(extra["gimp-help-en"]) if "gimp-help-en" in extra else []:
        with Image.open(path) as opened:
            sized.append((-opened.width * opened.height, path))
    found = [path for _, path in sorted(sized)[:SCREENSHOTS]]
    if "fonts-dejavu-core" in extra:
        fonts = sorted(extra["fonts-dejavu-core"].rglob("*.ttf"))
        found += [page(number, fonts, folder) for number in range(PAGES)]
    return [Picture("text", str(path)) for path in found]


def page(number: int, fonts: list[Path], folder: Path) -> Path:
    """Draws a page of text as it is on screens, on light or dark ground; every third is kept as a JPEG, q90."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"page-{number:02}.{'jpg' if number % 3 == 2 else 'png'}"
    drawn_page(number, fonts, PAGE_SIZES[number % len(PAGE_SIZES)]).save(path, quality=90, subsampling=0)
    return path


def drawn_page(number: int, fonts: list[Path], size: tuple[int, int], zoom: float = 1) -> Image.Image:
    rng = random.Random(f"{SEED}/{number}")
    width, height = size
    ink, ground = ("#1b1b1b", "#fdfdfd") if number % 2 == 0 else ("#d8dee9", "#1d2430")
    picture = Image.new("RGB", (width, height), ground)
    draw = ImageDraw.Draw(picture)
    top = 24
    while top < height - 40:
        points = round(zoom * rng.choice([12, 13, 14, 16, 16, 20, 28]))
        font = ImageFont.truetype(str(rng.choice(fonts)), points)
        colour = rng.choice([ink, ink, ink, "#3a6ea5", "#b03a2e"])
        line = " ".join(rng.choice(WORDS) for _ in range(width // (4 * points)))
        draw.text((24, top), line, font=font, fill=colour)
        if rng.random() < 0.1:
            draw.rectangle((20, top - 4, width - 20, top + points + 8), outline=ink)
        top += int(points * 1.5)
    return picture


def line_art(extra: dict[str, Path]) -> list[Picture]:
    return [Picture("line", str(path)) for path in drawings(extra, LINE_SIDES, DRAWINGS)]


def drawings(extra: dict[str, Path], sides: range, count: int) -> list[Path]:
    """Returns so many drawings of which the longer side is in `sides`."""
    suited = []
    for path in packages.pictures(extra["openclipart-png"]) if "openclipart-png" in extra else []:
        try:
            with Image.open(path) as opened:
                if max(opened.size) in sides and min(opened.size) > 300 and "icc_profile" not in opened.info:
                    suited.append(path)
        except (OSError, Image.DecompressionBombError):
            continue  # one of them says that it has 623 megapixels
    return sorted(random.Random(SEED).sample(suited, min(count, len(suited))))
