"""`script/bench server`: thumbnails over HTTP, `calotype serve` beside thumbor and nginx's image filter.

Parts:
  cold    2,000 web JPEGs to 300 px, quality 85, nothing cached, at 8 and 64 connections: requests a second, latencies, CPU,
          peak memory (goals: 1.5 times thumbor's requests, p99 at 64 at most 0.7 of thumbor's, peak at most thumbor's)
  hot     results from memory and from the disk (goals: 25,000 and 10,000 a second)
  ready   results from memory beside nginx's cache with the same results (goal: at most its CPU for each request)
  same    64 requests for one picture at once (goal: one request at the origin, one decode)
  gone    16 clients that hang up after 100 ms (goal: at most 5 % of the CPU that serving them takes)
  leave   how long a download and a decode go on after their only client has left (goals: 5 ms, 20 ms)
  hung    the p99 of a fast picture while 100 origins hang (goal: less than 1.5 times)
  crash   how much later a picture comes when all worker processes were killed just before (goal: 50 ms)
  crowd   1,000 idle and 200 slow clients: memory, and how others are served

Servers run in turn; ratios are medians of the ratios within each round. All parts run where none is named.
"""

import argparse
import asyncio
import contextlib
import io
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
# Nothing but the data folder is written to.
sys.dont_write_bytecode = True
sys.path[1:1] = [str(ROOT / "Tests" / "RealInput"), str(ROOT / "Benchmarks" / "fetch")]

from PIL import Image  # noqa: E402

import clients  # noqa: E402
import corpus  # noqa: E402
from thumbnailers import Calotype, ImageFilter, NginxCache, Thumbor  # noqa: E402
from support.nginx import Nginx  # noqa: E402
from support.origin import RunningOrigin  # noqa: E402

PARTS = ["cold", "hot", "ready", "same", "gone", "leave", "hung", "crash", "crowd"]
WALK = Path(__file__).resolve().parent / "walk.lua"
FIRST_WIDTH = 300
LEAVES = 20
RUNNING_DECODES = "calotype_decodes_running"


class HungOrigins:
    """Addresses of this machine that take a connection and never answer, each a host of its own."""

    def __init__(self, count: int):
        self.addresses = [f"127.0.{number // 200 + 1}.{number % 200 + 1}" for number in range(count)]

    def __enter__(self) -> "HungOrigins":
        self._sockets = [socket.create_server((address, 0)) for address in self.addresses]
        ends = [listener.getsockname() for listener in self._sockets]
        self.urls = [f"http://{address}:{port}/picture.jpg" for address, port in ends]
        return self

    def __exit__(self, *_):
        for listener in self._sockets:
            listener.close()


