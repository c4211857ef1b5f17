"""What commands write, and where to: through links and into FIFOs, in a format that the name tells, in full or with an error.

Nothing here is written to /dev: a command with the defect that this looks for would replace the node.
"""

import json
import os
import resource
import sqlite3
import stat
import subprocess
import threading
from pathlib import Path

from PIL import Image

from support.checks import Checks
from support.command import Commands
from support.origin import RunningOrigin
from support.silence import NeverAnswers

JPEG, PNG = b"\xff\xd8\xff", b"\x89PNG"


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    with RunningOrigin(binary) as origin:
        trial = Outputs(checks, binary, scratch, origin)
        trial.links_and_fifos()
        trial.folders_with_links()
        trial.endings()
        trial.for_programs()
        with NeverAnswers() as silent:
            trial.closed_pipes(silent)
        trial.newer_cache()
        trial.little_memory()


class Outputs(Commands):
    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
        super().__init__(checks, binary, scratch, origin.base)
        self.origin = origin
        self.source = scratch / "source.png"
        Image.effect_noise((64, 48), 90).convert("RGB").save(self.source)
        self.urls = origin.get("/list.txt").decode().split()

    def fetch(self, name: str, *options, urls: list[str] | None = None) -> list:
        return ["fetch", *(urls or self.urls[:3]), "-o", self.scratch / name, "--allow-private", "--size", "64", "-q", *options]

    def links_and_fifos(self):
        """Each command that writes a file: the link stays and its target gets the bytes, the FIFO stays and gives them."""
        cases = {
            "thumb -o": (lambda path: ["thumb", self.source, "-o", path], JPEG),
            "robot -o": (lambda path: ["robot", "ada", "-o", path], PNG),
            "fetch --report": (lambda path: self.fetch("report", "--report", path), b'{"index":'),
            "fetch --contact-sheet": (lambda path: self.fetch("sheet", "--contact-sheet", path), b"<!doctype"),
            "fetch --trace": (lambda path: self.fetch("trace", "--trace", path), b"{"),
        }
        for number, (name, (arguments, beginning)) in enumerate(cases.items()):
            folder = self.scratch / f"case-{number}"
            (folder / "deep").mkdir(parents=True)
            target, link, fifo = folder / "deep" / "target", folder / "link", folder / "fifo"
            link.symlink_to("deep/target")
            target.write_bytes(b"old")
            self.expect(f"{name} LINK", self.run(*arguments(link), "--no-cache"), 0)
            self.checks.that(f"{name} LINK: the link is still one", link.is_symlink())
            self.holds(f"{name} LINK: its target", target.read_bytes(), beginning)
            os.mkfifo(fifo)
            with Reader(fifo) as reader:
                self.expect(f"{name} FIFO", self.run(*arguments(fifo), "--no-cache"), 0)
            self.checks.that(f"{name} FIFO: it is still one", stat.S_ISFIFO(fifo.lstat().st_mode))
            self.holds(f"{name} FIFO: what it gave", reader.bytes, beginning)
            left = sorted(path.name for path in folder.iterdir())
            self.checks.equal(f"{name}: nothing else is left", left, ["deep", "fifo", "link"])
        log = self.scratch / "log"
        log.write_bytes(b"before\n")
        with log.open("ab") as output:
            code = self.run_into(output, "thumb", self.source, "-o", "/proc/self/fd/1")
        self.checks.equal("thumb into its own standard output: exit code", code, 0)
        self.holds("thumb into its own standard output goes on with what is there", log.read_bytes(), b"before\n" + JPEG)

    def folders_with_links(self):
        folder = self.scratch / "linked"
        folder.mkdir()
        aside = self.scratch / "aside"
        aside.write_bytes(b"mine")
        (folder / "000000000.jpg").symlink_to(aside)
        os.mkfifo(folder / "000000001.jpg")
        done = self.run(*self.fetch("linked", "--report", "-"), "--no-cache")
        codes = {entry["index"]: entry["code"] for entry in done.objects()}
        self.checks.equal("a folder with a link and a FIFO: exit code", done.exit, 1, str(done))
        self.checks.equal("a folder with a link and a FIFO", codes, {0: "storage_failed", 1: "storage_failed", 2: None})
        self.checks.that("the link in the folder is left", (folder / "000000000.jpg").is_symlink())
        self.checks.that("the FIFO in the folder is left", stat.S_ISFIFO((folder / "000000001.jpg").lstat().st_mode))
        self.checks.equal("what the link leads to is left", aside.read_bytes(), b"mine")

    def endings(self):
        for name in ("x.svg", "x.jp2", "x.bmp", "x.2026"):
            path = self.scratch / name
            for command in (["thumb", self.source], ["robot", "ada"]):
                done = self.expect(f"{command[0]} -o {name}", self.run(*command, "-o", path), 2, path.suffix[1:])
                self.checks.that(f"{command[0]} -o {name} writes nothing", not path.exists(), done)
        for name, kind in {"a.JPG": JPEG, "a.jpeg": JPEG, "a.png": PNG, "a.v1/none": JPEG}.items():
            path = self.scratch / name
            path.parent.mkdir(exist_ok=True)
            self.expect(f"thumb -o {name}", self.run("thumb", self.source, "-o", path), 0)
            self.holds(f"thumb -o {name}", path.read_bytes(), kind)
        odd = self.scratch / "odd.gif"
        self.expect("thumb -o odd.gif --format png", self.run("thumb", self.source, "-o", odd, "--format", "png"), 0)
        self.holds("thumb -o odd.gif --format png", odd.read_bytes(), PNG)

    def for_programs(self):
        """With --progress json standard error has nothing but objects, messages among them, and the summary is the last."""
        report, cache = self.scratch / "programs.jsonl", self.source / "no-folder"
        urls = [*self.urls[:3], f"{self.origin.base}/none.jpg"]
        options = ["-o", self.scratch / "programs", "--allow-private", "--size", "64", "--progress", "json"]
        done = self.run("fetch", *urls, *options, "--report", report, "--cache", cache)
        events = self.all_objects("--progress json", done)
        words = [event.get("event") for event in events]
        last = [place for place, word in enumerate(words) if word == "summary"]
        self.checks.equal("--progress json: the summary is the last", last, [len(words) - 1], str(done))
        self.checks.that("--progress json: messages are objects", "message" in words and "progress" in words, words)
        told = {key: events[-1].get(key) for key in ("ok", "failed", "failures", "exit_code", "files")}
        wanted = {"ok": 3, "failed": 1, "failures": {"http_404": 1}, "exit_code": 1, "files": 3}
        self.checks.equal("--progress json: what the summary says", told, wanted)
        self.checks.equal("--progress json: exit code", done.exit, 1)
        done = self.run("fetch", *urls, "-o", self.source, "--progress", "json")
        events = self.all_objects("--progress json, and a run that cannot begin", done)
        self.checks.equal("--progress json, and a run that cannot begin", [done.exit, len(events)], [2, 1], str(done))

    def all_objects(self, name: str, done) -> list[dict]:
        try:
            events = [json.loads(line) for line in done.error.splitlines()]
        except ValueError as error:
            events = []
            self.checks.that(f"{name}: every line is an object", False, f"{error}: {done}")
        return events or [{}]

    def closed_pipes(self, silent: NeverAnswers):
        """A reader that has gone ends what is for it, and that is no success."""
        cases = {
            "thumb -o -": (["thumb", self.source, "-o", "-"], 3, "standard output"),
            "robot -o -": (["robot", "ada", "-o", "-"], 3, "standard output"),
            # Without its end the command would wait for the last URL until its time is over.
            "fetch --report -": (
                self.fetch("closed", "--report", "-", "--timeout", "10000", urls=[*self.urls[:2], silent.url("x.jpg")]),
                1, "the report is incomplete",
            ),
        }
        for name, (arguments, code, said) in cases.items():
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run(
                self.line(arguments), stdout=writer, stderr=subprocess.PIPE, env=self.environment(), timeout=120, text=True
            )
            os.close(writer)
            self.checks.equal(f"{name} into a closed pipe: exit code", done.returncode, code, done.stderr)
            self.checks.that(f"{name} into a closed pipe: says why", said in done.stderr, done.stderr)

    def newer_cache(self):
        cache = self.scratch / "newer"
        self.run(*self.fetch("newer-1", "--cache", cache))
        with sqlite3.connect(cache / "index.db") as index:
            index.execute("PRAGMA user_version = 2")
        index.close()
        before = {path.name: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
        done = self.expect("a newer cache", self.run(*self.fetch("newer-2", "--cache", cache)), 0, "newer version of Calotype")
        self.checks.that("a newer cache is not called damaged", "damaged" not in done.error, done)
        for action in ("stats", "verify", "clear", "trim"):
            done = self.run("cache", action, "--cache", cache)
            self.checks.that(f"cache {action} of a newer cache", done.exit == 1 and "newer version" in done.error, done)
        after = {path.name: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
        self.checks.equal("a newer cache is left as it is", sorted(after), sorted(before))
        self.checks.that("a newer cache: its files too", after == before, "bytes have changed")

    def little_memory(self):
        """Too little address space is told before anything is begun; with any amount of it nothing crashes."""
        serve = ["serve", "--bind", "127.0.0.1:0"]
        for name, arguments in {"fetch": self.fetch("poor"), "serve": serve, "album": ["album", "1"]}.items():
            done = self.limited(200_000, *arguments)
            self.checks.equal(f"{name} with ulimit -v 200000: exit code", done.returncode, 2, done.stderr[:500])
            self.checks.that(f"{name} with ulimit -v 200000: says why", "not enough memory to start" in done.stderr, done.stderr)
        url = self.urls[0]
        for kilobytes in (100_000, 150_000, 200_000, 250_000, 300_000, 350_000, 400_000, 450_000):
            commands = {
                "fetch": self.fetch(f"poor-{kilobytes}"), "thumb": ["thumb", url, "-o", self.scratch / f"{kilobytes}.jpg", "--size", "64"],
                "info": ["info", url], "cache": ["cache", "stats"],
            }
            for name, arguments in commands.items():
                done = self.limited(kilobytes, *arguments)
                crashed = done.returncode not in (0, 1, 2, 3) or "*** " in done.stderr or "Fatal" in done.stderr
                self.checks.that(f"{name} with ulimit -v {kilobytes} does not crash", not crashed, done)

    def limited(self, kilobytes: int, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.line(arguments), env=self.environment(), timeout=120, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024, kilobytes * 1024)),
        )

    def holds(self, name: str, actual: bytes, beginning: bytes):
        self.checks.that(f"{name} begins as it should", actual.startswith(beginning), actual[:40])

    def run_into(self, output, *arguments) -> int:
        return subprocess.run(
            self.line(arguments), stdout=output, stderr=subprocess.DEVNULL, env=self.environment(), timeout=120
        ).returncode


class Reader:
    """Reads a FIFO to its end beside the command that writes to it."""

    def __init__(self, fifo: Path):
        self.fifo, self.bytes = fifo, b""
        # Kept open until the command has ended, so that neither waits for the other in vain.
        self.descriptor = os.open(fifo, os.O_RDWR)
        self.reader = os.open(fifo, os.O_RDONLY)
        self.thread = threading.Thread(target=self.read)

    def __enter__(self) -> "Reader":
        self.thread.start()
        return self

    def __exit__(self, *_):
        os.close(self.descriptor)
        self.thread.join(60)
        os.close(self.reader)

    def read(self):
        while chunk := os.read(self.reader, 1 << 16):
            self.bytes += chunk
