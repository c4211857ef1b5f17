"""Datasets: the readers of img2dataset's output read ours, and runs that are killed lose and repeat nothing."""

import csv
import hashlib
import io
import json
import random
import signal
import subprocess
import tarfile
import time
from collections import Counter
from pathlib import Path

from PIL import Image

from support import drawn
from support.checks import Checks
from support.command import Commands
from support.nginx import Nginx
from support.silence import NeverAnswers

from servers.cache import Unavailable, environment

READER = """\
import glob, io, json, sys
import datasets, pyarrow.parquet, webdataset
from PIL import Image
folder, cache = sys.argv[1:]
tars = sorted(glob.glob(f"{folder}/*.tar"))
keys = []
for sample in webdataset.WebDataset(tars, shardshuffle=False):
    picture, about = Image.open(io.BytesIO(sample["jpg"])), json.loads(sample["json"])
    assert (about["width"], about["height"]) == picture.size and about["key"] == sample["__key__"], about
    keys.append(sample["__key__"])
found = {"webdataset": keys}
for streaming in (True, False):
    rows = datasets.load_dataset(
        "webdataset", data_files=tars, split="train", streaming=streaming, cache_dir=cache
    )
    found["streaming" if streaming else "map"] = [row["__key__"] for row in rows if row["jpg"].load() or True]
table = pyarrow.parquet.read_table(sorted(glob.glob(f"{folder}/*.parquet")))
found["columns"], found["rows"] = table.column_names, table.to_pylist()
print(json.dumps(found))
"""
# What img2dataset's blurrer.py does, with the deviation that its comments name, and ImageHash's pHash.
PIXELS = """\
import glob, io, json, sys, tarfile
import imagehash, numpy
from PIL import Image
from scipy.ndimage import gaussian_filter
hashed, plain, blurred = sys.argv[1:]
def pictures(folder):
    for path in sorted(glob.glob(f"{folder}/*.tar")):
        with tarfile.open(path) as tar:
            for member in tar:
                if member.name.endswith((".jpg", ".png")):
                    yield member.name, Image.open(io.BytesIO(tar.extractfile(member).read()))
def blur(picture, boxes):
    image = numpy.asarray(picture.convert("RGB")).astype(float)
    height, width = image.shape[:2]
    mask, longest = numpy.zeros((height, width)), 0
    for box in boxes:
        x1, y1, x2, y2 = int(box[0] * width), int(box[1] * height), int(box[2] * width), int(box[3] * height)
        side = max(x2 - x1, y2 - y1)
        longest = max(longest, side)
        x1, y1, x2, y2 = int(x1 - 0.1 * side), int(y1 - 0.1 * side), int(x2 + 0.1 * side), int(y2 + 0.1 * side)
        mask[max(y1, 0):max(y2, 0), max(x1, 0):max(x2, 0)] = 1
    if longest == 0:
        return image
    mask = gaussian_filter(mask, 0.1 * longest, truncate=4)[..., None]
    soft = numpy.stack([gaussian_filter(image[..., band], 0.1 * longest, mode="nearest", truncate=4) for band in range(3)], -1)
    return image * (1 - mask) + soft * mask
found = {"hashes": {name.split(".")[0]: str(imagehash.phash(picture)) for name, picture in pictures(hashed)}}
rows = [json.loads(line) for path in sorted(glob.glob(f"{blurred}/*.jsonl")) for line in open(path)]
boxes = {row["key"]: row["boxes"] or [] for row in rows}
found["differences"] = {}
for (name, picture), (_, ours) in zip(pictures(plain), pictures(blurred), strict=True):
    wanted = blur(picture, boxes[name.split(".")[0]])
    found["differences"][name] = float(numpy.abs(numpy.asarray(ours.convert("RGB")) - wanted).max())
print(json.dumps(found))
"""
SIZES = """\
import glob, io, json, sys
import datasets, pyarrow.parquet, webdataset
from PIL import Image
folder, cache = sys.argv[1:]
tars, names = sorted(glob.glob(f"{folder}/*.tar")), ("jpg", "32.jpg")
samples = list(webdataset.WebDataset(tars, shardshuffle=False))
found = {"webdataset": [[Image.open(io.BytesIO(sample[name])).size for name in names] for sample in samples]}
for streaming in (True, False):
    rows = datasets.load_dataset(
        "webdataset", data_files=tars, split="train", streaming=streaming, cache_dir=cache
    )
    found["streaming" if streaming else "map"] = [[row[name].size for name in names] for row in rows]
rows = pyarrow.parquet.read_table(sorted(glob.glob(f"{folder}/*.parquet"))).to_pylist()
found["pyarrow"] = [[(row["width"], row["height"]), (row["width_32"], row["height_32"])] for row in rows]
print(json.dumps(found))
"""
COLUMNS = [
    "id", "caption", "url", "key", "status", "error_message", "width", "height", "original_width", "original_height", "exif",
    "sha256", "error_code",
]
KILLS = 6
PATIENCE = 60  # seconds


