"""What summary, report, contact sheet, cache and metrics count, against what an origin has seen and what lies on the disk."""

import io
import json
import os
import re
import subprocess
import threading
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

from support.checks import Checks
from support.command import Commands
from support.serving import RunningServer


def check(checks: Checks, binary: Path, scratch: Path):
    with CountingOrigin() as origin:
        trial = Counting(checks, binary, scratch, origin)
        trial.a_run_with_everything()
        trial.a_second_run()
        trial.a_cache_on_a_full_disk()
        trial.a_server()


class CountingOrigin:
    """/ok/N is a picture, /cut/N one whose first answer is half of it, all else 404; counts requests and bytes of pictures."""

    def __init__(self):
        self.requests: Counter[str] = Counter()
        self.sent = 0
        self.lock = threading.Lock()
        origin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self) -> "CountingOrigin":
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, request: BaseHTTPRequestHandler):
        kind, _, name = request.path.strip("/").partition("/")
        with self.lock:
            self.requests[request.path] += 1
            is_cut = kind == "cut" and self.requests[request.path] == 1
        body = picture(int(name)) if name.isdigit() and kind in ("ok", "cut") else b""
        request.send_response(200 if body else 404)
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Cache-Control", "max-age=3600")
        request.end_headers()
        sent = body[: len(body) // 2] if is_cut else body
        with self.lock:
            self.sent += len(sent)
        request.wfile.write(sent)
        request.close_connection = is_cut


def picture(number: int) -> bytes:
    output = io.BytesIO()
    image = Image.effect_noise((200 + number % 50, 150), 90).convert("RGB")
    image.save(output, "JPEG", quality=90)
    return output.getvalue()


class Counting(Commands):
    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: CountingOrigin):
        super().__init__(checks, binary, scratch, origin.base)
        self.origin = origin
        base = origin.base
        self.distinct = [f"{base}/ok/{number}" for number in range(20)] + [f"{base}/cut/{number}" for number in range(20, 23)]
        self.urls = [f"{base}/ok/99"] * 500 + self.distinct + [f"{base}/none/{number}" for number in range(4)]

    def fetch(self, name: str, *options, urls: list[str] | None = None, cache: Path | None = None):
        """Runs, and returns the summary, the report by URL, and the run itself."""
        listing, report = self.scratch / f"{name}.txt", self.scratch / f"{name}.jsonl"
        listing.write_text("\n".join(urls or self.urls) + "\n")
        done = self.run(
            "fetch", listing, "-o", self.scratch / name, "--allow-private", "--progress", "json", "--report", report,
            "--cache", cache or self.scratch / "cache", *options,
        )
        summary = json.loads(done.error.splitlines()[-1])
        return summary, [json.loads(line) for line in report.read_text().splitlines()], done

    def entries(self, cache: Path) -> int:
        return json.loads(self.run("cache", "stats", "--cache", cache, "--json").out)["entries"]

    def a_run_with_everything(self):
        sheet = self.scratch / "sheet.html"
        summary, report, done = self.fetch("all", "--size", "64", "--contact-sheet", sheet)
        statuses = Counter(entry["status"] for entry in report)
        told = {"ok": summary["ok"], "failed": summary["failed"]}
        self.checks.equal("the summary counts what the report has", told, dict(statuses), str(done))
        self.checks.equal("the summary counts failures", summary["failures"], {"http_404": 4})
        self.checks.equal("what was received is what the origin sent", summary["bytes_in"], self.origin.sent)
        for entry in report:
            path = entry["url"].removeprefix(self.origin.base)
            if path == "/ok/99":
                continue
            self.checks.equal(f"attempts for {path}", entry["attempts"], self.origin.requests[path])
        files = [path for path in (self.scratch / "all").iterdir()]
        self.checks.equal("files", (summary["files"], summary["ok"]), (len(files), len(files)))
        self.checks.equal("their bytes", summary["bytes_out"], sum(path.stat().st_size for path in files))
        told = sum(entry["bytes"] or 0 for entry in report)
        self.checks.equal("their bytes in the report", told, summary["bytes_out"])
        self.checks.equal("stored is what the cache has", summary["stored"], self.entries(self.scratch / "cache"))
        rows = re.search(r'data-rows="([0-9 ]*)"', sheet.read_text()).group(1).split()
        self.checks.equal("the timeline has a row for each entry", sorted(map(int, rows)), list(range(len(self.urls))))

    def a_second_run(self):
        requests, sent = sum(self.origin.requests.values()), self.origin.sent
        summary, report, done = self.fetch("again", "--size", "64", urls=self.distinct)
        told = [summary[key] for key in ("ok", "bytes_in", "cache", "stored")]
        self.checks.equal("a run from the cache", told, [23, 0, {"hit": 23}, 0], str(done))
        self.checks.equal("its attempts", {entry["attempts"] for entry in report}, {0})
        asked = (sum(self.origin.requests.values()), self.origin.sent)
        self.checks.equal("and the origin was asked for nothing", asked, (requests, sent))

    def a_cache_on_a_full_disk(self):
        disk = self.scratch / "disk"
        disk.mkdir()
        mounted = os.geteuid() == 0 and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], stderr=subprocess.DEVNULL
        ).returncode
        if not mounted:
            self.checks.skip("a cache on a full disk", "a small tmpfs cannot be mounted here (needs root)")
            return
        try:
            cache = disk / "cache"
            urls = [f"{self.origin.base}/ok/{number}" for number in range(1000, 1060)]
            summary, _, done = self.fetch("full", "--format", "original", urls=urls, cache=cache)
            self.checks.equal("a cache on a full disk: all pictures come", summary["ok"], 60, str(done))
            self.checks.that("a cache on a full disk: not all are stored", summary["stored"] < 60, summary)
            self.checks.equal("a cache on a full disk: stored is what it has", summary["stored"], self.entries(cache))
            fill(disk / "rest")
            for action in ("verify", "trim", "clear"):
                done = self.run("cache", action, "--cache", cache)
                self.checks.that(f"cache {action} on a full disk does not blame others", "another" not in done.error, done)
                self.checks.equal(f"cache {action} on a full disk: exit code", done.exit, 1, str(done))
        finally:
            subprocess.run(["umount", disk], check=True)

    def a_server(self):
        requests, sent = sum(self.origin.requests.values()), self.origin.sent
        with RunningServer(self.binary, self.scratch / "serve", "--allow-private", "--cache", self.scratch / "served") as server:
            for width in (32, 48):
                for number in range(2000, 2005):
                    url = f"{server.base}/insecure/rs:fit:{width}:{width}/plain/{self.origin.base}/ok/{number}@png"
                    urllib.request.urlopen(url, timeout=60).read()
            asked = sum(self.origin.requests.values()) - requests
            self.checks.equal("metrics: requests", server.metric("calotype_source_requests_total"), asked)
            self.checks.equal("metrics: bytes", server.metric("calotype_source_bytes_total"), self.origin.sent - sent)


def fill(path: Path):
    """Takes all the room that is left."""
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            pass
