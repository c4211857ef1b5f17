"""Thumbnails over HTTP: URLs of a client library of imgproxy's, fetched by curl, behind nginx's cache; clients that leave,
workers that are killed, an end that is asked for."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.parse
from base64 import urlsafe_b64encode
from pathlib import Path

from PIL import Image

import frames
import rawsources
from servers.cache import Unavailable, environment
from support import drawn, pictures
from support.checks import Checks, eventually
from support.nginx import Nginx, free_port
from support.origin import RunningOrigin
from support.serving import RunningServer, curl, told_json

KEY, SALT = "736563726574", "68656c6c6f"
SIGNED = {"IMGPROXY_KEY": KEY, "IMGPROXY_SALT": SALT}
ADDRESSES = [
    "127.0.0.1", "0.0.0.0", "0", "127.1", "2130706433", "0x7f.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1",
    "198.18.0.1", "240.0.0.1", "224.0.0.1", "[fc00::1]", "[fe80::1]",
]
# What stands behind the signature, and the status that it gets.
BAD_PATHS = {
    "": 404,
    "/": 404,
    "/unsafe": 404,
    "/unsafe/": 404,
    "/unsafe/rs:fit:300:300": 404,
    "/unsafe/fit/300/300/no/0/plain/SOURCE": 404,
    "/unsafe/nonsense:1/plain/SOURCE": 404,
    "/unsafe/w:-1/plain/SOURCE": 404,
    "/unsafe/w:1e2/plain/SOURCE": 404,
    "/unsafe/w:/plain/SOURCE": 404,
    "/unsafe/rs:fit:1:1:1:1:1:1:1:1:1:1/plain/SOURCE": 404,
    "/unsafe/g:fp:0.5/plain/SOURCE": 404,
    "/unsafe/bg:256:0:0/plain/SOURCE": 404,
    "/unsafe/exp:1/plain/SOURCE": 404,
    "/unsafe/pr:unknown/plain/SOURCE": 404,
    "/unsafe/msr:100/plain/SOURCE": 403,
    "/unsafe/plain/SOURCE@png@webp": 404,
    "/unsafe/plain/ftp%3A%2F%2Fexample.org%2Fa.jpg": 404,
    "/unsafe/plain/file%3A%2F%2F%2Fetc%2Fpasswd": 404,
    "/unsafe/plain/local%3A%2F%2F%2Fetc%2Fpasswd": 404,
    "/unsafe/!!!": 404,
    "/unsafe/%00": 404,
    "/unsafe/plain/%0d%0aX-Injected:1": 404,
}
# Pictures that go wrong on the way, by their path at the origin.
BAD_SOURCES = {
    "/status/404": 404,
    "/status/410": 410,
    "/status/500": 502,
    "/html/NAME": 422,
    "/empty": 422,
    "/half/NAME": 422,
    "/cut/50/NAME": 422,
    "/loop": 404,
    "/bomb.png": 422,
    "/garbage": 404,
}


def check(checks: Checks, binary: Path, scratch: Path):
    photos = drawn.pictures(binary)
    with RunningOrigin(binary, "--images", str(photos), "--cache-control", "max-age=3600") as origin:
        names = sorted(path.name for path in photos.iterdir())
        check_client(checks, binary, scratch / "client", origin, photos, names)
        with RunningServer(binary, scratch / "plain", "--allow-private", "--cache", scratch / "cache") as server:
            check_usual(checks, server, origin, names)
            check_bad(checks, server, origin, names)
            check_conditions(checks, server, origin, names)
            check_raw_bytes(checks, server)
            check_proxy(checks, server, origin, names)
            check_gone(checks, server, origin, names)
            check_workers(checks, server, origin, names)
            check_end(checks, server, origin, names)
        check_addresses(checks, binary, scratch / "addresses", origin, names)
        check_start(checks, binary, scratch / "start")
    frames.check(checks, binary, scratch / "frames")
    rawsources.check(checks, binary, scratch / "raw", photos, names)


def plain(source: str, *options: str, ending: str = "jpg") -> str:
    return "/".join(["/unsafe", *options, "plain", urllib.parse.quote(source, safe="") + (f"@{ending}" if ending else "")])


def check_client(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin, photos: Path, names: list[str]):
    """A client library makes the URLs, with a key; every one must be the right picture."""
    try:
        folder = environment("imgproxy")
    except Unavailable as why:
        checks.skip("URLs of a client library", str(why))
        return
    script = "import json, sys; from imgproxy import ImgProxy; print(json.dumps([str(ImgProxy(**one)) for one in json.load(sys.stdin)]))"
    wishes = [
        {"resizing_type": kind, "width": width, "height": height, "extension": extension, "gravity": gravity}
        for kind, width, height, extension, gravity in [
            ("fit", 120, 120, "jpg", "ce"), ("fill", 90, 60, "png", "no"), ("fit", 200, 0, "webp", "ce"), ("fill", 64, 64, "", "sm"),
        ]
    ]
    orders = [
        {"image_url": f"{origin.base}/pictures/{name}", "key": KEY, "salt": SALT, **wish} for name in names for wish in wishes
    ]
    made = subprocess.run([folder / "bin" / "python", "-c", script], input=json.dumps(orders), capture_output=True, text=True, check=True)
    with RunningServer(binary, scratch, "--allow-private", environment=SIGNED) as server:
        wrong = []
        for order, path in zip(orders, json.loads(made.stdout)):
            answer = server.get(path)
            fault = client_fault(order, answer, photos)
            if fault:
                wrong.append(f"{path}: {fault}")
        checks.equal(f"{len(orders)} URLs of a client library are answered rightly", wrong, [])
        forged = json.loads(made.stdout)[0].replace("rs:fit", "rs:fill", 1)
        checks.equal("a path that was not signed is refused", server.get(forged).status, 403)
        checks.equal("so is one without a signature", server.get(plain(orders[0]["image_url"])).status, 403)
        signed = subprocess.run(
            [binary, "sign", orders[0]["image_url"], "--option", "rs:fit:50:50"], capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", **SIGNED},
        )
        checks.equal("what `calotype sign` prints is accepted", server.get(signed.stdout.strip()).status, 200, signed.stderr)


def client_fault(order: dict, answer, photos: Path) -> str | None:
    if answer.status != 200:
        return str(answer)
    source = photos / order["image_url"].rsplit("/", 1)[1]
    reference = pictures.reference(source)
    with Image.open(io.BytesIO(answer.body)) as opened:
        opened.load()
        if order["resizing_type"] == "fit":
            box = (order["width"] or 10**6, order["height"] or 10**6)
            wanted = pictures.wanted_size(reference.size, "fit", box)
        else:
            wanted = (min(order["width"], reference.size[0]), min(order["height"], reference.size[1]))
        if not pictures.has_size(opened.size, wanted):
            return f"is {opened.size}, wanted {wanted}"
        format = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP"}.get(order["extension"])
        if format and opened.format != format:
            return f"is {opened.format}"
        if answer.headers.get("content-type") != f"image/{opened.format.lower()}":
            return f"is called {answer.headers.get('content-type')}"
    return None


def check_usual(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    source = f"{origin.base}/pictures/{names[0]}"
    answer = server.get(plain(source, "rs:fit:100:100"))
    headers = answer.headers
    checks.equal("a thumbnail: status", answer.status, 200, str(answer))
    checks.equal("a thumbnail: length", headers.get("content-length"), str(len(answer.body)))
    checks.equal("a thumbnail: nosniff", headers.get("x-content-type-options"), "nosniff")
    checks.that("a thumbnail: a CSP", "sandbox" in headers.get("content-security-policy", ""), headers)
    checks.that("a thumbnail: an ETag", headers.get("etag", "").startswith('"'), headers)
    checks.that("a thumbnail: may be cached", "max-age=" in headers.get("cache-control", ""), headers)
    checks.that("a thumbnail: a file name", "inline; filename=" in headers.get("content-disposition", ""), headers)
    checks.that("a thumbnail: a request's id", bool(headers.get("x-request-id")), headers)
    kept = server.get(plain(source, "rs:fit:100:100"), "--header", "X-Request-ID: abc-1_2")
    checks.equal("the id of a request is kept", kept.headers.get("x-request-id"), "abc-1_2")
    in_base64 = urlsafe_b64encode(source.encode()).decode().rstrip("=")
    pieces = "/".join(in_base64[at : at + 16] for at in range(0, len(in_base64), 16))
    same = server.get(f"/unsafe/rs:fit:100:100/{pieces}.jpg")
    checks.that("a URL in Base64 is the same", same.body == answer.body, same)
    asked = server.get(plain(source, "rs:fit:100:100", ending=""), "--header", "Accept: image/webp;q=0, image/*")
    checks.that("what a client will not have is not sent", asked.headers.get("content-type") != "image/webp", asked)
    about = server.get("/info/unsafe/plain/" + urllib.parse.quote(source, safe=""))
    with Image.open(io.BytesIO(origin.get(f"/pictures/{names[0]}"))) as opened:
        told = told_json(about)
        checks.equal("/info tells the format", told.get("format"), opened.format.lower(), str(about))
        checks.equal("/info tells the bytes", told.get("bytes"), len(origin.get(f"/pictures/{names[0]}")))
    checks.equal("/health", server.get("/health").status, 200)
    metrics = server.get("/metrics").body.decode()
    checks.that("/metrics counts requests", re.search(r"^\w*requests_total\S* \d", metrics, re.MULTILINE) is not None, metrics[:500])
    head = server.get(plain(source, "rs:fit:100:100"), "--head", "--output", "/dev/null")
    checks.equal("HEAD tells the same length", head.headers.get("content-length"), headers.get("content-length"), str(head))
    sent = exchange(server, f"HEAD {plain(source, 'rs:fit:100:100')} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    checks.that("HEAD sends no body", sent.endswith(b"\r\n\r\n"), sent)
    checks.equal("other methods are refused", server.get(plain(source), "--request", "DELETE").status, 405)
    raw = server.get(plain(source, "raw:1", ending=""))
    checks.that("raw: the source's very bytes", raw.body == origin.get(f"/pictures/{names[0]}"), raw)


def check_bad(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    source = urllib.parse.quote(f"{origin.base}/pictures/{names[0]}", safe="")
    for path, status in BAD_PATHS.items():
        answer = server.get(path.replace("SOURCE", source))
        # The landing page may be one.
        holds = answer.status == status or (path in ("", "/") and answer.status in (200, 404))
        checks.that(f"bad path {path[:60]!r} gets {status}", holds, answer)
        checks.that(f"bad path {path[:60]!r} is not to be cached", "max-age" not in answer.headers.get("cache-control", ""), answer)
    long = server.get("/unsafe/" + "w:1/" * 2500 + "plain/" + source)
    checks.that("a path of 10,000 bytes is answered", long.status in (200, 404, 414), long)
    checks.equal("a path of 64 KiB is too long", server.get("/unsafe/" + "a" * 65_536).status, 414)
    jpeg = next(name for name in names if name.endswith(".jpg"))
    for path, status in BAD_SOURCES.items():
        answer = server.get(plain(origin.base + path.replace("NAME", jpeg), "rs:fit:80:80"), "--header", "Accept: application/json")
        told = told_json(answer)
        checks.equal(f"bad source {path}: status", answer.status, status, str(answer))
        checks.that(f"bad source {path}: has a code", bool(told.get("code") or told.get("error", {}).get("code")), answer)
        checks.that(f"bad source {path}: is not to be cached", "max-age" not in answer.headers.get("cache-control", ""), answer)


def check_conditions(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    path = plain(f"{origin.base}/pictures/{names[1]}", "rs:fit:140:140")
    whole = server.get(path)
    tag = whole.headers.get("etag", "")
    unchanged = server.get(path, "--header", f"If-None-Match: {tag}")
    checks.equal("what a client has is not sent again", (unchanged.status, unchanged.body), (304, b""))
    checks.equal("304 names the version", unchanged.headers.get("etag"), tag)
    part = server.get(path, "--range", "10-19")
    checks.equal("a range: status and bytes", (part.status, part.body), (206, whole.body[10:20]))
    beyond = server.get(path, "--range", f"{len(whole.body)}-")
    checks.equal("a range beyond the end", beyond.status, 416)
    other = server.get(path, "--header", 'If-Match: "another"')
    checks.equal("another version is asked for", other.status, 412)


def exchange(server: RunningServer, text: bytes, ends: bool = False) -> bytes:
    """Sends a text as it is, closes its own side where it ends, and returns all that comes."""
    name, port = server.base.removeprefix("http://").split(":")
    with socket.create_connection((name, int(port)), timeout=20) as connection:
        connection.sendall(text)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


def check_raw_bytes(checks: Checks, server: RunningServer):
    """What no client library sends."""
    head = b"Host: a\r\n"
    cases = {
        "two lengths": b"POST /health HTTP/1.1\r\n" + head + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "a length and chunks": b"POST /health HTTP/1.1\r\n" + head + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "an encoding that is none": b"POST /health HTTP/1.1\r\n" + head + b"Transfer-Encoding: cow\r\n\r\n",
        "a blank before the colon": b"GET /health HTTP/1.1\r\n" + head + b"Content-Type : x\r\n\r\n",
        "a body of a GET": b"GET /health HTTP/1.1\r\n" + head + b"Content-Length: 1\r\n\r\na",
        "a megabyte of header": b"GET /health HTTP/1.1\r\n" + head + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n",
        "ten thousand header lines": b"GET /health HTTP/1.1\r\n" + head + b"X: a\r\n" * 10_000 + b"\r\n",
    }
    for case, text in cases.items():
        try:
            answer = exchange(server, text, ends=True)
        except OSError as error:
            answer = str(error).encode()
        refused = re.match(rb"HTTP/1\.1 (400|413|414|431|501)", answer) or b"HTTP/1.1 2" not in answer
        checks.that(f"{case}: refused, once", bool(refused) and answer.count(b"HTTP/1.1") <= 1, answer[:200])
    checks.equal("and then it still answers", server.get("/health").status, 200)


PROXY = """\
    proxy_cache_path {folder} keys_zone=pictures:1m max_size=100m;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {base};
            proxy_cache pictures;
            proxy_cache_lock on;
            add_header X-Cache $upstream_cache_status always;
        }}
    }}
