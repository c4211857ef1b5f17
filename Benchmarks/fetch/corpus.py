"""Makes the benchmark's pictures from the photographs of Debian wallpaper packages.

web/     2,400 distinct web-sized pictures: 2,000 JPEG (a fifth progressive, 16 % 4:4:4, 2 % grey, a third with an ICC
         profile, half with EXIF, 13 % turned by EXIF), 200 PNG (some palette, some alpha), 200 WebP; 0.5-4 megapixels.
photos/  the large photographs themselves (JPEG, 4 megapixels and more).

Every picture follows from the seed and its index, so two machines with the same packages and the same Pillow make the
same bytes. An interrupted run goes on where it stopped.
"""

import hashlib
import io
import json
import math
import multiprocessing
import os
import random
import shutil
import sys
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from PIL import Image, ImageCms

from support import packages

SEED = 1839  # the year of the first photograph processes
# Part of the folder's name: change it when a change here makes other pictures.
VERSION = 1
JPEG_COUNT, PNG_COUNT, WEBP_COUNT = 2000, 200, 200
PACKAGES = [
    "mate-backgrounds",
    "plasma-workspace-wallpapers",
    "ukui-wallpapers",
    "lomiri-wallpapers-16.04",
    "lomiri-wallpapers-20.04",
]
SMALLEST_SOURCE_PIXELS = 1_900_000
# Bits per pixel of the source, brought to 1,024 pixels, as JPEG: flat artwork compresses to nothing, and would make the
# decoder's work lighter than that of the photographs that lists of URLs hold.
LEAST_DETAIL = 0.7
PHOTO_PIXELS = 4_000_000
ASPECTS = [(3, 2), (3, 2), (4, 3), (4, 3), (16, 9), (1, 1), (4, 5), (2, 3), (3, 4), (9, 16)]
# How pixels are laid down so that the EXIF orientation (key) turns them upright again.
LAY_DOWN = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


@dataclass(frozen=True)
class Recipe:
    """All that decides one picture; `width` and `height` are those of the upright picture."""

    name: str
    source: str
    format: str
    box: tuple[int, int, int, int]
    width: int
    height: int
    quality: int
    mode: str
    progressive: bool = False
    full_chroma: bool = False
    profile: int = -1
    exif: bool = False
    orientation: int = 1


class Sources:
    """The photographs to cut from: those that are large enough, the largest of each set of equal motifs."""

    def __init__(self, folders: dict[str, Path]):
        self.sizes: dict[Path, tuple[int, int]] = {}
        self.profiles: list[bytes] = [srgb_profile()]
        largest: dict[Path | str, tuple[int, Path]] = {}
        for folder in folders.values():
            for path in packages.pictures(folder):
                with Image.open(path) as image:
                    pixels = image.width * image.height
                    if pixels < SMALLEST_SOURCE_PIXELS or image.format not in ("JPEG", "PNG"):
                        continue
                    self._collect_profile(image)
                    self.sizes[path] = image.size
                # Packages ship one motif at several sizes: `5120x2880.jpg` in one folder, or `Name_3840x2160.jpg`.
                motif = path.parent if path.stem[0].isdigit() else path.parent / path.stem.split("_")[0]
                motif = path if "_by_" in path.name else motif
                largest[motif] = max(largest.get(motif, (0, path)), (pixels, path))
        self.paths = sorted(path for _, path in largest.values() if detail(path) >= LEAST_DETAIL)
        self.photographs = [path for path in self.paths if path.suffix.lower() in (".jpg", ".jpeg")]

    def _collect_profile(self, image: Image.Image):
        profile = image.info.get("icc_profile")
        if profile and profile[16:20] == b"RGB " and len(profile) < 10_000 and profile not in self.profiles:
            self.profiles.append(profile)


def detail(path: Path) -> float:
    """Returns how many bits a pixel of the picture takes as a JPEG of at most 1,024 pixels a side."""
    with Image.open(path) as image:
        image.draft("RGB", (1024, 1024))
        small = image.convert("RGB")
    small.thumbnail((1024, 1024), Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=85)
    return len(out.getvalue()) * 8 / (small.width * small.height)


