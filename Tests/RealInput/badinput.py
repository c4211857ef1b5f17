"""Bad lists, bad origins, bad pictures, a full disk and an impatient user: each a clear error, and nothing left behind."""

import os
import select
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

from PIL import Image

from support import bomb
from support.checks import Checks, eventually
from support.faulty import Faulty
from support.fetch import Fetch
from support.silence import NeverAnswers, Refuses

FIT = ["--fit", "64x64"]
# The bound of the command is 0.2 s; the rest is for a busy machine.
# No timeout of the command is as short. How fast it stops is measured elsewhere.
STOP_SECONDS = 20


def check(checks: Checks, binary: Path, scratch: Path):
    folder = scratch / "origin"
    folder.mkdir(parents=True)
    draw_pictures(folder)
    with Faulty(folder) as faulty, Refuses() as refuses, NeverAnswers() as silent:
        trial = BadInput(checks, binary, scratch, faulty)
        trial.each_failure_has_its_code(refuses, silent)
        trial.lists_are_read_as_described()
        trial.passwords_are_not_shown()
        trial.what_ends_a_run_before_it_starts()
        trial.private_addresses_need_permission()
        trial.full_disk()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            trial.interrupted(number)
        trial.killed()


def draw_pictures(folder: Path):
    noise = Image.effect_noise((640, 480), 90).convert("RGB")
    noise.save(folder / "good.jpg", quality=90)
    noise.save(folder / "progressive.jpg", quality=90, progressive=True)
    noise.save(folder / "good.png")
    bomb.write_bomb(folder / "bomb.png", rows=100)


