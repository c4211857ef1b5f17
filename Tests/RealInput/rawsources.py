"""Sources that are sent as they are while they come, and what is told of pictures after a restart."""

import os
import random
import socket
import sqlite3
import threading
import urllib.parse
from pathlib import Path

from support.checks import Checks, eventually
from support.faulty import Faulty
from support.nginx import Nginx
from support.origin import RunningOrigin
from support.serving import RunningServer

LARGE = 64_000_000  # bytes; below the limit for sources
MOST_GROWTH = 10 << 20


def check(checks: Checks, binary: Path, scratch: Path, photos: Path, names: list[str]):
    large = scratch / "large"
    large.mkdir(parents=True)
    (large / "large.bin").write_bytes(random.Random(1).randbytes(LARGE))
    with Nginx(large) as nginx, RunningServer(binary, scratch / "raw", "--allow-private") as server:
        check_memory(checks, server, nginx, large)
        check_slow_client(checks, server, nginx)
    with RunningOrigin(binary, "--images", str(photos)) as origin:
        with RunningServer(binary, scratch / "early", "--allow-private", "--retries", "0") as server:
            check_first_byte(checks, server, origin, names)
        check_info(checks, binary, scratch / "info", photos, names)
    with Faulty(photos) as faulty:
        options = ("--allow-private", "--retries", "0", "--max-src-file-size", "4MiB")
        with RunningServer(binary, scratch / "cuts", *options) as server:
            check_cuts(checks, server, faulty, names, large)


def raw(source: str) -> str:
    return f"/unsafe/raw:1/plain/{urllib.parse.quote(source, safe='')}"