def srgb_profile() -> bytes:
    """Returns an sRGB profile with a fixed date, which LittleCMS would take from the clock."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile[24:36] = bytes.fromhex("07E8 0001 0001 0000 0000 0000")
    return bytes(profile)


def plan(sources: Sources, root: Path) -> list[Recipe]:
    """Returns the recipes in index order, formats mixed."""
    rng = random.Random(SEED)
    formats = ["JPEG"] * JPEG_COUNT + ["PNG"] * PNG_COUNT + ["WEBP"] * WEBP_COUNT
    rng.shuffle(formats)
    return [recipe(index, format, sources, root, rng) for index, format in enumerate(formats)]


def recipe(index: int, format: str, sources: Sources, root: Path, rng: random.Random) -> Recipe:
    # JPEG and WebP are photographs on the web, PNGs are often drawings.
    source = rng.choice(sources.paths if format == "PNG" else sources.photographs)
    box, (width, height) = cut(sources.sizes[source], 0.89 if format == "PNG" else 1.42, rng)
    suffix = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}[format]
    common = dict(
        name=f"{index:04}.{suffix}",
        source=str(source.relative_to(root)),
        format=format,
        box=box,
        width=width,
        height=height,
    )
    if format == "PNG":
        mode = rng.choices(["RGB", "P", "RGBA", "L"], [50, 25, 20, 5])[0]
        return Recipe(**common, quality=0, mode=mode)
    if format == "WEBP":
        return Recipe(**common, quality=rng.randint(75, 90), mode="RGBA" if rng.random() < 0.05 else "RGB")
    grey = rng.random() < 0.02
    exif = rng.random() < 0.5
    return Recipe(
        **common,
        quality=rng.randint(85, 92),
        mode="L" if grey else "RGB",
        progressive=rng.random() < 0.2,
        full_chroma=rng.random() < 0.16,
        profile=-1 if grey or rng.random() > 0.34 else rng.randrange(len(sources.profiles)),
        exif=exif,
        orientation=turn(rng) if exif and rng.random() < 0.26 else 1,  # 26 % of the half with EXIF: 13 % of all
    )


def turn(rng: random.Random) -> int:
    """Returns an EXIF orientation other than upright; cameras mostly write 6, 8 and 3."""
    return rng.choices([6, 8, 3, 2, 4, 5, 7], [60, 20, 12, 2, 2, 2, 2])[0]


def cut(size: tuple[int, int], median_megapixels: float, rng: random.Random):
    """Returns a crop box and the size it is brought to; never enlarged."""
    megapixels = 0.0
    while not 0.5 <= megapixels <= 4.0:
        megapixels = rng.lognormvariate(math.log(median_megapixels), 0.46)
    across, down = rng.choice(ASPECTS)
    full_width = min(size[0], size[1] * across / down)
    full_height = full_width * down / across
    smallest_zoom = min(1.0, math.sqrt(megapixels * 1e6 / (full_width * full_height)))
    zoom = rng.uniform(smallest_zoom, 1.0)
    box_width, box_height = int(full_width * zoom), int(full_height * zoom)
    left, top = rng.randint(0, size[0] - box_width), rng.randint(0, size[1] - box_height)
    scale = min(1.0, math.sqrt(megapixels * 1e6 / (box_width * box_height)))
    target = (round(box_width * scale), round(box_height * scale))
    return (left, top, left + box_width, top + box_height), target


def cook(image: Image.Image, recipe: Recipe, profiles: list[bytes]) -> bytes:
    """Returns the encoded picture."""
    rng = random.Random(f"{SEED}/{recipe.name}")
    picture = image.resize((recipe.width, recipe.height), Image.Resampling.LANCZOS, recipe.box, reducing_gap=3.0)
    if recipe.mode == "P":
        picture = picture.quantize(256, dither=Image.Dither.FLOYDSTEINBERG)
    elif recipe.mode == "RGBA":
        picture.putalpha(Image.radial_gradient("L").resize(picture.size).point(lambda value: 255 - value))
    elif recipe.mode == "L":
        picture = picture.convert("L")
    if recipe.orientation != 1:
        picture = picture.transpose(LAY_DOWN[recipe.orientation])
    out = io.BytesIO()
    picture.save(out, recipe.format, **save_options(recipe, profiles, rng))
    return out.getvalue()


def save_options(recipe: Recipe, profiles: list[bytes], rng: random.Random) -> dict:
    if recipe.format == "PNG":
        return {"compress_level": 6}
    if recipe.format == "WEBP":
        return {"quality": recipe.quality, "method": 2}
    options = {"quality": recipe.quality, "progressive": recipe.progressive, "optimize": recipe.progressive}
    if recipe.mode == "RGB":
        options["subsampling"] = 0 if recipe.full_chroma else 2
    if recipe.profile >= 0:
        options["icc_profile"] = profiles[recipe.profile]
    if recipe.exif:
        options["exif"] = exif_block(recipe.orientation, rng)
    return options


def exif_block(orientation: int, rng: random.Random) -> bytes:
    """Returns a camera's EXIF block: maker, model, orientation, date, and a maker note of a few kilobytes."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0112] = "Calotype", "Benchmark", orientation
    exif[0x8769] = {0x9003: "2024:06:01 12:00:00", 0x927C: rng.randbytes(rng.randrange(500, 8000))}
    return exif.tobytes()


# What a worker process needs and does not change; set once before the workers are forked.
_shared: dict = {}


