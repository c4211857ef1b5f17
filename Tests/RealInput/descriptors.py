"""A process that runs out of file descriptors: what it says meanwhile, and that all works again afterwards.

    Tests/RealInput/descriptors.py PATH_TO_CALOTYPE [SECONDS [SEED]]

The limit of a running server, fetch and publish is lowered at random moments to about what they have open, and raised again.
"""

import itertools
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

from PIL import Image  # noqa: E402

from support import drawn  # noqa: E402
from support.checks import Checks, eventually  # noqa: E402
from support.fetch import Fetch  # noqa: E402
from support.nginx import Nginx  # noqa: E402
from support.origin import RunningOrigin  # noqa: E402
from support.serving import RunningServer  # noqa: E402

LOW = 1024
# So few that a connection and a file for each of so many clients do not fit.
FEW = 320
SLOW = 150
HELD = 1020
# What is left at least for libdispatch, and for files that are open for a moment.
KEPT = 6
# A client that only waits is closed after 10 s; with this nobody is while the trial goes on.
PATIENT = ["--keep-alive-timeout", "600", "--idle-timeout", "600", "--read-timeout", "600"]
SECONDS, SEED = 20.0, 1


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    with RunningOrigin(binary) as origin:
        check_held(checks, binary, scratch / "held", origin)
        check_limits(checks, binary, scratch / "limits")
        check_many(checks, binary, scratch / "many", origin)
        check_starved(checks, binary, scratch / "starved", origin)
    soak(checks, binary, scratch / "soak", SECONDS, SEED)


def reserve(limit: int) -> int:
    """How many of the last descriptors Calotype leaves to libdispatch and the C library (`DescriptorLimit.firstReserved`)."""
    return min(32, limit // 8)


def squeeze(process: int, spare: int, kept: int = KEPT):
    """Leaves a process about `spare` descriptors more than it has open, and `kept` of the reserve.

    A limit below that is nothing that a program can live with: libdispatch opens a file in `/proc` once a second while jobs wait,
    and ends the process if it cannot.
    """
    _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
    try:
        numbers = {int(name) for name in os.listdir(f"/proc/{process}/fd")}
    except OSError:
        return
    # The system gives the lowest number that is free, and refuses numbers from the limit on.
    for limit in itertools.count(8):
        free = [number for number in range(limit) if number not in numbers]
        if len(free) >= spare + kept and sum(number >= limit - reserve(limit) for number in free) >= kept:
            break
    resource.prlimit(process, resource.RLIMIT_NOFILE, (limit, hard))


def release(process: int):
    _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (hard, hard))


class Client:
    """A connection that is kept, and knows just enough HTTP to ask again and again."""

    def __init__(self, base: str, buffer: int | None = None):
        """Receives about `buffer` bytes before they are read."""
        place = urllib.parse.urlsplit(base)
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(60)
        self.socket.connect((place.hostname, place.port))
        self.file = self.socket.makefile("rb")

    def send(self, path: str):
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: test\r\n\r\n".encode())

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        self.send(path)
        status = int(self.file.readline().split()[1])
        headers = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, self.file.read(int(headers.get("content-length", 0)))

    def close(self):
        self.file.close()
        self.socket.close()


def picture(origin: RunningOrigin, number: int, side: int) -> str:
    """Returns the path of a picture in a size that nobody has asked for."""
    urls = origin.get("/list.txt").decode().split()
    return f"/unsafe/rs:fit:{side}:{side}/plain/{urllib.parse.quote(urls[number % len(urls)], safe='')}"


