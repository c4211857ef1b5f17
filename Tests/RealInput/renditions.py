"""Several sizes and formats of each entry: every file is right, the set is whole or made anew, and nothing is made twice."""

import subprocess
from pathlib import Path

from PIL import Image, ImageChops, ImageStat

from support import drawn, pictures
from support.checks import Checks, eventually
from support.fetch import Fetch
from support.origin import RunningOrigin
from support.pictures import Wanted

SIZES = [512, 192, 256]
FORMATS = {"jpeg": ("JPEG", "jpg"), "webp": ("WEBP", "webp")}
OPTIONS = ["--sizes", "512,192,256", "--format", "jpeg,webp", "--quality", "90"]
BAD_VALUES = {
    "0": "--sizes '0' is not a whole number, 1 to 65535",
    "abc": "--sizes 'abc' is not a whole number, 1 to 65535",
    "256,256": "--sizes '256,256' has '256' twice",
    "256,": "--sizes '256,' has nothing before or after a comma",
    "256,70000": "--sizes '256,70000' has '70000', which is not a whole number, 1 to 65535",
    ",".join(map(str, range(1, 18))): "has 17 values, and at most 16 are allowed",
}


def check(checks: Checks, binary: Path, scratch: Path):
    photos = drawn.pictures(binary)
    with RunningOrigin(binary, "--images", str(photos), "--cache-control", "max-age=3600") as origin:
        names = sorted(path.name for path in photos.iterdir())
        urls = [f"{origin.base}/pictures/{name}" for name in names]
        references = [pictures.reference(photos / name) for name in names]
        check_sets(checks, origin, Fetch(binary, scratch / "sets"), urls, references)
        check_kill(checks, Fetch(binary, scratch / "kill"), [f"{url}?{n}" for n in range(5) for url in urls])
        check_bad_values(checks, Fetch(binary, scratch / "values"), urls)
    check_odd(checks, binary, scratch / "odd")


def names_of(count: int, sizes=SIZES, endings=("jpg", "webp")) -> set[str]:
    return {f"{index:09}-{size}.{ending}" for index in range(count) for size in sizes for ending in endings}


def in_folder(fetch: Fetch) -> set[str]:
    return {path.name for path in fetch.files()}


def same_files(fetch: Fetch, wanted: set[str]) -> tuple[bool, str]:
    """Returns whether exactly these files lie in the folder, and what does not fit."""
    missing, extra = sorted(wanted - in_folder(fetch)), sorted(in_folder(fetch) - wanted)
    return not missing and not extra, f"missing {missing[:5]}, beyond {extra[:5]}"


def check_sets(checks: Checks, origin: RunningOrigin, fetch: Fetch, urls: list[str], references):
    first = fetch.run(urls, *OPTIONS)
    checks.equal("three sizes in two formats: exit code", first.exit, 0, first.told())
    checks.that("three sizes in two formats: the files", *same_files(fetch, names_of(len(urls))))
    checks.equal("each source is asked for once", origin.asked("/pictures"), len(urls))
    checks.that("the summary counts files", f"in {6 * len(urls)} files" in first.error, first.error)
    objections = [
        f"{file.name}: {objection}"
        for index, source in enumerate(references)
        for size in SIZES
        for word, ending in FORMATS.values()
        if (file := fetch.output / f"{index:09}-{size}.{ending}")
        and (objection := pictures.objection(file, source, Wanted("fit", (size, size), word)))
    ]
    checks.that("each file is the picture in its size and format", not objections, objections[:5])
    wrong = [entry["index"] for entry in first.report if not tells_files(entry, fetch.output)]
    checks.that("the report lists each file as it is", not wrong, wrong[:5])

    before = {path: path.stat().st_mtime_ns for path in fetch.files()}
    again = fetch.run(urls, "--sizes", "256,512,192", "--format", "webp,jpeg", "--quality", "90")
    checks.equal("a second run skips complete sets, in whatever order they are asked for", set(again.codes()), {"skipped"})
    after = {path: path.stat().st_mtime_ns for path in fetch.files()}
    checks.that("a second run touches no file", before == after, "it did")
    (fetch.output / "000000001-192.webp").unlink()
    third = fetch.run(urls, *OPTIONS, "--no-cache")
    wanted = ["ok" if index == 1 else "skipped" for index in range(len(urls))]
    checks.equal("a set with a lost file is made anew, and no other", third.codes(), wanted)
    checks.that("the set is whole again", *same_files(fetch, names_of(len(urls))))

    other = fetch.run(urls, "--sizes", "100", "--format", "png")
    checks.equal("other sizes: exit code", other.exit, 0, other.told())
    checks.that("other sizes take the old files away", *same_files(fetch, names_of(len(urls), [100], ["png"])))
    checks.that("one file is told in the plain fields", all(e["file"] and "renditions" not in e for e in other.report))
    fetch.run(urls, "--format", "jpeg,png", "--effort", "fast", "--linear")
    wanted = {f"{index:09}.{ending}" for index in range(len(urls)) for ending in ("jpg", "png")}
    checks.that("two formats in one size", *same_files(fetch, wanted))


def tells_files(entry: dict, output: Path) -> bool:
    """Returns whether a line's list says what Pillow and the file system see, in the order asked for."""
    told = [(made["file"], made["width"], made["height"], made["bytes"], made["format"]) for made in entry["renditions"]]
    seen = []
    for size in SIZES:
        for format, (word, ending) in FORMATS.items():
            path = output / f"{entry['index']:09}-{size}.{ending}"
            with Image.open(path) as opened:
                seen.append((path.name, *opened.size, path.stat().st_size, format if opened.format == word else "?"))
    return told == seen and entry["status"] == "ok" and entry["file"] is None