"""


def check_proxy(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    """nginx in front keeps what it may, and hands what it gets through unchanged."""
    path = plain(f"{origin.base}/pictures/{names[2]}", "rs:fill:70:70")
    with CachingProxy(server.base) as proxy:
        first, second = curl(proxy.base + path), curl(proxy.base + path)
        direct = server.get(path)
        checks.equal("behind a cache: first", (first.status, first.headers.get("x-cache")), (200, "MISS"), str(first))
        checks.equal("behind a cache: second", (second.status, second.headers.get("x-cache")), (200, "HIT"), str(second))
        checks.that("behind a cache: the same bytes", first.body == second.body == direct.body, first)
        missing = plain(f"{origin.base}/status/404", "rs:fill:70:70")
        states = [curl(proxy.base + missing).headers.get("x-cache") for _ in range(2)]
        checks.equal("behind a cache: failures are not kept", states, ["MISS", "MISS"])


class CachingProxy(Nginx):
    """nginx with a cache in front of a server."""

    def __init__(self, base: str):
        super().__init__(Path("/"))
        self._behind = base

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.proxy_port}"

    def _configuration(self) -> str:
        self.proxy_port = free_port()
        text = super()._configuration()
        proxy = PROXY.format(folder=self._prefix / "kept", port=self.proxy_port, base=self._behind)
        at = text.rindex("}")
        return text[:at] + proxy + text[at:]


def check_gone(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    """Who leaves takes the work along; equal requests share it."""
    before = server.open_files()
    slow = plain(f"{origin.base}/slow/2000/{names[0]}", "rs:fit:60:60")
    host, port = server.base.removeprefix("http://").split(":")
    gone = origin.hung_up("/slow")
    connections = [socket.create_connection((host, int(port))) for _ in range(8)]
    for connection in connections:
        connection.sendall(f"GET {slow} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    checks.that("eight who ask for the same are one request", eventually(lambda: origin.asked("/slow") == 1, 10), origin.json("/stats"))
    for connection in connections[1:]:
        connection.close()
    time.sleep(0.3)
    checks.equal("seven leave, and the download goes on", origin.hung_up("/slow"), gone)
    connections[0].close()
    checks.that("the last one leaves, and the download ends", eventually(lambda: origin.hung_up("/slow") == gone + 1, 10))
    checks.that("nothing is left open", eventually(lambda: server.open_files() <= before + 2, 10), (before, server.open_files()))


def check_workers(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    """Blurring is libvips' work, which runs in processes of its own."""
    path = plain(f"{origin.base}/pictures/{names[0]}", "rs:fit:90:90", "bl:2")
    checks.equal("a picture of a worker", server.get(path).status, 200)
    workers = server.workers()
    checks.that("there is a worker", bool(workers), workers)
    for worker in workers:
        try:
            os.kill(worker, signal.SIGKILL)
        except ProcessLookupError:
            pass
    again = [server.get(plain(f"{origin.base}/pictures/{name}", "rs:fit:91:91", "bl:2")).status for name in names]
    checks.equal("workers are killed, and the next pictures come", again, [200] * len(names))