def cook_group(group: tuple[str, list[Recipe]]) -> int:
    """Makes the pictures that are cut from one source; decodes it once."""
    source, recipes = group
    with Image.open(_shared["root"] / source) as opened:
        image = opened.convert("RGB")
    for entry in recipes:
        target = _shared["folder"] / entry.name
        staging = target.with_suffix(".part")
        staging.write_bytes(cook(image, entry, _shared["profiles"]))
        staging.rename(target)
    return len(recipes)


def make_web(sources: Sources, root: Path, folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    recipes = plan(sources, root)
    missing = defaultdict(list)
    for entry in recipes:
        if not (folder / entry.name).exists():
            missing[entry.source].append(entry)
    todo = sum(map(len, missing.values()))
    say(f"{len(recipes) - todo} of {len(recipes)} web pictures are there, {todo} to make from {len(missing)} photographs")
    _shared.update(root=root, folder=folder, profiles=sources.profiles)
    # Small groups keep both cores busy to the end and lose little when interrupted.
    groups = [(source, part[at : at + 12]) for source, part in missing.items() for at in range(0, len(part), 12)]
    started, done = time.monotonic(), 0
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for count in pool.imap_unordered(cook_group, groups):
            done += count
            say(f"{done}/{todo} made, {done / (time.monotonic() - started):.1f}/s", again=True)
    write_manifest(folder, recipes)


def write_manifest(folder: Path, recipes: list[Recipe]):
    """Writes what each picture is; refuses a corpus in which two are equal."""
    entries = []
    for entry in recipes:
        data = (folder / entry.name).read_bytes()
        entries.append(asdict(entry) | {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    twins = [digest for digest, count in Counter(entry["sha256"] for entry in entries).items() if count > 1]
    if twins:
        raise SystemExit(f"corpus: {len(twins)} pictures are there twice; the seed is no good")
    staging = folder / "manifest.part"
    staging.write_text(json.dumps(entries, indent=0))
    staging.rename(folder / "manifest.json")


def make_photos(sources: Sources, root: Path, folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources.photographs:
        width, height = sources.sizes[source]
        target = folder / ("-".join(source.relative_to(root).parts[-4:])).replace(" ", "_")
        if width * height >= PHOTO_PIXELS and not target.exists():
            shutil.copyfile(source, target)


def ensure(data: Path) -> Path:
    """Returns the folder of the web pictures, which it makes where they are missing."""
    folder = data / f"web-{VERSION}"
    if (folder / "manifest.json").exists():
        return folder
    root = data / "packages"
    say("getting about 190 MB of wallpaper packages from the Debian mirror, once")
    sources = Sources(packages.available(PACKAGES, root))
    say(f"cutting from {len(sources.paths)} pictures, of which {len(sources.photographs)} are photographs")
    make_photos(sources, root, data / f"photos-{VERSION}")
    make_web(sources, root, folder)
    say(summary(folder))
    return folder


def entries(folder: Path) -> list[dict]:
    """Returns the manifest in index order."""
    return json.loads((folder / "manifest.json").read_text())


def summary(folder: Path) -> str:
    listed = entries(folder)
    lines = [f"{len(listed)} pictures, {sum(entry['bytes'] for entry in listed) / 1e6:.0f} MB"]
    for format in ("JPEG", "PNG", "WEBP"):
        part = [entry for entry in listed if entry["format"] == format]
        pixels = sorted(entry["width"] * entry["height"] / 1e6 for entry in part)
        sizes = sorted(entry["bytes"] / 1e3 for entry in part)
        share = lambda test: f"{100 * sum(map(test, part)) / len(part):.0f} %"
        lines.append(
            f"  {format}: {len(part)}, MP p5/50/95 {quantiles(pixels, 2)}, kB p5/50/95 {quantiles(sizes, 0)}, "
            f"progressive {share(lambda e: e['progressive'])}, 4:4:4 {share(lambda e: e['full_chroma'])}, "
            f"grey {share(lambda e: e['mode'] == 'L')}, ICC {share(lambda e: e['profile'] >= 0)}, "
            f"EXIF {share(lambda e: e['exif'])}, turned {share(lambda e: e['orientation'] != 1)}, "
            f"palette {share(lambda e: e['mode'] == 'P')}, alpha {share(lambda e: e['mode'] == 'RGBA')}"
        )
    return "\n".join(lines)


def quantiles(values: list[float], digits: int) -> str:
    return "/".join(f"{values[int(len(values) * part)]:.{digits}f}" for part in (0.05, 0.5, 0.95))


def say(text: str, again: bool = False):
    redraw = again and sys.stderr.isatty()
    if not again or redraw:
        print(f"corpus: {text}", end="\r" if redraw else "\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit("run script/bench fetch corpus")
