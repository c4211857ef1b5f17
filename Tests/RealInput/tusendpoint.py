"""tuspy, a client that knows nothing of Calotype, stops uploads to the tus endpoint of `calotype origin` and goes on with
them, meets faults, and comes in a crowd.
"""

import hashlib
import threading
import urllib.request
from pathlib import Path

from servers.cache import APPS, Unavailable, call, environment
from support.checks import Checks
from support.origin import RunningOrigin

CHUNK = 512 << 10
SIZE = 5_000_000


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        python = environment("clients") / "bin" / "python"
    except Unavailable as error:
        return checks.skip("tuspy, stopped and resumed", str(error))
    with RunningOrigin(binary) as origin:
        trial = TusEndpoint(checks, origin, python, scratch)
        trial.whole()
        trial.resumed()
        trial.with_checksums()
        trial.under_faults()
        trial.at_once()


class TusEndpoint:
    """The cases, each with a file of its own."""

    def __init__(self, checks: Checks, origin: RunningOrigin, python: Path, scratch: Path):
        self.checks, self.origin, self.python, self.scratch = checks, origin, python, scratch

    def file(self, name: str, size: int = SIZE) -> Path:
        path = self.scratch / name
        path.write_bytes((name.encode() * (size // len(name) + 1))[:size])
        return path

    def upload(self, path: Path, chunks: int, base: str = "", checksum: str = "none") -> list[str]:
        """Uploads some chunks; returns the offset at the beginning, the URL and the offset at the end."""
        store = self.scratch / f"{path.name}.urls"
        arguments = [f"{self.origin.base}{base}/tus/", path, store, CHUNK, chunks, checksum]
        try:
            return call(self.python, "-B", APPS / "tuspy_chunks.py", *arguments).split()
        except Unavailable as error:
            self.checks.that(f"{path.name}: succeeds", False, error)
            return ["0", "", "0"]

    def received(self, url: str) -> dict:
        """Returns what the origin says of an upload; nothing where it does not know it."""
        name = url.rsplit("/", 1)[-1]
        return next((upload for upload in self.origin.json("/received")["uploads"] if upload["id"] == name), {})

    def is_whole(self, path: Path, url: str):
        content = path.read_bytes()
        digest = self.received(url).get("sha256")
        if not self.checks.equal(f"{path.name}: the digest", digest, hashlib.sha256(content).hexdigest()):
            return
        with urllib.request.urlopen(url, timeout=60) as answer:
            self.checks.that(f"{path.name}: it comes back", answer.read() == content)

    def whole(self):
        path = self.file("whole")
        _, url, offset = self.upload(path, 1000)
        self.checks.equal("whole: the offset", int(offset), SIZE)
        self.is_whole(path, url)
        upload = self.received(url)
        self.checks.equal("whole: the metadata", upload.get("metadata"), {"filename": "a b.jpg"})
        self.checks.equal("whole: each byte came once", upload.get("bytes_received"), SIZE)

    def resumed(self):
        path = self.file("resumed")
        _, first, offset = self.upload(path, 4)
        self.checks.equal("resumed: where it stops", int(offset), 4 * CHUNK)
        self.checks.equal("resumed: what is there", self.received(first).get("offset"), 4 * CHUNK)
        begun, url, _ = self.upload(path, 1000)
        self.checks.equal("resumed: the same upload", url, first)
        self.checks.equal("resumed: where it goes on", int(begun), 4 * CHUNK)
        self.is_whole(path, url)
        self.checks.equal("resumed: each byte came once", self.received(url).get("bytes_received"), SIZE)

    def with_checksums(self):
        path = self.file("checksums", 1_500_000)
        _, url, _ = self.upload(path, 1000, checksum="checksum")
        self.is_whole(path, url)

    def under_faults(self):
        for number, fault in enumerate(["503:1@PATCH", "lost-answer@PATCH", "cut:50", "absolute", "other-host"]):
            path = self.file(f"fault-{number}", 1_500_000)
            _, url, _ = self.upload(path, 1000, f"/publish-faults/{fault}")
            self.is_whole(path, url)

    def at_once(self):
        """Twenty files at a time."""
        paths = [self.file(f"crowd-{number}", 1_000_000) for number in range(20)]
        found: dict[Path, list[str]] = {}
        threads = [
            threading.Thread(target=lambda path=path: found.update({path: self.upload(path, 1000)})) for path in paths
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for path in paths:
            self.is_whole(path, found[path][1])