def check_end(checks: Checks, server: RunningServer, origin: RunningOrigin, names: list[str]):
    """SIGTERM: what was begun is answered."""
    path = plain(f"{origin.base}/latency/1500/{names[3]}", "rs:fit:50:50")
    answers = []
    asking = [threading.Thread(target=lambda: answers.append(server.get(path).status)) for _ in range(4)]
    for thread in asking:
        thread.start()
    eventually(lambda: server.metric("calotype_images_in_progress") == 4, 10)
    workers = server.workers()
    code = server.stop()
    for thread in asking:
        thread.join()
    checks.equal("an end that is asked for: what was under way is answered", answers, [200] * 4)
    checks.equal("an end that is asked for: exit code", code, 0, server.told()[-500:])
    left = [pid for pid in workers if Path(f"/proc/{pid}").exists()]
    checks.equal("no worker is left", left, [])


def check_addresses(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin, names: list[str]):
    """Without --allow-private nothing of this machine or network can be reached."""
    port = origin.base.rsplit(":", 1)[1]
    before = origin.json("/stats")["requests"]
    with RunningServer(binary, scratch) as server:
        reached = []
        for address in ADDRESSES:
            answer = server.get(plain(f"http://{address}:{port}/pictures/{names[0]}", "rs:fit:50:50"))
            if answer.status != 404:
                reached.append((address, answer.status))
        checks.equal("addresses that are not public are refused", reached, [])
    # The question itself is one request.
    checks.equal("the origin saw none of it", origin.json("/stats")["requests"] - before, 1)


def check_start(checks: Checks, binary: Path, scratch: Path):
    with RunningServer(binary, scratch / "first") as server:
        address = server.base.removeprefix("http://")
        # After it has said where it listens.
        checks.that("without a key it warns", eventually(lambda: "unsigned" in server.told().lower(), 10), server.told())
        taken = subprocess.run([binary, "serve", "--bind", address], capture_output=True, text=True, timeout=30)
        said = taken.returncode == 2 and address.rsplit(":", 1)[1] in taken.stderr
        checks.that("a port that is taken is told", said, (taken.returncode, taken.stderr))
        checks.equal("Ctrl-C ends it", server.stop(signal.SIGINT), 0)
    wrong = subprocess.run(
        [binary, "serve"], capture_output=True, text=True, timeout=30,
        env={"PATH": "/usr/bin:/bin", "HOME": str(scratch), "IMGPROXY_KEY": "no hex"},
    )
    checks.that("a wrong variable is told by its name", wrong.returncode == 2 and "IMGPROXY_KEY" in wrong.stderr, wrong.stderr)