class BadInput:
    """The cases; each in a folder of its own below `scratch`."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, faulty: Faulty):
        self.checks, self.binary, self.scratch, self.faulty = checks, binary, scratch, faulty

    def fetch(self, name: str, output: Path | None = None) -> Fetch:
        return Fetch(self.binary, self.scratch / name, output)

    def each_failure_has_its_code(self, refuses: Refuses, silent: NeverAnswers):
        url = self.faulty.url
        cases = {
            "not a URL": ("certainly no url", {"invalid_url"}),
            "no host": ("http:///x.jpg", {"invalid_url"}),
            "an unknown scheme": ("gopher://example.com/x.jpg", {"unsupported_scheme"}),
            "404": (url("404/x.jpg"), {"http_404"}),
            "500": (url("500/x.jpg"), {"http_500"}),
            "HTML instead of a picture": (url("html/x.jpg"), {"unsupported_format"}),
            "a JPEG cut on the way": (url("cut/good.jpg"), {"truncated_body"}),
            "half a JPEG": (url("half/good.jpg"), {"truncated_image"}),
            "half a progressive JPEG": (url("half/progressive.jpg"), {"truncated_image"}),
            "half a PNG": (url("half/good.png"), {"truncated_image", "corrupt_image"}),
            "a PNG of 65,000 x 65,000 in a kilobyte": (url("file/bomb.png"), {"too_many_pixels"}),
            "a body that never ends": (url("endless/good.jpg"), {"too_many_bytes"}),
            "a body of two bytes a second": (url("slow/good.jpg"), {"too_slow", "timeout_total", "timeout_idle"}),
            "no answer": (url("hang/x.jpg"), {"timeout_headers", "timeout_total"}),
            "a redirect loop": (url("loop/x.jpg"), {"too_many_redirects"}),
            "a refused connection": (refuses.url("x.jpg"), {"connect_failed"}),
            "a host that never answers": (silent.url("x.jpg"), {"timeout_connect", "timeout_total"}),
            "an unknown host": ("http://calotype-test.invalid/x.jpg", {"dns_failed"}),
        }
        options = [*FIT, "--timeout", "5", "--retries", "0"]
        only_bad = self.fetch("only-failures")
        finished = only_bad.run([line for line, _ in cases.values()], *options)
        self.checks.equal("only failures: exit code", finished.exit, 3, finished.told())
        self.checks.equal("only failures: no file is left", only_bad.files(), [])
        for (name, (line, wanted)), entry in zip(cases.items(), self.by_index(finished.report, len(cases))):
            self.checks.that(
                f"{name} is {' or '.join(sorted(wanted))}",
                entry.get("code") in wanted and entry.get("status") == "failed" and bool(entry.get("message")),
                entry,
            )
            self.checks.equal(f"{name}: the report gives the URL as it was given", entry.get("url"), line)
        mixed = self.fetch("some-failures")
        finished = mixed.run([url("404/x.jpg"), url("file/good.jpg"), url(f"redirect/1?to={url('file/good.png')}")], *FIT)
        self.checks.equal("some failures: exit code", finished.exit, 1, finished.told())
        self.checks.equal("some failures: the good ones come out", finished.codes(), ["http_404", "ok", "ok"])
        names = [path.name for path in mixed.files()]
        self.checks.equal("some failures: only the good ones have files", names, ["000000001.jpg", "000000002.jpg"])

    def lists_are_read_as_described(self):
        good = self.faulty.url("file/good.jpg")
        content = f"\ufeff# a comment\r\n\r\n  {good}?a,\"b\" \t\r\n   \n#{good}\n{good}?x y\n{good}?ä".encode()
        finished = self.fetch("dialect").run_list(content, *FIT)
        self.checks.equal("BOM, CRLF, comments and blank lines: exit code", finished.exit, 0, finished.told())
        self.checks.equal("BOM, CRLF, comments and blank lines take no index", finished.codes(), ["ok"] * 3)
        self.checks.equal(
            "the report gives each URL as it was given",
            [entry["url"] for entry in self.by_index(finished.report, 3)],
            [f'{good}?a,"b"', f"{good}?x y", f"{good}?ä"],
        )
        finished = self.fetch("standard-input").run_stdin(f"{good}\n".encode(), *FIT)
        self.checks.equal("a list on standard input", (finished.exit, finished.codes()), (0, ["ok"]), finished.told())

    def passwords_are_not_shown(self):
        bad, good = (self.faulty.url(path).replace("://", "://bob:secret@") for path in ("404/x.jpg", "file/good.jpg"))
        fetch = self.fetch("passwords")
        files = {kind: fetch.scratch / f"told.{kind}" for kind in ("html", "json")}
        finished = fetch.run([bad, good], *FIT, "--contact-sheet", str(files["html"]), "--trace", str(files["json"]), "--progress", "json")
        self.checks.equal("URLs with passwords are fetched", finished.codes(), ["http_404", "ok"], finished.told())
        told = {kind: path.read_text() for kind, path in files.items()} | {"report": fetch.report.read_text(), "progress": finished.error}
        run = {"capture_output": True, "text": True, "env": fetch.environment(), "stdin": subprocess.DEVNULL}
        for name, words in {
            "info": ["info", bad, good], "thumb": ["thumb", bad, "-o", fetch.scratch / "x.jpg"],
            "a wrong option": ["robot", "x", "-o", "x.png", "--api", "http://bob:secret@127.0.0.1:1"],
        }.items():
            done = subprocess.run([str(word) for word in [self.binary, *words]], **run)
            told[name] = done.stdout + done.stderr
        for name, text in told.items():
            self.checks.that(f"no password is told: {name}", "127.0.0.1" in text and "secret" not in text or name == "progress" and "secret" not in text, text[:500])

    def what_ends_a_run_before_it_starts(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/x.jpg"
            a_file = self.scratch / "a-file"
            a_file.write_text("in the way")
            runs = {
                "an empty list": self.fetch("empty").run_list(b"", *FIT),
                "a list of comments": self.fetch("comments").run_list(b"# nothing\n\n", *FIT),
                "an output folder that cannot be made": self.fetch("unwritable", a_file / "output").run([url], *FIT),
                "a wrong size": self.fetch("wrong-size").run([url], "--fit", "0x-1"),
                "a wrong format": self.fetch("wrong-format").run([url], "--format", "jpegg"),
            }
            for name, finished in runs.items():
                self.checks.equal(f"{name}: exit code", finished.exit, 2, finished.told())
                self.checks.that(f"{name}: says why", bool(finished.error.strip()), "nothing on standard error")
            self.checks.that(
                "none of these makes a request", not select.select([listener], [], [], 0)[0], "a connection was made"
            )
        process = subprocess.run([self.binary, "fetch", url, "--ouput", "x"], capture_output=True, text=True)
        self.checks.equal("a misspelt option: exit code", process.returncode, 2, process.stderr)
        self.checks.that("a misspelt option: names the right one", "--output" in process.stderr, process.stderr)

    def private_addresses_need_permission(self):
        finished = self.fetch("private").run([self.faulty.url("file/good.jpg")], *FIT, allow_private=False)
        self.checks.equal("a loopback URL: exit code", finished.exit, 3, finished.told())
        self.checks.equal("a loopback URL is blocked_address", finished.codes(), ["blocked_address"])
        told = finished.error + "".join(entry.get("message") or "" for entry in finished.report)
        self.checks.that("a loopback URL: says how to allow it", "--allow-private" in told, told)

    def full_disk(self):
        disk = self.scratch / "disk"
        disk.mkdir()
        mounted = os.geteuid() == 0 and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], stderr=subprocess.DEVNULL
        ).returncode
        if not mounted:
            self.checks.skip("a full disk", "a small tmpfs cannot be mounted here (needs root)")
            return
        try:
            fetch = self.fetch("full-disk", disk / "output")
            # More than are under way at a time.
            urls = [self.faulty.url(f"file/{number}/good.jpg") for number in range(1500)]
            finished = fetch.run(urls, "--fit", "256x256")
            codes = finished.codes()
            self.checks.equal("a full disk: exit code", finished.exit, 1, finished.told())
            self.checks.that("a full disk: ends the run", "stopped: " in finished.error and len(codes) < len(urls), finished.told())
            rest = set(codes) - {"ok", "storage_failed", "cancelled"}
            self.checks.that("a full disk: what does not come out says so", "storage_failed" in codes and not rest, codes)
            wanted = {f"{index:09}.jpg" for index, code in enumerate(codes) if code == "ok"}
            self.checks.equal("a full disk: no temporary file is left", {path.name for path in fetch.files()}, wanted)
            self.all_files_are_whole("a full disk", fetch)
            subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
            finished = fetch.run(urls, "--fit", "256x256")
            self.checks.equal("with more room another run goes on: exit code", finished.exit, 0, finished.told())
            self.checks.equal("with more room another run knows what is there", set(finished.codes()), {"ok", "skipped"})
        finally:
            subprocess.run(["umount", disk], check=True)

    def interrupted(self, number: signal.Signals):
        name = signal.Signals(number).name
        fetch = self.fetch(name.lower())
        process = fetch.start(self.mixed_with_hanging(), *FIT, "--per-host", "32", "--concurrency", "32", "--retries", "0")
        eventually(lambda: len(fetch.files()) > 5 or process.poll() is not None, 60)
        written, early = len(fetch.files()), process.poll()
        started = self.checks.that(
            f"{name}: the run is under way", written > 5 and early is None, f"{written} files, exit code {early}"
        )
        process.send_signal(number)
        sent = time.monotonic()
        self.wait_or_kill(process, 30)
        took = time.monotonic() - sent
        finished = fetch.finish(process)
        self.checks.equal(f"{name}: exit code", finished.exit, 128 + number, finished.told())
        said, _, line = finished.error.rpartition("Run the same command to continue:\n")
        self.checks.that(f"{name}: says how much is done", "Interrupted: " in said and " not done" in said, finished.told())
        self.checks.equal(f"{name}: prints the command to continue", shlex.split(line), process.args)
        self.checks.that(f"{name}: stops at once", started and took <= STOP_SECONDS, f"{took:.2f} s")
        self.checks.that(f"{name}: a summary is written", bool(finished.error.strip()), "nothing on standard error")
        statuses = {entry["status"] for entry in finished.report}
        self.checks.that(f"{name}: what was started is cancelled", "cancelled" in statuses, statuses)
        done = {f"{entry['index']:09}.jpg" for entry in finished.report if entry["status"] == "ok"}
        self.checks.equal(f"{name}: the files are those that the report calls ok", {p.name for p in fetch.files()}, done)
        self.all_files_are_whole(name, fetch)

    def killed(self):
        fetch = self.fetch("killed")
        urls = [self.faulty.url(f"file/{number}/good.jpg") for number in range(1000)]
        process = fetch.start(urls, *FIT)
        under_way = eventually(lambda: len(fetch.files()) > 50, 60) and process.poll() is None
        process.kill()
        process.wait()
        process.stderr.close()
        self.checks.that("SIGKILL strikes in the middle of a run", under_way, "too early or too late")
        self.all_files_are_whole("SIGKILL", fetch)
        finished = fetch.run(urls, *FIT)
        self.checks.equal("after SIGKILL a second run completes: exit code", finished.exit, 0, finished.told())
        self.checks.equal("after SIGKILL a second run knows what is there", set(finished.codes()), {"ok", "skipped"})
        wanted = [f"{index:09}.jpg" for index in range(len(urls))]
        self.checks.equal("after SIGKILL a second run leaves nothing but pictures", [p.name for p in fetch.files()], wanted)

    def mixed_with_hanging(self) -> list[str]:
        urls = []
        for number in range(100):
            urls += [self.faulty.url(f"file/{number}/good.jpg")] * 4 + [self.faulty.url(f"hang/{number}")]
        return urls

    def all_files_are_whole(self, name: str, fetch: Fetch):
        broken = []
        # A hidden temporary file may outlive SIGKILL until the next run; no reader takes it for a picture.
        for path in (path for path in fetch.files() if not path.name.startswith(".")):
            try:
                with Image.open(path) as opened:
                    opened.load()
            except (OSError, SyntaxError) as error:
                broken.append(f"{path.name}: {error}")
        self.checks.equal(f"{name}: no file is half written", broken, [])

    def by_index(self, report: list[dict], count: int) -> list[dict]:
        entries = {entry["index"]: entry for entry in report}
        return [entries.get(index, {}) for index in range(count)]

    def wait_or_kill(self, process: subprocess.Popen, seconds: float):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