def check_held(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
    """Clients hold as many connections as there are descriptors before the first picture is asked for."""
    low = f"ulimit -Sn {LOW} -Hn {LOW}; exec {binary} \"$@\""
    wrapper = scratch / "limited"
    scratch.mkdir(parents=True)
    wrapper.write_text(f"#!/bin/bash\n{low}\n")
    wrapper.chmod(0o755)
    with RunningServer(wrapper, scratch, "--allow-private", *PATIENT) as server:
        told = eventually(lambda: "the limit of open files is 1024" in server.told(), 10)
        checks.that("held: the limit is told at the start", told, server.told())
        clients = [Client(server.base) for _ in range(HELD)]
        for side in (64, 65, 66):
            status, _, _ = clients[0].get(picture(origin, side, side))
            checks.equal(f"held: a picture comes while {HELD} connections are open", status, 200, server.told()[-500:])
        checks.equal("held: it is healthy", clients[0].get("/health")[0], 200)
        # The last one waits to be accepted, until others end.
        for client in clients[1:-1]:
            client.close()
        checks.equal("held: a client that waited is served when others leave", clients[-1].get("/health")[0], 200)


def check_limits(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    command = f"ulimit -Sn {LOW} -Hn {LOW}; exec {binary} serve --bind 127.0.0.1:0 --max-clients 4000 --connections 2000"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    named = all(word in done.stderr for word in ("--max-clients", "--connections", "1024", "ulimit -n"))
    checks.that("limits: what does not fit is refused at the start", done.returncode == 2 and named, (done.returncode, done.stderr))


def check_many(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
    """More clients than there are descriptors for their files ask for sources as they are, and read nothing of them."""
    scratch.mkdir(parents=True)
    large = scratch / "large"
    large.mkdir()
    (large / "large.bin").write_bytes(random.Random(1).randbytes(1_000_000))
    wrapper = scratch / "limited"
    wrapper.write_text(f"#!/bin/bash\nulimit -Sn {FEW} -Hn {FEW}; exec {binary} \"$@\"\n")
    wrapper.chmod(0o755)
    with Nginx(large) as nginx, RunningServer(wrapper, scratch, "--allow-private", "--connections", "16", *PATIENT) as server:
        client = Client(server.base)
        slow = [Client(server.base, buffer=4096) for _ in range(SLOW)]
        busy = [Client(server.base) for _ in range(12)]
        # All are accepted while there is room.
        checks.equal("many: clients are served", {one.get("/health")[0] for one in slow + busy}, {200})
        heads = set()
        for number, one in enumerate(slow):
            source = urllib.parse.quote(f"{nginx.url('large.bin')}?{number}", safe="")
            one.send(f"/unsafe/raw:1/plain/{source}")
            heads.add(int(one.file.readline().split()[1]))
        checks.equal("many: some get the source, and others 503", heads, {200, 503})
        opened = server.open_files()
        checks.that("many: the last descriptors are free", opened <= FEW - reserve(FEW), opened)
        checks.equal("many: /health says that no image can be loaded", client.get("/health")[0], 503)
        # libdispatch looks at its threads once a second.
        heard = ask_on(busy, origin, 3)
        checks.that("many: clients get pictures or 'later', and nothing else", heard <= {200, 429, 503}, heard)
        for one in slow:
            one.close()
        healthy = eventually(lambda: client.get("/health")[0] == 200, 30, 0.1)
        checks.that("many: it is healthy when they have left", healthy, server.told()[-500:])
        checks.equal("many: pictures come afterwards", client.get(picture(origin, 1, 33))[0], 200, server.told()[-500:])
        client.close()


def ask_on(clients: list[Client], origin: RunningOrigin, seconds: float) -> set:
    """Asks for pictures in new sizes on each connection for a while; returns all statuses, and what else happened."""
    heard, sides, end = set(), iter(range(40, 1 << 30)), time.monotonic() + seconds
    sources = [picture(origin, number, 1).partition("/plain/")[2] for number in range(len(clients))]

    def ask(client: Client, source: str):
        while time.monotonic() < end:
            try:
                heard.add(client.get(f"/unsafe/rs:fit:{next(sides)}:9/plain/{source}")[0])
            except (OSError, IndexError) as error:
                heard.add(repr(error))
                return

    askers = [threading.Thread(target=ask, args=pair) for pair in zip(clients, sources)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    return heard


def check_starved(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
    """The descriptors of a server at work go to zero, and come back."""
    photos = drawn.pictures(binary)
    with RunningServer(binary, scratch, "--allow-private", "--local-root", photos, *PATIENT) as server:
        client = Client(server.base)
        local = f"/unsafe/rs:fit:31:31/plain/local:///{sorted(photos.iterdir())[0].name}"
        process = server.process.pid
        # Accepted, that is.
        checks.equal("starved: it is healthy at first", client.get("/health")[0], 200)
        # Few, because an eighth of so few descriptors is no more.
        squeeze(process, 0, kept=2)
        for what, path in (("a source of the web", picture(origin, 1, 31)), ("a local source", local)):
            status, headers, body = client.get(path)
            whole = status == 503 and "retry-after" in headers and b"resource_shortage" in body
            checks.that(f"starved: {what} is answered with 503 and when to come again", whole, (status, headers, body))
        checks.equal("starved: /health says so", client.get("/health")[0], 503)
        release(process)
        checks.equal("starved: /health is well again at once", client.get("/health")[0], 200)
        for what, path in (("a source of the web", picture(origin, 1, 31)), ("a local source", local)):
            checks.equal(f"starved: {what} comes afterwards", client.get(path)[0], 200)
        client.close()


def soak(checks: Checks, binary: Path, scratch: Path, seconds: float, seed: int):
    """Takes the descriptors away at random moments, in a server, in lists and in posts, for about `seconds`."""
    print(f"  seed {seed}, {seconds:g} s", flush=True)
    chance = random.Random(seed)
    with RunningOrigin(binary) as origin:
        soak_server(checks, binary, scratch / "server", origin, seconds / 2, chance)
        end = time.monotonic() + seconds / 2
        rounds = 0
        while time.monotonic() < end or not rounds:
            rounds += 1
            soak_fetch(checks, binary, scratch / f"fetch-{rounds}", origin, chance)
            soak_publish(checks, binary, scratch / f"publish-{rounds}", origin, chance, rounds)


def soak_server(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin, seconds: float, chance: random.Random):
    wrong, sides, stop = [], iter(range(40, 1 << 30)), threading.Event()

    def ask():
        client = Client(server.base)
        while not stop.is_set():
            try:
                status, _, body = client.get(picture(origin, chance.randrange(100), next(sides)))
            except (OSError, IndexError) as error:
                wrong.append(repr(error))
                return
            if status not in (200, 429, 503):
                wrong.append((status, body))
        client.close()

    with RunningServer(binary, scratch, "--allow-private", "--isolate", "all", "--cache", scratch / "cache", *PATIENT) as server:
        askers = [threading.Thread(target=ask) for _ in range(6)]
        for asker in askers:
            asker.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and server.process.poll() is None:
            time.sleep(chance.uniform(0.01, 0.3))
            squeeze(server.process.pid, chance.randrange(12))
            time.sleep(chance.uniform(0.01, 0.5))
            release(server.process.pid)
        stop.set()
        for asker in askers:
            asker.join()
        checks.that("server: nobody hears anything but a picture or 'later'", not wrong, wrong[:5])
        client = Client(server.base)
        checks.equal("server: it is healthy afterwards", client.get("/health")[0], 200)
        # Workers are started again after a pause where starts have failed.
        eventually(lambda: client.get(picture(origin, 0, next(sides)))[0] == 200, 60, 0.1)
        after = [client.get(picture(origin, number, next(sides)))[0] for number in range(20)]
        checks.equal("server: every picture comes afterwards", after, [200] * len(after), server.told()[-1000:])
        client.close()
        checks.equal("server: it ends in order", server.stop(), 0, server.told()[-1000:])


def has_timers(process: int) -> bool:
    """Tells whether a process has the descriptors of its timers, which are made before all else."""
    try:
        links = [os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")]
    except OSError:
        return False
    return sum("timerfd" in link for link in links) >= 2


def harass(process: subprocess.Popen, chance: random.Random):
    """Takes the descriptors of a process away and gives them back, a few times.

    From when it is ready: a program that the system cannot even load has nothing to say.
    """
    eventually(lambda: process.poll() is not None or has_timers(process.pid), 60)
    for _ in range(chance.randrange(1, 6)):
        time.sleep(chance.uniform(0.0, 0.15))
        if process.poll() is not None:
            return
        try:
            squeeze(process.pid, chance.randrange(10))
            time.sleep(chance.uniform(0.0, 0.3))
            release(process.pid)
        except ProcessLookupError:
            return


def soak_fetch(checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin, chance: random.Random):
    fetch = Fetch(binary, scratch)
    urls = origin.get("/list.txt").decode().split() * 3
    urls = [f"{url}?{number}" for number, url in enumerate(urls)]
    process = fetch.start(urls)
    harass(process, chance)
    _, error = process.communicate(timeout=300)
    # 2: the list could not be opened, or the folder.
    ended = process.returncode in (0, 1, 3) or process.returncode == 2 and b"Too many open files" in error
    checks.that("fetch: it ends in order", ended, (process.returncode, error[-500:]))
    failed = {entry["code"] for entry in fetch.read_report() if entry["status"] == "failed"}
    checks.that("fetch: what failed names the shortage", failed <= {"resource_shortage"}, failed)
    again = fetch.run(urls)
    checks.equal("fetch: a second run completes it", again.exit, 0, again.told())
    checks.equal("fetch: every picture is there", len([path for path in fetch.output.iterdir() if path.suffix == ".jpg"]), len(urls))


def soak_publish(
    checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin, chance: random.Random, number: int
):
    scratch.mkdir(parents=True)
    text = f"a post in need {number}"
    media = [f"photo-{number}-{index}.jpg" for index in range(3)]
    for name in media:
        noise = bytes(chance.randrange(256) for _ in range(160 * 160 * 3))
        Image.frombytes("RGB", (160, 160), noise).save(scratch / name, "JPEG", quality=90)
    post = scratch / "post.json"
    post.write_text(json.dumps({"text": text, "media": [{"file": name} for name in media]}))
    homes = {name: str(scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    target = ["--to", f"plain+{origin.base}/inbox/", "--post-to", f"{origin.base}/posts", "--settle", "key"]
    command = [binary, "publish", post, *target, "--journal", scratch / "journal"]
    done, options = None, []
    for attempt in range(8):
        process = subprocess.Popen(
            [*command, *options], env=os.environ | homes, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if attempt < 3:
            harass(process, chance)
        told, _ = process.communicate(timeout=120)
        done = process.returncode
        checks.that("publish: it ends in order", done in (0, 1, 2, 3), (done, told.decode()[-500:]))
        if done == 0:
            break
        # A run that had begun nothing leaves nothing to go on with, and perhaps a journal without a publication.
        begun = any((scratch / "journal").glob("*")) and b"nothing_to_resume" not in told
        options = ["--resume"] if begun else []
    checks.equal("publish: it succeeds in the end", done, 0, told.decode()[-800:])
    posts = [post for post in origin.json("/posts") if text in json.dumps(post)]
    checks.equal("publish: there is one post", len(posts), 1, json.dumps(posts)[:500])


def main(arguments: list[str]) -> int:
    if not arguments or not Path(arguments[0]).is_file():
        print(__doc__, file=sys.stderr)
        return 2
    binary = Path(arguments[0]).resolve()
    seconds = float(arguments[1]) if len(arguments) > 1 else 120.0
    seed = int(arguments[2]) if len(arguments) > 2 else random.SystemRandom().randrange(1 << 32)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="calotype-descriptors-") as scratch:
        drawn.keep_in(Path(scratch) / "drawn")
        soak(checks, binary, Path(scratch) / "soak", seconds, seed)
    print(checks.summary(), flush=True)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
