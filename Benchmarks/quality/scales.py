"""`script/bench quality scales`: what each of libjpeg's scales costs and loses, with the settings of programs as points.

Photographs, pages of text and drawings of 1.4, 2.7 and 11 megapixels, as JPEGs of quality 90, become thumbnails within 256 and
640 pixels. libjpeg decodes at M/8 for each M that leaves at least the thumbnail's size, and Lanczos-3 does the rest. The
reference is the full decode, scaled by Lanczos-3 in linear light and floating point. SSIMULACRA2 compares the pixels before they
are encoded; CPU is that of decode, scaling and encoding as a JPEG on one thread.

Writes docs/scales.svg, and the tables to Benchmarks/.data/results. Needs the Python of `script/bootstrap --bench`.
"""

import argparse
import io
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

os.environ["VIPS_CONCURRENCY"] = "1"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
# Nothing but the data folder is written to.
sys.dont_write_bytecode = True
sys.path[1:1] = [str(ROOT / "Benchmarks" / "fetch"), str(ROOT / "Tests" / "RealInput")]

import numpy  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402
from ssimulacra2 import compute_ssimulacra2  # noqa: E402

import corpus  # noqa: E402
import pictures  # noqa: E402
import pillow_thumbs  # noqa: E402
import plot  # noqa: E402
import pyvips_thumbs  # noqa: E402
from support import packages  # noqa: E402

Image.MAX_IMAGE_PIXELS = None
KINDS, SIZES, BOXES = ["photo", "text", "drawing"], {1.4: (1448, 966), 2.7: (2012, 1342), 11.0: (4062, 2708)}, [256, 640]
EFFORTS = ["fast", "balanced", "best"]
TIMES = 3
VERSION = 1


