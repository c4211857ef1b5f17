"""`script/bench quality`: how near thumbnails come to a perfect scaler's, ours beside those of libvips and Pillow.

Every contestant makes a JPEG (quality 85) and a PNG (the scaler alone) of each picture within a box of 64, 256, 512 and
1,024 pixels. They are compared with the picture decoded in full and scaled by Lanczos-3 in floating point, at exactly
the contestant's size. SSIM is that of the luma (blocks of 8 x 8; --gaussian: the window of 11 x 11 as well); PSNR that of
the luma, and of red, green and blue. Pictures that are not larger than the box are left out: nothing scales them.

Parts: 64, 256, 512, 1024. All are judged where none is named. `script/bench quality scales` is scales.py beside this file.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections import defaultdict
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing but the data folder is written to.
sys.dont_write_bytecode = True
# Both folders have a module `outputs`; this one is meant.
sys.path[1:1] = [str(ROOT / "Benchmarks" / "fetch"), str(ROOT / "Tests" / "RealInput")]
# Two processes do the work; threads of numpy would only get in their way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from PIL import Image  # noqa: E402

import figures  # noqa: E402
import pictures  # noqa: E402
import report  # noqa: E402
from contestants import Libvips, Ours, Pillow  # noqa: E402
from peers import LibvipsLimit  # noqa: E402
from reference import Reference, compared  # noqa: E402

SIZES = [64, 256, 512, 1024]
EFFORTS = ["fast", "balanced", "best"]


def judge(job: tuple[Path, Path, dict[str, dict[str, Path]], bool]) -> dict[str, dict[str, dict[str, float]]]:
    """Returns the figures of one picture: by contestant and kind of output."""
    path, cache, made, gaussian = job
    reference, seen = Reference(path, cache), {}
    for name, outputs in made.items():
        seen[name] = {}
        for kind, output in outputs.items():
            samples, plane = compared(output)
            wanted = reference.at((samples.shape[1], samples.shape[0]))
            wanted_plane = figures.luma(wanted)
            seen[name][kind] = {
                "ssim": figures.ssim_blocks(plane, wanted_plane),
                "psnr": figures.psnr(plane, wanted_plane),
                "psnr_rgb": figures.psnr(samples, wanted),
            }
            if gaussian:
                seen[name][kind]["ssim_gaussian"] = figures.ssim_gaussian(plane, wanted_plane)
    return seen


def scaled_ones(listed: list[pictures.Picture], size: int) -> list[pictures.Picture]:
    found = []
    for picture in listed:
        with Image.open(picture.path) as opened:
            # A side of less than a block has no SSIM.
            if max(opened.size) > size and min(opened.size) * size // max(opened.size) >= 2 * figures.BLOCK:
                found.append(picture)
    return found


def at_size(size: int, listed: list[pictures.Picture], contestants: list, data: Path, gaussian: bool) -> list[dict]:
    """Returns the figures of all pictures within a box."""
    suited = scaled_ones(listed, size)
    paths = [Path(picture.path) for picture in suited]
    work, cache = data / "runs" / f"quality-{size}", data / f"quality-{pictures.VERSION}" / "references"
    shutil.rmtree(work, ignore_errors=True)
    cache.mkdir(parents=True, exist_ok=True)
    made: list[dict[str, dict[str, Path]]] = [{} for _ in suited]
    for contestant in contestants:
        started, folder = time.monotonic(), work / contestant.name.replace(" ", "-")
        folder.mkdir(parents=True)
        for index, outputs in contestant.make(paths, size, folder).items():
            made[index][contestant.name] = outputs
        missing = sum(len(made[index][contestant.name]) < 2 for index in range(len(suited)))
        print(
            f"quality: {size} px: {contestant.name} made {len(suited) - missing} of {len(suited)} "
            f"in {time.monotonic() - started:.1f} s",
            file=sys.stderr,
            flush=True,
        )
    jobs = [(path, cache, outputs, gaussian) for path, outputs in zip(paths, made)]
    with get_context("fork").Pool(os.cpu_count()) as pool:
        seen = pool.map(judge, jobs, chunksize=1)
    return [
        {"name": picture.name, "kind": picture.kind, "source": picture.source, "size": size, "seen": row}
        for picture, row in zip(suited, seen)
    ]


def chosen(data: Path, images: int | None) -> list[pictures.Picture]:
    by_kind = defaultdict(list)
    for picture in pictures.ensure(data):
        by_kind[picture.kind].append(picture)
    if images is None:
        return [picture for kind in by_kind.values() for picture in kind]
    return [picture for kind in by_kind.values() for picture in spread(kind, max(1, images // len(by_kind)))]


def spread(kind: list[pictures.Picture], count: int) -> list[pictures.Picture]:
    """Returns `count` of the pictures, from all of their sources."""
    count = min(count, len(kind))
    return [kind[at * len(kind) // count] for at in range(count)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/bench quality", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="64, 256, 512, 1024")
    parser.add_argument("--program", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--images", type=int, help="so many pictures instead of all, a third of each kind")
    parser.add_argument("--gaussian", action="store_true", help="SSIM with a Gaussian window as well; takes longer")
    parser.add_argument("--libvips-only", action="store_true", help="ours decodes with libvips alone, as a reference")
    parser.add_argument("--keep", action="store_true", help="keep what was made, in Benchmarks/.data/runs/quality-*")
    options = parser.parse_args()
    unknown = set(options.parts) - set(map(str, SIZES))
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(map(str, SIZES))}")
    return options


def main():
    options = arguments()
    data = ROOT / "Benchmarks" / ".data"
    listed = chosen(data, options.images)
    contestants = [Ours(options.program, effort, options.libvips_only) for effort in EFFORTS]
    contestants += [Libvips(LibvipsLimit(data / "bin").binary), Pillow()]
    rows = []
    for size in SIZES:
        if options.parts and str(size) not in options.parts:
            continue
        rows += at_size(size, listed, contestants, data, options.gaussian)
        if not options.keep:
            shutil.rmtree(data / "runs" / f"quality-{size}")
    text = report.text(rows, [contestant.name for contestant in contestants])
    path = data / "results" / time.strftime("quality-%Y%m%d-%H%M%S")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(json.dumps(rows))
    path.with_suffix(".md").write_text(text)
    print(text)
    print(f"All numbers: {path.with_suffix('.json').relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
