"""Datasets: the readers of img2dataset's output read ours, and runs that are killed lose and repeat nothing."""

import csv
import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

from support import drawn
from support.checks import Checks
from support.command import Commands
from support.nginx import Nginx

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
COLUMNS = [
    "id", "caption", "url", "key", "status", "error_message", "width", "height", "original_width", "original_height", "exif",
    "sha256", "error_code",
]
KILLS = 6


def check(checks: Checks, binary: Path, scratch: Path):
    photos = drawn.pictures(binary)
    with Nginx(photos) as nginx:
        names = sorted(path.name for path in photos.iterdir())
        commands = Commands(checks, binary, scratch / "home", "")
        check_readers(checks, commands, scratch, [nginx.url(name) for name in names])
        urls = [f"{nginx.url(name)}?{number}" for number in range(6) for name in names]
        check_kills(checks, commands, scratch, urls)


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
    rows = [json.loads(row) for file in sorted(folder.glob("*.jsonl")) for row in file.read_text().splitlines()]
    checks.equal("after the kills, each URL is there once, in order", [row["url"] for row in rows], urls)
    checks.equal("after the kills, each key is there once", Counter(Counter(row["key"] for row in rows).values()), {1: len(urls)})
    done = commands.run("dataset", "verify", folder)
    checks.equal("the dataset passes its own verification", (done.exit, done.error), (0, ""), str(done))
    (scratch / "urls.txt").write_text("\n".join(["http://127.0.0.1/other", *urls[1:]]))
    done = commands.run(*line)
    checks.that("another list is refused", done.exit != 0 and "the list differs" in done.error, str(done))
