"""`calotype cache` on a cache that `calotype fetch` has filled: figures, damage, room, and somebody else at work."""

import json
import re
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path

from support import drawn
from support.checks import Checks, eventually
from support.fetch import Fetch


class Cache:
    """The command on the cache in the home of a `Fetch`."""

    def __init__(self, fetch: Fetch):
        self.fetch = fetch
        self.folder = Path(fetch.environment()["XDG_CACHE_HOME"]) / "calotype"

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [str(self.fetch.binary), "cache", *arguments]
        return subprocess.run(command, env=self.fetch.environment(), capture_output=True, text=True, timeout=60)

    def thumb(self, url: str, size: int) -> int:
        command = [str(self.fetch.binary), "thumb", url, "--size", str(size), "--output", str(self.folder.with_name("thumb.jpg"))]
        return subprocess.run(command, env=self.fetch.environment(), capture_output=True, timeout=60).returncode

    def json(self, *arguments: str) -> tuple[int, dict]:
        done = self.run(*arguments, "--json")
        return done.returncode, json.loads(done.stdout)

    def values(self) -> list[Path]:
        return sorted(path for path in (self.folder / "blobs").rglob("*") if path.is_file())


def check(checks: Checks, binary: Path, scratch: Path):
    fetch = Fetch(binary, scratch)
    cache = Cache(fetch)
    command = [str(binary), "origin", "--images", str(drawn.pictures(binary))]
    origin = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        base = origin.stdout.readline().split()[-1]
        check_absent(checks, cache)
        check_usage(checks, cache)
        # Large enough for files of their own.
        urls = [line for line in http_get(f"{base}/demo.txt").splitlines() if "/pictures/" in line]
        finished = fetch.run(urls, "--size", "1200")
        checks.equal("a fetch fills the cache", finished.exit, 0, finished.told())
        check_stats(checks, cache)
        check_owner(checks, cache, f"{base}/hang")
        check_damage(checks, cache)
        check_removal(checks, cache, urls)
        check_room(checks, cache)
    finally:
        origin.send_signal(signal.SIGTERM)
        origin.wait(timeout=30)


def http_get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def check_absent(checks: Checks, cache: Cache):
    for action in ["stats", "verify", "clear", "trim"]:
        done = cache.run(action)
        said = done.returncode == 0 and "there is no cache" in done.stdout
        checks.that(f"{action} of a folder that is missing says so", said, done)
    checks.that("no folder is made by looking", not cache.folder.exists())


def check_usage(checks: Checks, cache: Cache):
    wrong = [
        [], ["empty"], ["stats", "verify"], ["stats", "--max-size", "1G"], ["trim", "--max-size", "lots"],
        ["remove"], ["remove", "no address"], ["clear", "http://example.com"],
    ]  # fmt: skip
    for arguments in wrong:
        done = cache.run(*arguments)
        checks.equal(f"wrong arguments {arguments}", (done.returncode, done.stdout), (2, ""), done.stderr)


def check_stats(checks: Checks, cache: Cache):
    code, told = cache.json("stats")
    sizes = sum(path.stat().st_size for path in cache.values())
    checks.equal("stats counts entries", (code, told["state"], told["entries"]), (0, "free", drawn.COUNT), told)
    checks.that("stats counts the bytes of all values", sizes <= told["bytes"] < sizes + drawn.COUNT * 32_768, (sizes, told))
    page = cache.run("stats").stdout.splitlines()
    columns = {re.match(r"  \w+ +", line).end() for line in page[1:]}
    checks.that("figures for people stand below each other", page[0] == str(cache.folder) and len(columns) == 1, page)
    code, told = cache.json("verify")
    checks.equal("a sound cache is found sound", (code, told["checked_entries"], told["problems"]), (0, drawn.COUNT, []))


