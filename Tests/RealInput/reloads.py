"""Pictures that change at their origin, loaded and reloaded over one cache by processes that are killed now and then.

    Tests/RealInput/reloads.py PATH_TO_CALOTYPE [SECONDS [SEED]]

Every picture tells by its colours which one it is and which version, so that each that comes out is held against the origin's
history: it is of the right name, of a version that the origin has had, and not older than what a reload has shown before.
"""

import io
import random
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

from PIL import Image  # noqa: E402

from support.checks import Checks  # noqa: E402
from support.fetch import Fetch  # noqa: E402

NAMES, SIZES, VERSIONS = 6, [16, 24, 32], 60
SECONDS, SEED = 15.0, 1
TIME_LIMIT = 120


class History(ThreadingHTTPServer):
    """Serves `/N.png` in the version that it has now; some names have an entity tag."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.versions = [0] * NAMES
        self.base = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "History":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = int(self.path.strip("/").split(".")[0])
        version = self.server.versions[name]
        tag = f'"{version}"' if name % 2 else None
        if tag and self.headers["If-None-Match"] == tag:
            return self.answer(304, tag, b"")
        picture = io.BytesIO()
        Image.new("RGB", (64, 64), (40 * name, 4 * version, 90)).save(picture, "PNG")
        self.answer(200, tag, picture.getvalue())

    def answer(self, status: int, tag: str | None, body: bytes):
        self.send_response(status)
        self.send_header("Cache-Control", "max-age=3600")
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            # Whoever asked was killed.
            pass

    def log_message(self, *_):
        pass


class Trial:
    """One cache, and what reloads have shown of each picture."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, history: History, seed: int):
        self.checks, self.binary, self.scratch, self.history = checks, binary, scratch, history
        self.random = random.Random(seed)
        # What a load may show at least, by name and size; what has never been asked for may lie in no cache.
        self.floors: dict[tuple[int, int], int] = {}
        self.asked: set[tuple[int, int]] = set()
        self.newest = [0] * NAMES
        self.counts = {"loads": 0, "reloads": 0, "kills": 0, "upkeep": 0}
        scratch.mkdir(parents=True, exist_ok=True)

    def step(self):
        match self.random.randrange(12):
            case 0 | 1 | 2:
                name = self.random.randrange(NAMES)
                self.history.versions[name] = min(self.history.versions[name] + 1, VERSIONS)
            case 3:
                self.upkeep()
            case _:
                self.load()

    def upkeep(self):
        self.counts["upkeep"] += 1
        action = self.random.choice([["clear"], ["trim", "--max-size", "2000"], ["verify"]])
        done = self.run("cache", *action)
        self.expect(f"cache {action[0]} is done", done.returncode == 0, done.stderr)
        if action == ["clear"]:
            self.asked.clear()

    def load(self):
        name, size = self.random.randrange(NAMES), self.random.choice(SIZES)
        reloads, dies = self.random.random() < 0.4, self.random.random() < 0.3
        output = self.scratch / "picture.png"
        output.unlink(missing_ok=True)
        # A size that has not been asked for since the cache was empty is made of the source, which the reload has replaced.
        floor = max(self.floors.get((name, size), 0), 0 if (name, size) in self.asked else self.newest[name])
        self.asked.add((name, size))
        command = ["thumb", f"{self.history.base}/{name}.png", "--output", output, "--size", str(size)]
        if reloads:
            command.append("--reload")
        if dies:
            self.counts["kills"] += 1
            self.run(*command, dies_after=self.random.uniform(0, 0.15))
        else:
            self.counts["reloads" if reloads else "loads"] += 1
            done = self.run(*command)
            if not self.expect("a picture comes", done.returncode == 0 and output.exists(), done.stderr):
                return
        if not output.exists():
            return
        seen, version = self.look(output)
        about = f"{name}.png of version {version} at size {size}, at least {floor}, of {self.history.versions[name]}"
        self.expect("it is the right picture", seen == name, about)
        self.expect("its version is no older than what a reload has shown", floor <= version <= self.history.versions[name], about)
        if reloads and not dies:
            self.expect("a reload shows the newest version", version == self.history.versions[name], about)
            self.floors[name, size] = self.newest[name] = version

    @staticmethod
    def look(path: Path) -> tuple[int, int]:
        with Image.open(path) as picture:
            red, green, _ = picture.convert("RGB").getpixel((picture.width // 2, picture.height // 2))
        return round(red / 40), round(green / 4)

    def run(self, *command, dies_after: float | None = None) -> subprocess.CompletedProcess:
        fetch = Fetch(self.binary, self.scratch)
        whole = [str(part) for part in [self.binary, *command, "--cache", self.scratch / "cache"]]
        process = subprocess.Popen(whole, env=fetch.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            _, error = process.communicate(timeout=TIME_LIMIT if dies_after is None else dies_after)
        except subprocess.TimeoutExpired:
            process.kill()
            _, error = process.communicate()
        return subprocess.CompletedProcess(whole, process.returncode, None, error)

    def expect(self, name: str, holds: bool, detail: object) -> bool:
        """Only what does not hold is said: there are thousands."""
        return bool(holds) or self.checks.that(name, False, detail)


def soak(checks: Checks, binary: Path, scratch: Path, seconds: float, seed: int):
    with History() as history:
        trial = Trial(checks, binary, scratch, history, seed)
        end = time.monotonic() + seconds
        # Other trials may have failed before.
        failures = checks.failed
        while time.monotonic() < end and checks.failed == failures:
            trial.step()
    checks.that(f"each picture fits the origin's history ({trial.counts}, seed {seed})", checks.failed == failures)


def check(checks: Checks, binary: Path, scratch: Path):
    soak(checks, binary, scratch, SECONDS, SEED)


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 3 or not Path(arguments[0]).is_file():
        print(__doc__, file=sys.stderr)
        return 2
    seconds = float(arguments[1]) if len(arguments) > 1 else 120
    seed = int(arguments[2]) if len(arguments) > 2 else random.randrange(1 << 32)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="calotype-reloads-") as scratch:
        soak(checks, Path(arguments[0]).resolve(), Path(scratch), seconds, seed)
    print(checks.summary(), flush=True)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
