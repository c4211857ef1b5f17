"""Real photographs from a real web server: each comes out with the right size, upright, and looking like itself."""

import io
import multiprocessing
import urllib.parse
from pathlib import Path

from PIL import Image

from support import packages, pictures
from support.checks import Checks
from support.fetch import Fetch, Finished
from support.nginx import Nginx
from support.pictures import Reference, Wanted

# About 130 pictures in 173 MB of packages; what cannot be had is left out.
PACKAGES = ["mate-backgrounds", "gnome-backgrounds", "plasma-workspace-wallpapers"]
RUNS = {
    "fit as JPEG": (Wanted("fit", (256, 256), "JPEG"), ["--fit", "256x256", "--quality", "85"]),
    "fill as JPEG": (Wanted("fill", (240, 180), "JPEG"), ["--fill", "240x180", "--quality", "85"]),
    "fit as WebP": (Wanted("fit", (320, 200), "WEBP"), ["--fit", "320x200", "--format", "webp", "--quality", "85"]),
    "fit as PNG": (Wanted("fit", (128, 128), "PNG"), ["--size", "128", "--format", "png"]),
}
SUFFIXES = {"JPEG": "jpg", "WEBP": "webp", "PNG": "png"}


def check(checks: Checks, binary: Path, data: Path, scratch: Path):
    scratch.mkdir(parents=True, exist_ok=True)
    folders = packages.available(PACKAGES, data / "packages")
    if not checks.that("at least one wallpaper package can be had", bool(folders), "none of " + ", ".join(PACKAGES)):
        return
    sources = [path for folder in folders.values() for path in packages.pictures(folder)]
    sources += turned_copies(sources, data / "turned-1")
    with multiprocessing.get_context("fork").Pool() as pool:
        references = pool.map(pictures.reference, sources, chunksize=4)
    check_the_checker(checks, scratch)
    with Nginx(data) as nginx:
        urls = [nginx.url(urllib.parse.quote(str(path.relative_to(data)))) for path in sources]
        for name, (wanted, options) in RUNS.items():
            fetch = Fetch(binary, scratch / name.replace(" ", "-"))
            finished = fetch.run(urls, *options)
            check_run(checks, name, fetch, finished, urls, references, wanted)
        check_second_run(checks, Fetch(binary, scratch / "fit-as-JPEG"), urls, RUNS["fit as JPEG"][1])


def turned_copies(sources: list[Path], folder: Path) -> list[Path]:
    """Returns one photograph stored in each of the eight EXIF orientations; wallpapers are all stored upright."""
    folder.mkdir(parents=True, exist_ok=True)
    photograph = next(path for path in sources if path.suffix == ".jpg" and path.stat().st_size > 500_000)
    copies = []
    for orientation in range(1, 9):
        # A blank and a letter beyond ASCII: the URL has to be quoted.
        copy = folder / f"gedreht é {orientation}.jpg"
        copies.append(copy)
        if not copy.exists():
            exif = Image.Exif()
            exif[0x0112] = orientation
            with Image.open(photograph) as opened:
                opened.resize((900, 600)).save(copy, quality=90, exif=exif.tobytes())
    return copies


def check_the_checker(checks: Checks, scratch: Path):
    """Shows that a picture on its side and one with a grey quarter would be refused."""
    square = Image.radial_gradient("L").convert("RGB").crop((0, 0, 200, 200))
    square.paste((200, 40, 30), (0, 0, 200, 90))
    source, wanted = Reference((200, 200), square), Wanted("fit", (200, 200), "PNG")
    grey = square.copy()
    grey.paste((128, 128, 128), (0, 150, 200, 200))
    for name, picture, right in [
        ("accepts the picture itself", square, True),
        ("refuses a picture on its side", square.rotate(90), False),
        ("refuses a mirrored picture", square.transpose(Image.Transpose.FLIP_TOP_BOTTOM), False),
        ("refuses a grey quarter", grey, False),
    ]:
        path = scratch / "judged.png"
        picture.save(path)
        objection = pictures.objection(path, source, wanted)
        checks.that(f"the judge {name}", (objection is None) == right, objection)


def check_run(checks: Checks, name: str, fetch: Fetch, finished: Finished, urls, references, wanted: Wanted):
    checks.equal(f"{name}: exit code", finished.exit, 0, finished.told())
    files = [fetch.output / f"{index:09}.{SUFFIXES[wanted.format]}" for index in range(len(urls))]
    checks.equal(f"{name}: nothing else lies in the output folder", set(fetch.files()) - set(files), set())
    objections = [
        f"{urllib.parse.unquote(url.rpartition('/')[2])} -> {file.name} {objection}"
        for url, file, source in zip(urls, files, references)
        if (objection := pictures.objection(file, source, wanted))
    ]
    checks.that(
        f"{name}: all {len(urls)} pictures have the right size, orientation, format and content",
        not objections,
        f"{len(objections)} do not:\n        " + "\n        ".join(objections[:10]),
    )
    report = sorted(finished.report, key=lambda entry: entry["index"])
    if checks.equal(f"{name}: one report line per URL", [entry["index"] for entry in report], list(range(len(urls)))):
        mismatches = [
            mismatch
            for entry, url, file, source in zip(report, urls, files, references)
            if (mismatch := report_mismatch(entry, url, file, source))
        ]
        checks.that(f"{name}: the report tells what the files are", not mismatches, mismatches[:5])


def report_mismatch(entry: dict, url: str, file: Path, source: Reference) -> str | None:
    """Returns what in a report line disagrees with the file, or None."""
    data = file.read_bytes() if file.exists() else b""
    try:
        with Image.open(io.BytesIO(data)) as opened:
            size = opened.size
    except OSError:
        return f"{file.name}: no picture"
    wanted = {"url": url, "status": "ok", "width": size[0], "height": size[1], "bytes": len(data)}
    wrong = {key: entry.get(key) for key, value in wanted.items() if entry.get(key) != value}
    # Whether the source's size is told as stored or upright is the command's to say.
    if sorted((entry.get("source_width", 0), entry.get("source_height", 0))) != sorted(source.size):
        wrong["source_size"] = (entry.get("source_width"), entry.get("source_height"))
    if Path(entry.get("file") or "").name != file.name:
        wrong["file"] = entry.get("file")
    return f"{file.name}: {wrong}" if wrong else None


def check_second_run(checks: Checks, fetch: Fetch, urls: list[str], options: list[str]):
    before = {path: path.stat().st_mtime_ns for path in fetch.files()}
    again = fetch.run(urls, *options)
    checks.equal("a second run: exit code", again.exit, 0, again.error[-500:])
    checks.equal("a second run skips everything", set(again.codes()), {"skipped"})
    checks.equal("a second run replaces the report", len(again.report), len(urls))
    checks.that(
        "a second run touches no file", before == {path: path.stat().st_mtime_ns for path in fetch.files()}, "it did"
    )
    # One picture is lost, one is damaged: both are made anew, the rest is left.
    lost, damaged = fetch.output / "000000000.jpg", fetch.output / "000000001.jpg"
    lost.unlink()
    damaged.write_bytes(damaged.read_bytes()[:100])
    third = fetch.run(urls, *options)
    checks.equal(
        "a third run makes a lost and a cut file anew", third.codes(), ["ok", "ok"] + ["skipped"] * (len(urls) - 2)
    )