def check(checks: Checks, binary: Path, scratch: Path):
    photos = drawn.pictures(binary)
    with Nginx(photos) as nginx:
        names = sorted(path.name for path in photos.iterdir())
        commands = Commands(checks, binary, scratch / "home", "")
        check_readers(checks, commands, scratch, [nginx.url(name) for name in names])
        check_slices(checks, commands, scratch, [f"{nginx.url(name)}?{number}" for number in range(3) for name in names])
        check_hashes(checks, commands, scratch, {nginx.url(name): (photos / name).read_bytes() for name in names})
        check_bytes(checks, commands, scratch, {nginx.url(name): (photos / name).read_bytes() for name in names})
        check_sizes(checks, commands, scratch, {nginx.url(name): (photos / name).read_bytes() for name in names})
        check_pixels(checks, commands, scratch, [nginx.url(name) for name in names])
        urls = [f"{nginx.url(name)}?{number}" for number in range(6) for name in names]
        check_kills(checks, commands, scratch, urls)
        check_signals(checks, commands, scratch, urls[:12])


def check_readers(checks: Checks, commands: Commands, scratch: Path, urls: list[str]):
    rows = [{"id": number, "url": url, "caption": None if number == 0 else f'a "caption",\n{number}'}
            for number, url in enumerate(urls)]
    rows.insert(3, {"id": "x", "url": urls[0] + ".missing", "caption": "gone"})
    with open(scratch / "list.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, ["id", "url", "caption"])
        writer.writeheader()
        writer.writerows(rows)
    folder = scratch / "read"
    done = commands.run(
        "dataset", scratch / "list.csv", folder, "--allow-private", "--caption-col", "caption", "--columns", "id",
        "--number-sample-per-shard", "8",
    )
    checks.equal("a dataset with one bad URL: exit code", done.exit, 1, str(done))
    try:
        python = environment("datasets") / "bin" / "python"
    except Unavailable as error:
        return checks.skip("the readers of datasets", str(error))
    read = subprocess.run([python, "-c", READER, folder, scratch / "cache"], capture_output=True, text=True)
    if not checks.that("the readers of datasets end well", read.returncode == 0, read.stderr[-1500:]):
        return
    found = json.loads(read.stdout)
    table = found["rows"]
    good = [row["key"] for row in table if row["status"] == "success"]
    checks.equal("pyarrow: the columns", found["columns"], COLUMNS)
    checks.equal("pyarrow: the URLs in order", [row["url"] for row in table], [row["url"] for row in rows])
    checks.equal("pyarrow: the failure", table[3]["error_code"], "http_404")
    checks.equal("the samples that succeeded", len(good), len(urls))
    for reader in ("webdataset", "streaming", "map"):
        checks.equal(f"{reader}: the samples", found[reader], good)


def check_slices(checks: Checks, commands: Commands, scratch: Path, urls: list[str]):
    (scratch / "slices.txt").write_text("\n".join(urls))
    line = ["dataset", scratch / "slices.txt", "--allow-private", "--quiet", "--number-sample-per-shard", "5"]
    whole, shared, alone = (scratch / name for name in ("whole", "shared", "alone"))
    commands.run(*line, whole)
    commands.run(*line, alone, "--slice", "2/3")
    running = [commands.start(*line, shared, "--slice", f"{number}/3") for number in (1, 2, 3)]
    codes = [process.wait(timeout=120) for process in running]
    for process in running:
        process.communicate()
    tars = {tar.name: tar.read_bytes() for tar in whole.glob("*.tar")}
    checks.equal("three slices at the same time: exit codes", codes, [0, 0, 0])
    checks.equal("three slices: the tars of a whole run", {tar.name: tar.read_bytes() for tar in shared.glob("*.tar")}, tars)
    checks.equal("one slice: its shards", sorted(tar.name for tar in alone.glob("*.tar")), sorted(tars)[1::3])
    checks.that("one slice: the same bytes", all(tar.read_bytes() == tars[tar.name] for tar in alone.glob("*.tar")))
    for folder in (shared, alone):
        done = commands.run("dataset", "verify", folder)
        checks.equal(f"slices, {folder.name}: verified", done.exit, 0, str(done))


def check_hashes(checks: Checks, commands: Commands, scratch: Path, sources: dict[str, bytes]):
    for function in ("md5", "sha256", "sha512"):
        hashes = [hashlib.new(function, content).hexdigest() for content in sources.values()]
        wanted = [hashes[0].upper(), hashes[2], "", *hashes[3:]]
        with open(scratch / "hashes.csv", "w", newline="") as file:
            csv.writer(file).writerows([("url", "sum"), *zip(sources, wanted)])
        folder = scratch / f"hashes-{function}"
        done = commands.run(
            "dataset", scratch / "hashes.csv", folder, "--allow-private", "--compute-hash", function, "--verify-hash", "sum",
        )
        checks.equal(f"{function}, two of them wrong: exit code", done.exit, 1, str(done))
        rows = metadata(folder)
        failed = ("failed_to_download", "hash_mismatch")
        checks.equal(
            f"{function}: what fails", [(row["status"], row["error_code"]) for row in rows],
            [("success", None), failed, failed] + [("success", None)] * (len(rows) - 3),
        )
        checks.equal(f"{function}: the hashes of what was received", [row[function] for row in rows], hashes)


def check_bytes(checks: Checks, commands: Commands, scratch: Path, sources: dict[str, bytes]):
    """What is stored unchanged, and what is not."""
    (scratch / "bytes.txt").write_text("\n".join(sources))
    line = ["dataset", scratch / "bytes.txt", "--allow-private", "--quiet"]
    commands.run(*line, scratch / "kept", "--keep-original")
    rows, kept = metadata(scratch / "kept"), pictures(scratch / "kept")
    checks.equal("--keep-original: the bytes of all", list(kept.values()), list(sources.values()))
    checks.equal(
        "--keep-original: the upright sizes", [(row["width"], row["height"]) for row in rows],
        [upright(content) for content in sources.values()],
    )
    commands.run(*line, scratch / "skipped", "--skip-reencode", "--resize-mode", "no")
    skipped = pictures(scratch / "skipped")
    for url, content, stored in zip(sources, sources.values(), skipped.values()):
        picture = Image.open(io.BytesIO(content))
        name = url.rpartition("/")[2]
        stays = picture.format == "JPEG" and picture.getexif().get(0x0112, 1) == 1
        checks.equal(f"--skip-reencode: {name} is unchanged", stored == content, stays)
        made = Image.open(io.BytesIO(stored))
        checks.equal(f"--skip-reencode: {name}", (made.format, made.size), ("JPEG", upright(content)))
    checks.equal("--skip-reencode: all pictures", len(skipped), len(sources))
    commands.run(*line, scratch / "small", "--skip-reencode", "--image-size", "64")
    small = pictures(scratch / "small")
    checks.that("--skip-reencode: what is resized is encoded", not set(small.values()) & set(sources.values()))


def check_pixels(checks: Checks, commands: Commands, scratch: Path, urls: list[str]):
    """Perceptual hashes are ImageHash's, and blurred boxes are where img2dataset has them."""
    boxes = [[], [[0.1, 0.2, 0.5, 0.6]], None, [[0, 0, 0.2, 0.1], [0.7, 0.5, 1, 1]], [[0.4, 0.4, 0.41, 0.7]]]
    rows = [{"url": url, "boxes": boxes[number % len(boxes)]} for number, url in enumerate([*urls, urls[0]])]
    (scratch / "boxes.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    line = ["dataset", scratch / "boxes.jsonl", "--allow-private", "--quiet"]
    hashed, plain, blurred = (scratch / name for name in ("hashed", "plain", "blurred"))
    commands.run(*line, hashed, "--perceptual-hash")
    exact = ["--resize-mode", "no", "--encode-format", "png"]
    commands.run(*line, plain, *exact)
    commands.run(*line, blurred, *exact, "--bbox-col", "boxes")
    try:
        python = environment("datasets") / "bin" / "python"
    except Unavailable as error:
        return checks.skip("perceptual hashes and blurred boxes", str(error))
    read = subprocess.run([python, "-c", PIXELS, hashed, plain, blurred], capture_output=True, text=True)
    if not checks.that("the pixels can be compared", read.returncode == 0, read.stderr[-1500:]):
        return
    found = json.loads(read.stdout)
    table = metadata(hashed)
    checks.equal("perceptual hashes", {row["key"]: row["phash"] for row in table}, found["hashes"])
    checks.equal("near duplicates: the URL that is there twice", table[-1]["near_duplicate_of"], table[0]["key"])
    # libvips cuts the bell off earlier than SciPy; a box that lies elsewhere differs by a hundred levels and more.
    far = {name: difference for name, difference in found["differences"].items() if difference > 24}
    checks.equal("blurred boxes: levels that differ from img2dataset's", far, {})
    checks.equal("blurred boxes: all pictures", len(found["differences"]), len(rows))


def check_sizes(checks: Checks, commands: Commands, scratch: Path, sources: dict[str, bytes]):
    """Further sizes are further members of a sample, which readers find under their names."""
    (scratch / "sizes.txt").write_text("\n".join(sources))
    folder = scratch / "sizes"
    commands.run(
        "dataset", scratch / "sizes.txt", folder, "--allow-private", "--quiet", "--image-size", "64,32",
        "--resize-mode", "keep_ratio",
    )
    try:
        python = environment("datasets") / "bin" / "python"
    except Unavailable as error:
        return checks.skip("several sizes", str(error))
    read = subprocess.run([python, "-c", SIZES, folder, scratch / "cache-sizes"], capture_output=True, text=True)
    if not checks.that("several sizes: the readers end well", read.returncode == 0, read.stderr[-1500:]):
        return
    wanted = []
    for content in sources.values():
        width, height = upright(content)
        scales = [side / min(width, height) for side in (64, 32)]
        wanted.append([[round(width * scale), round(height * scale)] for scale in scales])
    for reader, found in json.loads(read.stdout).items():
        checks.equal(f"several sizes: {reader}", found, wanted)


def metadata(folder: Path) -> list[dict]:
    return [json.loads(row) for file in sorted(folder.glob("*.jsonl")) for row in file.read_text().splitlines()]


def pictures(folder: Path) -> dict[str, bytes]:
    """Returns the pictures of all tars by their names."""
    found = {}
    for path in sorted(folder.glob("*.tar")):
        with tarfile.open(path) as tar:
            found |= {member.name: tar.extractfile(member).read() for member in tar if member.name.endswith(".jpg")}
    return found


def upright(content: bytes) -> tuple[int, int]:
    picture = Image.open(io.BytesIO(content))
    return picture.size if picture.getexif().get(0x0112, 1) < 5 else picture.size[::-1]


def check_kills(checks: Checks, commands: Commands, scratch: Path, urls: list[str]):
    (scratch / "urls.txt").write_text("\n".join(urls))
    folder = scratch / "killed"
    line = ["dataset", scratch / "urls.txt", folder, "--allow-private", "--quiet", "--number-sample-per-shard", "20"]
    chance = random.Random(1)
    for _ in range(KILLS):
        process = commands.start(*line)
        time.sleep(chance.uniform(0.2, 1.5))
        process.kill()
        process.communicate()
        tars = sorted(folder.glob("*.tar"))
        broken = [tar.name for tar in tars if subprocess.run(["tar", "tf", tar], capture_output=True).returncode]
        checks.equal("after a kill, each tar that readers find is whole", broken, [])
    done = commands.run(*line)
    checks.equal("the run after the kills: exit code", done.exit, 0, str(done))
    rows = metadata(folder)
    checks.equal("after the kills, each URL is there once, in order", [row["url"] for row in rows], urls)
    checks.equal("after the kills, each key is there once", Counter(Counter(row["key"] for row in rows).values()), {1: len(urls)})
    done = commands.run("dataset", "verify", folder)
    checks.equal("the dataset passes its own verification", (done.exit, done.error), (0, ""), str(done))
    (scratch / "urls.txt").write_text("\n".join(["http://127.0.0.1/other", *urls[1:]]))
    done = commands.run(*line)
    checks.that("another list is refused", done.exit == 2 and "the list differs" in done.error, str(done))


def check_signals(checks: Checks, commands: Commands, scratch: Path, urls: list[str]):
    """A signal ends a run that waits for a host, and what was downloaded is kept."""
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        folder, metrics = scratch / f"signal{code}", scratch / f"signal{code}.prom"
        with NeverAnswers() as silent:
            (scratch / "waiting.txt").write_text("\n".join([*urls, *(silent.url(str(n)) for n in range(3))]))
            process = commands.start(
                "dataset", scratch / "waiting.txt", folder, "--allow-private", "--no-robots", "--progress", "json",
                "--metrics", metrics, "--number-sample-per-shard", "5",
            )
            events = (json.loads(line) for line in process.stderr)
            waiting = next((event for event in events if event.get("ok") == len(urls)), None)
            # A shard is complete a little later than its last image.
            deadline = time.monotonic() + PATIENCE
            while len(list(folder.glob("*.tar"))) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(number)
            last = [event for event in events][-1]
            process.wait(timeout=30)
        checks.equal(f"signal {number}: exit code", process.returncode, code)
        checks.equal(f"signal {number}: the last event", (last["event"], last["ending"], last["ok"]), ("summary", "interrupted", 12))
        checks.equal(f"signal {number}: the total is known", waiting and (waiting["total"], waiting["total_is_estimated"]), (15, False))
        checks.equal(f"signal {number}: the complete shards", len(list(folder.glob("*.tar"))), 2)
        checks.that(f"signal {number}: metrics", "calotype_dataset_images_total" in metrics.read_text(), metrics.read_text())