def check_owner(checks: Checks, cache: Cache, hanging: str):
    """Somebody fetches, slowly, while the cache is looked after."""
    process = cache.fetch.start([hanging], "--timeout", "120")
    try:
        used = eventually(lambda: cache.json("stats")[1]["state"] == "in use", 60)
        checks.that("a cache that a fetch uses is in use", used)
        code, told = cache.json("stats")
        checks.equal("stats beside an owner tells figures, and exits with 1", (code, told["entries"]), (1, drawn.COUNT), told)
        for arguments in [["verify"], ["clear"], ["trim"], ["remove", hanging]]:
            action = arguments[0]
            done = cache.run(*arguments)
            said = done.returncode == 1 and "another process is using this cache" in done.stderr
            checks.that(f"{action} beside an owner says so, and exits with 1", said, done)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        process.stderr.close()
    checks.equal("and nothing was touched", cache.json("stats")[1]["entries"], drawn.COUNT)


def check_damage(checks: Checks, cache: Cache):
    damaged, cut = cache.values()[:2]
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    cut.write_bytes(cut.read_bytes()[:100])
    code, told = cache.json("verify")
    checks.equal("damage is found and removed", (code, told["removed_entries"]), (1, 2), told)
    checks.that("what was removed is said", any("removed: 2" in problem for problem in told["problems"]), told)
    checks.equal("then the cache is sound", cache.json("verify")[0], 0)
    stray = damaged.parent / "stray"
    stray.write_bytes(b"nothing of ours")
    code, told = cache.json("verify")
    outcome = (code, told["removed_files"], stray.exists())
    checks.equal("a file that belongs to nothing is removed", outcome, (1, 1, False), told)
    (cache.folder / "index.db").write_bytes(b"this is no index" * 1000)
    code, told = cache.json("verify")
    outcome = (code, told["recovered_files"], told["entries"])
    checks.equal("an index that is none is made anew from the files", outcome, (1, drawn.COUNT - 2, drawn.COUNT - 2), told)


def check_removal(checks: Checks, cache: Cache, urls: list[str]):
    """What was made of two pictures goes, whatever way their addresses are written, and can be made again."""
    made = urls[:2]
    cache.run("remove", *made)
    before = cache.json("stats")[1]["entries"]
    sizes = [64, 128]
    checks.that("two sizes of two pictures are made", all(cache.thumb(url, size) == 0 for url in made for size in sizes))
    code, told = cache.json("stats")
    # Their sources are stored, too.
    checks.equal("they are in the cache", (code, told["entries"]), (0, before + 6), told)
    written = [made[0].replace("http://", "HTTP://user:secret@"), made[1] + "#fragment", "http://example.com/unknown"]
    code, told = cache.json("remove", *written)
    outcome = (code, told["removed_entries"], told["entries"])
    checks.equal("everything made of two pictures is removed", outcome, (0, 6, before), told)
    checks.equal("the rest is sound", cache.json("verify")[0], 0)
    checks.equal("removed again, nothing is found", cache.json("remove", *made)[1]["removed_entries"], 0)
    checks.equal("one is made again", (cache.thumb(made[0], 64), cache.json("stats")[1]["entries"]), (0, before + 2))


def check_room(checks: Checks, cache: Cache):
    code, told = cache.json("trim", "--max-size", "200k")
    checks.that("trim makes room", code == 0 and 0 < told["bytes"] <= 200_000 and told["removed_entries"] > 0, told)
    left = cache.json("stats")[1]
    checks.equal("what trim says is left is there", (left["entries"], left["bytes"]), (told["entries"], told["bytes"]))
    code, told = cache.json("clear")
    checks.equal("clear removes all", (code, told["entries"], told["bytes"]), (0, 0, 0), told)
    checks.equal("and their files", cache.values(), [])
    checks.equal("an empty cache is sound", cache.json("verify")[0], 0)
    shutil.rmtree(cache.folder)
    cache.folder.write_text("a file in the folder's place")
    done = cache.run("stats")
    checks.equal("a folder that is none is told", (done.returncode, done.stderr != ""), (1, True), done)
