"""Kills runs of `calotype dataset` at random moments; after each kill every shard must be valid, and in the end each URL be there once.

    Tests/RealInput/datasetkills.py PATH_TO_CALOTYPE [KILLS [SEED]]
"""

import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

from dataset import metadata  # noqa: E402
from support import drawn  # noqa: E402
from support.checks import Checks  # noqa: E402
from support.command import Commands  # noqa: E402
from support.nginx import Nginx  # noqa: E402

KILLS = 200
SHARD = 7
FORMATS = ["webdataset", "files", "parquet"]


def soak(checks: Checks, commands: Commands, scratch: Path, urls: list[str], kills: int, seed: int):
    """Kills until it has been done `kills` times, dataset after dataset."""
    chance = random.Random(seed)
    (scratch / "urls.txt").write_text("\n".join(urls))
    done = number = 0
    while done < kills:
        folder, form = scratch / f"set{number}", FORMATS[number % 3]
        number += 1
        line = [
            "dataset", scratch / "urls.txt", folder, "--allow-private", "--quiet", "--image-size", "64",
            "--number-sample-per-shard", SHARD, "--output-format", form,
        ]  # fmt: skip
        code = None
        while done < kills and code is None:
            process = commands.start(*line)
            try:
                process.communicate(timeout=chance.uniform(0.05, 1.5))
                code = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                done += 1
                verify(checks, commands, folder, f"kill {done}, {form}")
        finished = commands.run(*line)
        checks.equal(f"set {number}, {form}: exit code", finished.exit, 0, str(finished))
        verify(checks, commands, folder, f"set {number}, {form}, complete")
        rows = metadata(folder)
        checks.equal(f"set {number}: each URL once, in order", [row["url"] for row in rows], urls)
        checks.equal(f"set {number}: each key once", set(Counter(row["key"] for row in rows).values()), {1})
        left = [path.name for path in (folder / ".calotype").iterdir() if path.suffix == ".journal"]
        checks.equal(f"set {number}: no journal is left", left, [])


def verify(checks: Checks, commands: Commands, folder: Path, what: str):
    if not list(folder.glob("*_stats.json")):
        # A reader's pattern must not find more than complete shards, and none is.
        return checks.equal(f"{what}: no tar without statistics", list(folder.glob("*.tar")) and stray(folder), [])
    found = commands.run("dataset", "verify", folder)
    # Between the rename of a shard's files and its statistics, a tar is complete and not known yet.
    problems = [text for text in found.error.splitlines() if "has no statistics" not in text]
    checks.equal(f"{what}: each shard is valid", problems, [], str(found))
    checks.equal(f"{what}: no broken tar", stray(folder), [])


def stray(folder: Path) -> list[str]:
    """Returns the tars that cannot be read."""
    return [tar.name for tar in folder.glob("*.tar") if subprocess.run(["tar", "tf", tar], capture_output=True).returncode]


def main(arguments: list[str]) -> int:
    if not arguments or not Path(arguments[0]).is_file():
        print(__doc__, file=sys.stderr)
        return 2
    binary = Path(arguments[0]).resolve()
    kills = int(arguments[1]) if len(arguments) > 1 else KILLS
    seed = int(arguments[2]) if len(arguments) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="calotype-dataset-kills-") as folder:
        scratch = Path(folder)
        drawn.keep_in(scratch / "drawn")
        photos = drawn.pictures(binary)
        with Nginx(photos) as nginx:
            names = sorted(path.name for path in photos.iterdir())
            urls = [f"{nginx.url(name)}?{number}" for number in range(10) for name in names]
            soak(checks, Commands(checks, binary, scratch / "home", ""), scratch, urls, kills, seed)
    print(checks.summary(), flush=True)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
