"""`calotype serve` as a process of its own, asked by curl."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from support.checks import eventually
from support.measure import process_tree

LISTENING = re.compile(r"^listening on (http://\S+)$", re.MULTILINE)
START_LIMIT = 30  # seconds
CURL_LIMIT = 60


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    def __str__(self) -> str:
        return f"{self.status} {self.headers} {self.body[:200]!r}"


class RunningServer:
    """Listens on a port that the system chose until it is left; `environment` is added to the process'."""

    def __init__(self, binary: Path, scratch: Path, *options, environment: dict[str, str] | None = None):
        scratch.mkdir(parents=True, exist_ok=True)
        self.log = scratch / "serve.log"
        homes = {name: str(scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("IMGPROXY_", "CALOTYPE_"))}
        self._told = open(self.log, "wb")
        self.process = subprocess.Popen(
            [str(part) for part in (binary, "serve", "--bind", "127.0.0.1:0", *options)],
            stdin=subprocess.DEVNULL, stdout=self._told, stderr=subprocess.STDOUT, env=clean | homes | (environment or {}),
        )

    def __enter__(self) -> "RunningServer":
        if not eventually(lambda: LISTENING.search(self.told()) or self.process.poll() is not None, START_LIMIT):
            raise RuntimeError("the server does not say where it listens")
        found = LISTENING.search(self.told())
        if not found:
            raise RuntimeError(f"the server ended with {self.process.poll()}: {self.told()}")
        self.base = found.group(1)
        return self

    def __exit__(self, *_):
        self.stop()
        self._told.close()

    def stop(self, by: int = signal.SIGTERM) -> int:
        """Ends it and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def told(self) -> str:
        return self.log.read_text(errors="replace")

    def workers(self) -> list[int]:
        return [pid for pid in process_tree(self.process.pid) if pid != self.process.pid]

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def metric(self, name: str) -> float:
        """Returns the sum of a metric over its labels."""
        with urllib.request.urlopen(f"{self.base}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        found = [line for line in lines if re.match(rf"{name}(\{{| )", line)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in found)

    def url(self, path: str) -> str:
        return path if path.startswith("http") else self.base + path

    def get(self, path: str, *options: str) -> Answer:
        """Asks with curl, which sends the path as it is."""
        return curl(self.url(path), *options)


def curl(url: str, *options: str) -> Answer:
    command = ["curl", "--silent", "--path-as-is", "--globoff", "--max-time", str(CURL_LIMIT), "--dump-header", "/dev/fd/1"]
    started = time.monotonic()
    done = subprocess.run([*command, *options, url], capture_output=True, timeout=CURL_LIMIT + 10, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - started
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    while head.startswith(b"HTTP/1.1 100"):
        head, _, body = body.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = int(lines[0].split()[1]) if lines[0].startswith("HTTP/") else 0
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return Answer(status, headers, body, seconds)


def told_json(answer: Answer) -> dict:
    try:
        return json.loads(answer.body)
    except ValueError:
        return {}
