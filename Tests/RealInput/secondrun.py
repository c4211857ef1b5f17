"""A second `calotype fetch` of the same list: from the cache, with questions to the origin, offline, anew, killed before."""

import json
import signal
import subprocess
import urllib.request
from pathlib import Path

from support import drawn
from support.checks import Checks, eventually
from support.fetch import Fetch

OPTIONS = ["--size", "128"]


class Origin:
    """`calotype origin` with one word on caching for all pictures."""

    def __init__(self, binary: Path, cache_control: str):
        command = [str(binary), "origin", "--images", str(drawn.pictures(binary)), "--cache-control", cache_control]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.base + path, timeout=60) as answer:
            return answer.read().decode()

    def list(self) -> list[str]:
        return self.get("/list.txt").split()

    def counts(self) -> tuple[int, int]:
        """How many pictures were asked for so far, and how often the answer was 304."""
        told = json.loads(self.get("/stats"))
        return told["by_prefix"].get("/pictures", 0), told["by_status"].get("304", 0)


class SecondRun:
    def __init__(self, checks: Checks, binary: Path, scratch: Path):
        self.checks, self.scratch = checks, scratch
        self.home = Fetch(binary, scratch)

    def fetch(self, name: str, urls: list[str], *options: str):
        """Runs with an output folder of its own and the cache of all."""
        self.home.output = self.scratch / name
        return self.home.run(urls, *OPTIONS, *options)

    def expect(self, name: str, finished, exit: int, uses: list[str]):
        self.checks.equal(f"{name}: exit code", finished.exit, exit, finished.told())
        seen = sorted({entry["cache"] or "none" for entry in finished.report})
        self.checks.equal(f"{name}: what the report says of the cache", seen, uses)

    def pictures(self, name: str) -> list[bytes]:
        return [path.read_bytes() for path in sorted((self.scratch / name).glob("*.jpg"))]


def check(checks: Checks, binary: Path, scratch: Path):
    run = SecondRun(checks, binary, scratch)
    with Origin(binary, "max-age=3600") as origin:
        urls = origin.list()
        run.expect("a first run", run.fetch("first", urls), 0, ["miss"])
        finished = run.fetch("second", urls)
        run.expect("a second run", finished, 0, ["hit"])
        checks.that("its summary counts the hits", f"{drawn.COUNT} hit" in finished.error, finished.error)
        checks.equal("a second run asks the origin for nothing", origin.counts(), (drawn.COUNT, 0))
        checks.equal("and gives the same pictures", run.pictures("second"), run.pictures("first"))
        run.expect("--reload", run.fetch("reload", urls, "--reload"), 0, ["miss"])
        checks.equal("--reload asks for everything again", origin.counts(), (2 * drawn.COUNT, 0))
        run.expect("--no-cache", run.fetch("none", urls[:2], "--no-cache"), 0, ["miss"])
    run.expect("--offline", run.fetch("offline", urls, "--offline"), 0, ["hit"])
    finished = run.fetch("unknown", [urls[0], "http://unknown.test/x.jpg"], "--offline")
    checks.equal("--offline fails what is not there as not_cached", finished.codes(), ["ok", "not_cached"], finished.told())
    revalidated(checks, run, binary)
    crashed(checks, run, binary)


def revalidated(checks: Checks, run: SecondRun, binary: Path):
    with Origin(binary, "no-cache") as origin:
        urls = origin.list()
        run.expect("what has to be asked for", run.fetch("stale-1", urls), 0, ["miss"])
        finished = run.fetch("stale-2", urls)
        run.expect("what is asked for and unchanged", finished, 0, ["revalidated"])
        checks.equal("every answer is a 304", origin.counts(), (2 * drawn.COUNT, drawn.COUNT))
        checks.that("nothing of it is decoded", all(e["ms"]["decode"] == 0 for e in finished.report), finished.report[:1])
        checks.equal("and the pictures are the same", run.pictures("stale-2"), run.pictures("stale-1"))
    finished = run.fetch("gone", urls[:2])
    checks.that("without its origin it is not given", set(finished.codes()) == {"connect_failed"}, finished.codes())


def crashed(checks: Checks, run: SecondRun, binary: Path):
    """What was stored before SIGKILL is there after it."""
    with Origin(binary, "max-age=3600") as origin:
        urls = [f"{origin.base}/pictures/{line.rsplit('/', 1)[1]}?{n}" for n in range(20) for line in origin.list()]
        run.home.output = run.scratch / "killed"
        process = run.home.start(urls, *OPTIONS)
        under_way = eventually(lambda: len(run.home.files()) > 60, 120) and process.poll() is None
        process.kill()
        process.wait()
        process.stderr.close()
        checks.that("SIGKILL strikes while the cache is written", under_way)
        finished = run.fetch("after-kill", urls)
        checks.equal("the run after SIGKILL: exit code", finished.exit, 0, finished.told())
        hits = sum(entry["cache"] == "hit" for entry in finished.report)
        checks.that("and takes what was stored from the cache", hits > 0, hits)
        command = [str(binary), "cache", "verify"]
        done = subprocess.run(command, env=run.home.environment(), capture_output=True, text=True, timeout=60)
        checks.equal("the cache is sound after that", done.returncode, 0, done.stdout + done.stderr)