def connect(server: RunningServer, path: str, version: str = "1.1", buffer: int | None = None) -> socket.socket:
    """Asks for `path` on a connection of its own, that takes at most about `buffer` bytes ahead."""
    host, port = server.base.removeprefix("http://").split(":")
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.settimeout(30)
    connection.connect((host, int(port)))
    connection.sendall(f"GET {path} HTTP/{version}\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    return connection


def read_all(connection: socket.socket) -> tuple[bytes, bytes, bool]:
    """Returns the head, what follows it, and whether the connection was reset."""
    text, reset = b"", False
    try:
        while piece := connection.recv(1 << 20):
            text += piece
    except ConnectionResetError:
        reset = True
    head, _, body = text.partition(b"\r\n\r\n")
    return head, body, reset


class Peak:
    """The most resident memory of a process while its `with` block runs, beyond what it had before."""

    def __init__(self, pid: int):
        self._folder = Path(f"/proc/{pid}")

    def __enter__(self) -> "Peak":
        (self._folder / "clear_refs").write_text("5")
        self._before = self._bytes("VmRSS:")
        return self

    def __exit__(self, *_):
        self.growth = self._bytes("VmHWM:") - self._before

    def _bytes(self, name: str) -> int:
        lines = (self._folder / "status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def check_memory(checks: Checks, server: RunningServer, nginx: Nginx, large: Path):
    """A large source goes through little memory."""
    path = raw(nginx.url("large.bin"))
    server.get(path, "--output", "/dev/null")
    with Peak(server.process.pid) as peak:
        answer = server.get(path)
    checks.equal("raw, 64 MB: status", answer.status, 200)
    checks.that("raw, 64 MB: the very bytes", answer.body == (large / "large.bin").read_bytes(), len(answer.body))
    checks.equal("raw, 64 MB: the origin's length", answer.headers.get("content-length"), str(LARGE))
    checks.that("raw, 64 MB: the server grows by less than 10 MiB", peak.growth < MOST_GROWTH, peak.growth)
    tag = answer.headers.get("etag", "")
    known = server.get(path, "--header", f"If-None-Match: {tag}")
    checks.equal("raw: what a client has is not sent again", (known.status, known.body), (304, b""))
    head = server.get(path, "--head")
    checks.equal("raw: HEAD tells the length", (head.status, head.headers.get("content-length")), (200, str(LARGE)))


def check_slow_client(checks: Checks, server: RunningServer, nginx: Nginx):
    """A client that hardly reads costs nobody anything: not the others, not the memory."""
    path = raw(nginx.url("large.bin"))
    before = server.metric("calotype_source_requests_total")
    with Peak(server.process.pid) as peak:
        slow = connect(server, path, buffer=1 << 20)
        first = slow.recv(1000, socket.MSG_PEEK)
        checks.that("raw, a slow client: its answer begins", first.startswith(b"HTTP/1.1 200"), first[:100])
        fast = server.get(path, "--output", "/dev/null")
        checks.equal("raw, beside a slow client: another has all of it", fast.headers.get("content-length"), str(LARGE))
        came = eventually(lambda: server.metric("calotype_source_connections") == 0, 60)
        checks.that("raw, a slow client: the origin's connection is free", came)
    checks.equal("raw, two at a time: one download", server.metric("calotype_source_requests_total") - before, 1)
    checks.that("raw, a slow client: memory stays", peak.growth < MOST_GROWTH, peak.growth)
    _, body, reset = read_all(slow)
    checks.equal("raw, a slow client: gets all in the end", (len(body), reset), (LARGE, False))
    slow.close()
    checks.that("raw: no file is left open", eventually(lambda: not spools(server), 10), spools(server))


def spools(server: RunningServer) -> list[str]:
    """The unnamed files that the server has open."""
    found = []
    for entry in Path(f"/proc/{server.process.pid}/fd").iterdir():
        try:
            target = os.readlink(entry)
        except OSError:
            continue  # closed meanwhile
        if target.endswith("(deleted)"):
            found.append(target)
    return found


def check_first_byte(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    """The first bytes are passed on at once; who leaves takes the download along."""
    jpeg = next(name for name in names if name.endswith(".jpg"))
    connection = connect(server, raw(f"{origin.base}/slow/400/{jpeg}"))
    text = b""
    while b"\r\n\r\n" not in text or not text.partition(b"\r\n\r\n")[2]:
        text += connection.recv(4096)
    checks.equal("raw, a trickle: nobody waits for its end", origin.json("/stats")["early_hang_ups_by_prefix"].get("/slow", 0), 0)
    checks.that("raw, a trickle: it goes on", bool(connection.recv(4096)))
    connection.close()
    checks.that("raw: who leaves ends the download", eventually(lambda: origin.hung_up("/slow") == 1, 10), origin.json("/stats"))
    checks.that("raw: and its file", eventually(lambda: not spools(server), 10), spools(server))


def check_cuts(checks: Checks, server: RunningServer, faulty: Faulty, names: list[str], large: Path):
    """What does not come to its end does not look as if it had."""
    jpeg = next(name for name in names if name.endswith(".jpg"))
    size = (faulty.folder / jpeg).stat().st_size
    head, body, _ = read_all(connect(server, raw(faulty.url(f"cut-late/{jpeg}"))))
    checks.that("raw, a cut source: the length is the origin's", f"Content-Length: {size}".encode() in head, head)
    checks.that("raw, a cut source: the answer is short of it", len(body) < size, len(body))
    _, body, reset = read_all(connect(server, raw(faulty.url(f"endless/{jpeg}"))))
    checks.that("raw, an endless source: no last chunk", reset or not body.endswith(b"0\r\n\r\n"), body[-20:])
    checks.that("raw, an endless source: no more than the limit", len(body) < 5 << 20, len(body))
    head, _, _ = read_all(connect(server, raw(faulty.url(f"endless/{jpeg}")), version="1.0"))
    checks.that("raw, an endless source: an error for HTTP/1.0, which knows no chunks", b" 422 " in head.split(b"\r\n")[0], head)
    with Nginx(large) as nginx:
        answer = server.get(raw(nginx.url("large.bin")), "--header", "Accept: application/json")
        said = answer.status == 422 and b"too_many_bytes" in answer.body
        checks.that("raw, a source that says that it is too large: an error", said, answer)
    for code in ("truncated_body", "too_many_bytes"):
        line = f'"cut":true,"code":"{code}"'
        checks.that(f"raw: the log tells {code}", eventually(lambda: line in server.told(), 10), server.told()[-500:])


def check_info(checks: Checks, binary: Path, scratch: Path, photos: Path, names: list[str]):
    """What was told of pictures is told again after a restart, without a download and without a decode."""
    with RunningOrigin(binary, "--images", str(photos), "--cache-control", "max-age=3600") as origin:
        paths = ["/info/unsafe/plain/" + urllib.parse.quote(f"{origin.base}/pictures/{name}", safe="") for name in names[:4]]
        options = ("--allow-private", "--cache", scratch / "cache")
        with RunningServer(binary, scratch / "first", *options) as server:
            first = [server.get(path) for path in paths]
        asked = origin.asked("/pictures")
        checks.equal("/info: all are told", [answer.status for answer in first], [200] * len(paths))
        with RunningServer(binary, scratch / "second", *options) as server:
            again = [server.get(path) for path in paths]
            decodes = server.metric("calotype_decodes_total")
        checks.equal("/info after a restart: the same", [answer.body for answer in again], [answer.body for answer in first])
        tags = [[answer.headers.get("etag") for answer in answers] for answers in (first, again)]
        checks.equal("/info after a restart: the same tags", tags[1], tags[0])
        checks.equal("/info after a restart: no download, no decode", (origin.asked("/pictures") - asked, decodes), (0, 0))
        spoil(scratch / "cache")
        with RunningServer(binary, scratch / "third", *options) as server:
            anew = [server.get(path) for path in paths]
        checks.equal("/info from a damaged cache: the same", [answer.body for answer in anew], [answer.body for answer in first])


def spoil(folder: Path):
    """Damages every entry of the cache's index: of one half what is said about it, of the other half its bytes."""
    index = next(path for path in folder.rglob("*") if path.is_file() and path.read_bytes().startswith(b"SQLite format 3"))
    with sqlite3.connect(index) as database:
        database.execute("update entry set metadata = zeroblob(length(metadata)) where id % 2 = 0")
        database.execute("update entry set bytes = zeroblob(length(bytes)) where id % 2 = 1 and bytes is not null")
    database.close()