class EndlessOrigin:
    """Begins to send a picture and goes on with its bytes, one in a while, until the server closes the connection."""

    def __enter__(self) -> "EndlessOrigin":
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(10)
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        buffer = io.BytesIO()
        Image.effect_noise((1200, 800), 60).save(buffer, "JPEG", quality=95)
        self._picture = buffer.getvalue()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def seconds_after_leaving(self, server: Calotype, number: int) -> float:
        parts = urlsplit(server.base)
        path = server.path(f"{self.base}/{number}.jpg", "300")
        with socket.create_connection((parts.hostname, parts.port)) as client:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            connection, _ = self._listener.accept()
            connection.recv(65536)
            length = len(self._picture)
            connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {length}\r\n\r\n".encode())
            connection.sendall(self._picture[: length // 2])
            time.sleep(0.05)
        left = time.monotonic()
        with connection:
            connection.settimeout(5)
            try:
                connection.recv(1)
            except ConnectionResetError:
                pass
        return time.monotonic() - left


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.calotype, self.rounds, self.seconds = options.calotype, options.rounds, options.seconds
        self.data = ROOT / "Benchmarks" / ".data"
        self.folder = corpus.ensure(self.data)
        listed = corpus.entries(self.folder)[: options.images]
        self.names = [picture["name"] for picture in listed if picture["format"] == "JPEG"]
        self.width = FIRST_WIDTH
        self.goals: list[str] = []
        self.rows: list[dict] = []

    def goal(self, what: str, value: float, limit: float, least: bool = False):
        held = value >= limit if least else value <= limit
        word = "at least" if least else "at most"
        self.goals.append(f"{'held' if held else 'MISSED'}: {what}: {value:,.2f}, {word} {limit:,.2f}")

    # Parts.

    def cold(self):
        rows = []
        with Nginx(self.folder) as origin:
            contestants = [
                lambda: Calotype(self.calotype, "--no-cache"),
                Thumbor,
                lambda: ImageFilter(origin.address),
            ]
            for round in range(self.rounds):
                for make in contestants:
                    with make() as server:
                        rows.append(self.load(server, origin, round))
        self.judge(rows)

    def load(self, server, origin: Nginx, round: int) -> dict:
        row = {"server": server.name, "round": round}
        for connections in (8, 64):
            before = server.cpu
            figures = self.wrk(server, [server.path(origin.url(name), "WIDTH") for name in self.names], connections)
            figures["cpu"] = 1000 * (server.cpu - before) / max(1, figures["requests"])
            row[connections] = figures
            say(
                f"  cold, round {round + 1}: {server.name}, {connections} connections: {rate(figures):.0f} requests/s, p50 "
                f"{figures['p50']:.0f} ms, p99 {figures['p99']:.0f} ms, {figures['cpu']:.1f} CPU s/1,000, "
                f"{figures['wrong'] + figures['failed']} wrong"
            )
        row["peak"] = server.peak_bytes / 1e6
        self.rows.append({"part": "cold"} | row)
        say(f"  cold, round {round + 1}: {server.name}: peak memory {row['peak']:.0f} MB")
        return row

    def judge(self, rows: list[dict]):
        def ratio(figure) -> float:
            ours = [figure(row) for row in rows if row["server"] == Calotype.name]
            theirs = [figure(row) for row in rows if row["server"] == Thumbor.name]
            return statistics.median(our / their for our, their in zip(ours, theirs))

        for connections in (8, 64):
            requests = ratio(lambda row: rate(row[connections]))
            self.goal(f"cold: requests a second at {connections}, by thumbor's", requests, 1.5, least=True)
        self.goal("cold: p99 at 64, by thumbor's", ratio(lambda row: row[64]["p99"]), 0.7)
        self.goal("cold: peak memory, by thumbor's", ratio(lambda row: row["peak"]), 1)

    def hot(self):
        names = self.names[:400]
        with Nginx(self.folder, cache="max-age=3600") as origin, tempfile.TemporaryDirectory() as cache:
            for what, least, options in [
                ("memory", 25_000, ["--cache", cache]),
                # What another process left on the disk, and no room in memory.
                ("disk", 10_000, ["--cache", cache, "--memory-cache", "0"]),
            ]:
                with Calotype(self.calotype, *options) as server:
                    paths = [server.path(origin.url(name), str(FIRST_WIDTH)) for name in names]
                    self.wrk(server, paths, 16, seconds=6, walks=False)
                    figures = self.answers("hot", server, paths, what)
                    self.goal(f"hot: requests a second from {what}", rate(figures), least, least=True)

    def answers(self, part: str, server, paths: list[str], where: str) -> dict:
        """Returns the figures of a load of answers that are ready."""
        before = server.cpu
        figures = self.wrk(server, paths, 64, walks=False)
        figures["cpu"] = 1000 * (server.cpu - before) / max(1, figures["requests"])
        say(
            f"  {part}: {server.name}, from {where}: {rate(figures):,.0f} requests/s, p50 {figures['p50']:.2f} ms, "
            f"p99 {figures['p99']:.2f} ms, {figures['cpu']:.3f} CPU s/1,000"
        )
        self.rows.append({"part": part, "server": server.name, "from": where} | figures)
        return figures

    def ready(self):
        with tempfile.TemporaryDirectory() as cache, contextlib.ExitStack() as running:
            origin = running.enter_context(Nginx(self.folder, cache="max-age=3600"))
            server = running.enter_context(Calotype(self.calotype, "--cache", cache))
            nginx = running.enter_context(NginxCache(server))
            paths = [server.path(origin.url(name), str(FIRST_WIDTH)) for name in self.names[:100]]
            self.wrk(nginx, paths, 16, seconds=3, walks=False)
            costs = []
            for _ in range(self.rounds):
                costs.append([self.answers("ready", one, paths, "memory")["cpu"] for one in (server, nginx)])
        self.goal("ready: CPU of a request by that of nginx's cache", statistics.median(ours / its for ours, its in costs), 1)

    def same(self):
        with RunningOrigin(self.calotype) as origin, Calotype(self.calotype, "--no-cache") as server:
            name = next(url for url in origin.get("/list.txt").decode().split() if url.endswith(".jpg")).rsplit("/", 1)[1]
            path = server.path(f"{origin.base}/latency/300/{name}", "300")
            before = origin.json("/stats")["requests"]
            answers = asyncio.run(clients.together(server.base, [path] * 64))
            wrong = sum(answer is None or answer.status != 200 for answer in answers)
            seen = origin.json("/stats")["requests"] - before - 1
            decodes = metric(server, "calotype_decodes_total")
            say(f"  same: 64 requests at once: {wrong} wrong, {seen} requests at the origin, {decodes:.0f} decodes")
            self.goal("same: requests at the origin", seen, 1)
            self.goal("same: decodes", decodes, 1)

    def gone(self):
        folder = self.data / "photos-1"
        names = sorted((path.name for path in folder.glob("*.jpg")), key=lambda name: -(folder / name).stat().st_size)
        with Nginx(folder) as origin:
            costs = {}
            for what, leave_after in [("stay", None), ("leave", 0.1)]:
                with Calotype(self.calotype, "--no-cache") as server:
                    before = server.cpu
                    paths = [server.path(origin.url(name), "2000") for name in names[:16]]
                    asyncio.run(clients.together(server.base, paths, leave_after))
                    costs[what] = [server.cpu - before]
                    time.sleep(1)
                    costs[what].append(server.cpu - before)
            whole, (until_then, at_last) = costs["stay"][1], costs["leave"]
            say(
                f"  gone: {whole:.2f} CPU s where all stay; where all leave after 100 ms, {until_then:.2f} until then and "
                f"{at_last - until_then:.2f} after it"
            )
            self.goal("gone: share of the CPU that is spent after they left", (at_last - until_then) / whole, 0.05)

    def leave(self):
        with Calotype(self.calotype, "--no-cache") as server, EndlessOrigin() as origin:
            stops = [origin.seconds_after_leaving(server, number) for number in range(LEAVES)]
            say(f"  leave: a download stops after {told(stops)}")
            self.goal("leave: ms until a download stops, median", 1000 * statistics.median(stops), 5)
        folder = self.data / "photos-1"
        names = sorted((path.name for path in folder.glob("*.jpg")), key=lambda name: -(folder / name).stat().st_size)
        with Nginx(folder) as origin, Calotype(self.calotype, "--no-cache") as server:
            stops = []
            for number in range(LEAVES):
                host, port = urlsplit(server.base).hostname, urlsplit(server.base).port
                with socket.create_connection((host, port)) as client:
                    path = server.path(origin.url(names[number % len(names)]), str(1500 + number))
                    client.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                    if not until(lambda: metric(server, RUNNING_DECODES) > 0, 5):
                        continue
                left = time.monotonic()
                until(lambda: metric(server, RUNNING_DECODES) == 0, 5)
                stops.append(time.monotonic() - left)
            say(f"  leave: a decode stops after {told(stops)}, the wait for the answer of /metrics included")
            self.goal("leave: ms until a decode stops, median", 1000 * statistics.median(stops), 20)

    def hung(self):
        with Nginx(self.folder) as origin, HungOrigins(100) as hung_origins, Calotype(self.calotype, "--no-cache") as server:

            def fast(number: int) -> str:
                # The same pictures before and after, or their sizes would be what is measured.
                return server.path(origin.url(self.names[number % 200]), str(100 + number // 200))

            async def measured() -> tuple[list[float], list[float]]:
                calm = await clients.one_after_another(server.base, fast, 400)
                paths = [server.path(url, "300") for url in hung_origins.urls]
                hung = [asyncio.create_task(clients.get(server.base, path, 60)) for path in paths]
                await asyncio.sleep(1)
                busy = await clients.one_after_another(server.base, lambda number: fast(number + 400), 400)
                for task in hung:
                    task.cancel()
                await asyncio.gather(*hung, return_exceptions=True)
                return calm, busy

            calm, busy = asyncio.run(measured())
            say(f"  hung: p99 of a fast picture {p99(calm) * 1000:.1f} ms, {p99(busy) * 1000:.1f} ms while 100 origins hang")
            self.goal("hung: p99 with hung origins, by that without", p99(busy) / p99(calm), 1.5)

    def crash(self):
        with Nginx(self.folder) as origin, Calotype(self.calotype, "--no-cache", "--isolate", "all") as server:

            def seconds(number: int) -> float:
                begun = time.monotonic()
                path = server.path(origin.url(self.names[number % 10]), str(60 + number))
                with urllib.request.urlopen(server.base + path, timeout=10) as answer:
                    answer.read()
                return time.monotonic() - begun

            for number in range(20):
                seconds(number)
            calm, killed = [], []
            for number in range(20, 20 + 2 * LEAVES, 2):
                calm.append(seconds(number))
                for worker in server.workers():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                killed.append(seconds(number + 1))
            later = [after - before for before, after in zip(calm, killed)]
            say(f"  crash: after the workers were killed a picture comes later by {told(later)}")
            self.goal("crash: ms that a picture comes later, median", 1000 * statistics.median(later), 50)

    def crowd(self):
        with Nginx(self.folder) as origin, Calotype(self.calotype, "--no-cache") as server:
            paths = [server.path(origin.url(name), "1200") for name in self.names[:200]]

            def fast(number: int) -> str:
                return server.path(origin.url(self.names[200 + number % 100]), str(100 + number))

            async def measured():
                calm = await clients.one_after_another(server.base, fast, 100)
                before = server.proportional_bytes()
                async with clients.Crowd(server.base, 1000, paths):
                    await asyncio.sleep(5)
                    busy = await clients.one_after_another(server.base, lambda number: fast(number + 100), 100)
                    return calm, busy, server.proportional_bytes() - before

            calm, busy, memory = asyncio.run(measured())
            say(
                f"  crowd: 1,000 idle and 200 slow clients take {memory / 1e6:.0f} MB; median of others "
                f"{statistics.median(calm) * 1000:.1f} ms before, {statistics.median(busy) * 1000:.1f} ms beside them"
            )

    # wrk.

    def wrk(self, server, paths: list[str], connections: int, seconds: float | None = None, walks: bool = True) -> dict:
        with tempfile.NamedTemporaryFile("w", suffix=".paths") as listed:
            listed.write("".join(f"{path}\n" for path in paths))
            listed.flush()
            threads = 2 if connections > 16 else 1
            command = ["wrk", "--threads", threads, "--connections", connections, "--timeout", "30s"]
            command += ["--duration", f"{seconds or self.seconds:.0f}s", "--script", WALK, server.base, "--", listed.name]
            done = subprocess.run(
                list(map(str, [*command, self.width if walks else 0])), capture_output=True, text=True, check=True
            )
        # No width is used again, so that nothing can be found in a cache.
        self.width += 40 if walks else 0
        return json.loads(done.stdout.splitlines()[-1])


def rate(figures: dict) -> float:
    return figures["requests"] / figures["seconds"]


def p99(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[98]


def metric(server: Calotype, name: str) -> float:
    """Returns the sum of a metric over its labels."""
    with urllib.request.urlopen(f"{server.base}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


def until(condition, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
    return True


def told(seconds: list[float]) -> str:
    return f"{1000 * statistics.median(seconds):.1f} ms at the median of {len(seconds)}, {1000 * max(seconds):.1f} ms at worst"


def say(text: str):
    print(text, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/bench server", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--calotype", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the part cold, 3 by default")
    parser.add_argument("--seconds", type=float, default=9, help="the length of one load, 9 by default")
    parser.add_argument("--images", type=int, default=2400, help="so many pictures of the list, 2,400 by default")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return options


def main():
    options = arguments()
    bench = Bench(options)
    load = os.getloadavg()[0]
    say(f"load at start {load:.2f}")
    for part in options.parts or PARTS:
        getattr(bench, part)()
    for goal in bench.goals:
        say(goal)
    path = bench.data / "results" / time.strftime("server-%Y%m%d-%H%M%S.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"load at start": load, "rows": bench.rows}, indent=1))


if __name__ == "__main__":
    main()