def check_kill(checks: Checks, fetch: Fetch, urls: list[str]):
    """What is complete when SIGKILL strikes is not made again, and what is not complete is made as a whole."""
    process = fetch.start(urls, *OPTIONS, "--no-cache")
    under_way = eventually(lambda: len(fetch.files()) > 100, 120) and process.poll() is None
    process.kill()
    process.wait()
    process.stderr.close()
    checks.that("SIGKILL strikes while sets are written", under_way)
    left = {path: path.stat().st_mtime_ns for path in fetch.files()}
    second = fetch.run(urls, *OPTIONS, "--no-cache")
    checks.equal("the run after SIGKILL: exit code", second.exit, 0, second.told())
    checks.that("it leaves every set whole and nothing else", *same_files(fetch, names_of(len(urls))))
    skipped = [entry for entry in second.report if entry["status"] == "skipped"]
    checks.that("it skips sets", len(skipped) > 5, len(skipped))
    kept = [fetch.output / made["file"] for entry in skipped for made in entry["renditions"]]
    wrong = [path.name for path in kept if left.get(path) != path.stat().st_mtime_ns]
    checks.that("and skips only what was complete", not wrong, wrong[:5])


def check_bad_values(checks: Checks, fetch: Fetch, urls: list[str]):
    for value, complaint in BAD_VALUES.items():
        done = fetch.run(urls, "--sizes", value)
        checks.that(f"--sizes {value[:12]} is refused", done.exit == 2 and complaint in done.error, done.told())
    for options, complaint in [
        (["--sizes", "1,2", "--size", "3"], "--size and --sizes exclude each other"),
        (["--format", "jpeg,jpg"], "--format 'jpeg,jpg' has 'jpg', which is not one of"),
        (["--format", "jpeg,original"], "the format original cannot be combined"),
        (["--effort", "most"], "--effort 'most' is not one of fast, balanced, best"),
    ]:
        done = fetch.run(urls, *options)
        checks.that(f"{' '.join(options)} is refused", done.exit == 2 and complaint in done.error, done.told())
    checks.equal("and nothing is written", fetch.files(), [])


def check_odd(checks: Checks, binary: Path, scratch: Path):
    """A format that cannot hold the picture, and a file that ends early."""
    photos = scratch / "photos"
    photos.mkdir(parents=True)
    Image.new("RGB", (17_000, 4), (200, 40, 30)).save(photos / "wide.png")
    gradient().save(photos / "cut.jpg", quality=95)
    whole = (photos / "cut.jpg").read_bytes()
    (photos / "cut.jpg").write_bytes(whole[: len(whole) * 2 // 3])
    with RunningOrigin(binary, "--images", str(photos), "--cache-control", "max-age=3600") as origin:
        wide, cut = (f"{origin.base}/pictures/{name}" for name in ("wide.png", "cut.jpg"))
        fetch = Fetch(binary, scratch / "wide")
        for run in ("a picture too wide for WebP", "the same again"):
            done = fetch.run([wide], "--format", "jpeg,webp")
            checks.equal(f"{run}: the entry fails with its code", (done.exit, done.codes()), (3, ["encode_failed"]))
            checks.that(f"{run}: what could be made stays", *same_files(fetch, {"000000000.jpg"}))
            listed = [made["file"] for made in done.report[0]["renditions"]]
            checks.equal(f"{run}: and is listed", listed, ["000000000.jpg"])
        fetch.run([wide], "--format", "jpeg,webp", "--size", "512")
        checks.that("in a size that fits both are made", *same_files(fetch, {"000000000.jpg", "000000000.webp"}))
        check_cut(checks, Fetch(binary, scratch / "cut"), cut)


def gradient() -> Image.Image:
    return Image.radial_gradient("L").convert("RGB").resize((800, 600))


def check_cut(checks: Checks, fetch: Fetch, url: str):
    refused = fetch.run([url], "--size", "200")
    checks.equal("a file that ends early is refused", (refused.exit, refused.codes()), (3, ["truncated_image"]))
    for run in ("with --allow-truncated it is made", "and made anew by the next run"):
        done = fetch.run([url], "--size", "200", "--allow-truncated")
        seen = [(entry["status"], entry["partial"], entry["cache"]) for entry in done.report]
        checks.equal(run, (done.exit, seen), (0, [("ok", True, "miss")]), done.told())
        checks.that("the summary counts it", "1 created (1 partial)" in done.error, done.error)
    with Image.open(fetch.output / "000000000.jpg") as opened:
        checks.equal("in its size", opened.size, (200, 150))
        upper = ImageChops.difference(opened, gradient().resize(opened.size)).crop((0, 0, 200, 75))
    checks.that("its upper part is the picture", max(ImageStat.Stat(upper).mean) < 4, ImageStat.Stat(upper).mean)
    picture = fetch.scratch / "thumb.jpg"
    command = [fetch.binary, "thumb", url, "--output", picture, "--size", "100", "--effort", "best"]
    done = subprocess.run([*map(str, command), "--allow-truncated"], env=fetch.environment(), capture_output=True, text=True)
    told = "the file ends early" in done.stderr
    checks.that("thumb makes it too, and says so", done.returncode == 0 and told and picture.exists(), done.stderr)