def make_all(data: Path, count: int) -> dict[tuple[str, float], list[Path]]:
    folder = data / f"scales-{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    corpus.ensure(data)
    extra = packages.available(["openclipart-png", "fonts-dejavu-core"], data / "packages")
    fonts = sorted(extra["fonts-dejavu-core"].rglob("*.ttf"))
    large = [path for path in sorted((data / f"photos-{corpus.VERSION}").iterdir()) if covers(path, SIZES[11.0])]
    drawn = pictures.drawings(extra, range(2200, 4001), count)
    made = {}
    for megapixels, size in SIZES.items():
        for kind in KINDS:
            made[kind, megapixels] = paths = [folder / f"{kind}-{megapixels}-{number}.jpg" for number in range(count)]
            for number, path in enumerate(paths):
                if path.exists():
                    continue
                if kind == "text":
                    picture = pictures.drawn_page(number, fonts, size, size[0] / SIZES[1.4][0])
                else:
                    sources = large if kind == "photo" else drawn
                    picture = cut(pillow_thumbs.on_white(opened(sources[number * len(sources) // count])), size)
                picture.save(path, quality=90)
    return made


def opened(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")


def covers(path: Path, size: tuple[int, int]) -> bool:
    with Image.open(path) as image:
        return image.width >= size[0] and image.height >= size[1] and image.mode == "RGB"


def cut(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The middle of the picture with these sides' ratio, brought to this size."""
    width = min(image.width, image.height * size[0] / size[1])
    height = width * size[1] / size[0]
    left, top = (image.width - width) / 2, (image.height - height) / 2
    return image.resize(size, Image.Resampling.LANCZOS, (left, top, left + width, top + height))


def reference(path: Path, size: tuple[int, int]) -> io.BytesIO:
    """The whole picture scaled in linear light."""
    with Image.open(path) as image:
        samples = numpy.asarray(image.convert("RGB"), dtype=numpy.float32) / 255
    linear = numpy.where(samples <= 0.04045, samples / 12.92, ((samples + 0.055) / 1.055) ** 2.4).astype(numpy.float32)
    planes = [Image.fromarray(numpy.ascontiguousarray(linear[:, :, band])) for band in range(3)]
    scaled = numpy.stack([numpy.asarray(plane.resize(size, Image.Resampling.LANCZOS)) for plane in planes], axis=2).clip(0, 1)
    coded = numpy.where(scaled <= 0.0031308, scaled * 12.92, 1.055 * scaled ** (1 / 2.4) - 0.055)
    return stored(Image.fromarray((coded * 255 + 0.5).astype(numpy.uint8)))


def stored(image: Image.Image) -> io.BytesIO:
    held = io.BytesIO()
    image.save(held, "PNG", compress_level=1)
    return held


def target_of(size: tuple[int, int], box: int) -> tuple[int, int]:
    return tuple(round(side * box / max(size)) for side in size)


class Scale:
    """libjpeg at M/8, then Lanczos-3."""

    def __init__(self, eighths: int):
        self.name, self.eighths = f"{eighths}/8", eighths

    def suits(self, size: tuple[int, int], box: int) -> bool:
        return all(-(-side * self.eighths // 8) >= wanted for side, wanted in zip(size, target_of(size, box)))

    def make(self, path: Path, box: int) -> tuple[Image.Image, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["djpeg", "-scale", f"{self.eighths}/8", "-pnm", path], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        decoded = Image.open(io.BytesIO(done.stdout))
        decoded.load()
        with Image.open(path) as image:
            target = target_of(image.size, box)
        started = time.process_time()
        small = decoded.resize(target, Image.Resampling.LANCZOS)
        small.save(io.BytesIO(), "JPEG", quality=85)
        return small, cpu + time.process_time() - started


class PillowDraft:
    name = "Pillow draft"

    def make(self, path: Path, box: int) -> tuple[Image.Image, float]:
        started = time.process_time()
        with Image.open(path) as image:
            small = pillow_thumbs.thumbnail(image, box)
        small.save(io.BytesIO(), "JPEG", quality=85)
        return small, time.process_time() - started


class PyVips:
    def __init__(self, name: str, way):
        self.name, self.way = name, way

    def make(self, path: Path, box: int) -> tuple[Image.Image, float]:
        started = time.process_time()
        data = path.read_bytes()
        pyvips_thumbs.encoded(self.way(data, box), 85)
        cpu = time.process_time() - started
        small = self.way(data, box)
        return Image.open(io.BytesIO(small.pngsave_buffer(compression=1, strip=True))).convert("RGB"), cpu


class Ours:
    def __init__(self, program: Path, effort: str, folder: Path):
        self.name, self.program, self.effort, self.folder = f"ours {effort}", program, effort, folder

    def make(self, path: Path, box: int) -> tuple[Image.Image, float]:
        self.run([path], box, "png", self.folder)
        with Image.open(self.folder / "000000000.png") as image:
            small = image.convert("RGB")
        return small, self.run([path] * 4, box, "jpeg", "-") / 4

    def run(self, paths: list[Path], box: int, format: str, output) -> float:
        listed = self.folder / "paths.txt"
        listed.write_text("".join(f"{path}\n" for path in paths))
        command = [self.program, listed, output, "--sizes", box, "--formats", format, "--effort", self.effort, "--threads", 1]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])["cpu"]


def judge(paths: list[Path], box: int, contestants: list, size: tuple[int, int]) -> dict[str, dict[str, float]]:
    """The mean score and the CPU time (ms) of each contestant over these pictures."""
    suited = [one for one in contestants if not isinstance(one, Scale) or one.suits(size, box)]
    scores, costs = {one.name: [] for one in suited}, {one.name: [] for one in suited}
    for path in paths:
        wanted = reference(path, target_of(size, box))
        for one in suited:
            small, cpu = one.make(path, box)
            scores[one.name].append(compute_ssimulacra2(wanted, stored(small)))
            # Again, in turn with the others, so that what else the machine does falls on all.
            costs[one.name].append([cpu])
        for _ in range(TIMES - 1):
            for one in suited:
                costs[one.name][-1].append(one.make(path, box)[1])
    return {
        one.name: {
            "score": statistics.fmean(scores[one.name]),
            "worst": min(scores[one.name]),
            "ms": 1000 * statistics.fmean(min(times) for times in costs[one.name]),
        }
        for one in suited
    }


def table(rows: list[dict], box: int, names: list[str]) -> str:
    columns = [row for row in rows if row["box"] == box]
    lines = [
        f"| within {box} px | " + " | ".join(f"{row['kind']}, {row['megapixels']} MP" for row in columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for name in names:
        values = [row["seen"].get(name) for row in columns]
        if any(values):
            lines.append(f"| {name} | " + " | ".join(f"{one['score']:.1f}, {one['ms']:.1f} ms" if one else "" for one in values) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="script/bench quality scales", description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=4, help="pictures of each kind and size, 4 by default")
    options = parser.parse_args()
    data = ROOT / "Benchmarks" / ".data"
    work = data / "runs" / "scales"
    work.mkdir(parents=True, exist_ok=True)
    contestants = [Scale(eighths) for eighths in range(1, 9)] + [Ours(options.program, effort, work) for effort in EFFORTS]
    contestants += [
        PillowDraft(),
        PyVips("libvips thumbnail", pyvips_thumbs.thumbnail),
        PyVips("libvips, sharp's way", pyvips_thumbs.sharp),
    ]
    rows = []
    for (kind, megapixels), paths in make_all(data, options.count).items():
        for box in BOXES:
            seen = judge(paths, box, contestants, SIZES[megapixels])
            rows.append({"kind": kind, "megapixels": megapixels, "box": box, "seen": seen})
            print(f"scales: {kind}, {megapixels} MP within {box} px is done", file=sys.stderr, flush=True)
    names = [one.name for one in contestants]
    text = "\n\n".join(["# scales", *(table(rows, box, names) for box in BOXES)]) + "\n"
    path = data / "results" / time.strftime("scales-%Y%m%d-%H%M%S")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(json.dumps(rows, indent=1))
    path.with_suffix(".md").write_text(text)
    (ROOT / "docs" / "scales.svg").write_text(plot.svg(rows, names))
    print(text)


if __name__ == "__main__":
    main()
