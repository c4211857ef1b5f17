"""An origin of several hosts on loopback that waits before each response, and records what each host receives and when.

It needs nothing besides Python, so it also runs inside an environment of packages.
"""

import asyncio
import hashlib
import random
import socket
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

MISSING = 50  # every such number has no picture
DEAD = 200  # every such number is at a host that does not respond


@dataclass
class Log:
    """The requests of one host: when each began and ended, in seconds of the monotonic clock."""

    spans: list[tuple[float, float]] = field(default_factory=list)

    def most_at_once(self, without: list[tuple[float, float]]) -> int:
        """The largest number of requests at the same time, except within some spans."""
        changes = sorted([(begin, 1) for begin, _ in self.spans] + [(end, -1) for _, end in self.spans])
        now = most = 0
        for moment, change in changes:
            now += change
            if not _within(moment, without):
                most = max(most, now)
        return most

    def most_within(self, seconds: float, without: list[tuple[float, float]]) -> int:
        """The largest number of requests that began within a time, except if it touches some spans."""
        begins = sorted(begin for begin, _ in self.spans)
        most = first = 0
        for last, moment in enumerate(begins):
            while begins[first] <= moment - seconds:
                first += 1
            if not any(begin < moment and moment - seconds < end for begin, end in without):
                most = max(most, last - first + 1)
        return most


def _within(moment: float, spans: list[tuple[float, float]]) -> bool:
    return any(begin <= moment <= end for begin, end in spans)


class SlowHosts:
    """Serves `/N.jpg` on loopback addresses with one port for as long as its `with` block runs.

    Each number has a picture of its own, `picture` with a comment, except every 50th, which is missing,
    and of those every fourth, whose host does not respond.
    """

    def __init__(self, picture: bytes, hosts: int, wait: tuple[float, float] = (0.05, 0.1)):
        self.picture, self.wait = picture, wait
        self.addresses = [f"127.0.0.{2 + number}" for number in range(hosts)]
        self.dead = f"127.0.1.{2 + hosts}"
        self.logs: dict[str, Log] = defaultdict(Log)
        self._random = random.Random(1)
        #: The longest time for which nothing could be handled, because the machine was busy.
        self.longest_lag = 0.0

    def url(self, number: int) -> str:
        address = self.dead if number % DEAD == DEAD - 1 else self.addresses[number % len(self.addresses)]
        return f"http://{address}:{self.port}/{number}.jpg"

    def expected(self, number: int) -> tuple[str, str]:
        """The status and the SHA-256 of the picture with this number; no hash if it is missing."""
        if number % MISSING == MISSING - 1:
            return ("failed_to_download", "")
        return ("success", hashlib.sha256(self._body(number)).hexdigest())

    def __enter__(self) -> "SlowHosts":
        sockets = self._sockets()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._serve(sockets), self._loop).result(30)
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self):
        for server in self._servers:
            server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _sockets(self) -> list[socket.socket]:
        """Binds all addresses to one port."""
        while True:
            made = [socket.create_server((self.addresses[0], 0), backlog=1024)]
            self.port = made[0].getsockname()[1]
            try:
                for address in self.addresses[1:]:
                    made.append(socket.create_server((address, self.port), backlog=1024))
                return made
            except OSError:
                # Another program has this port at one of the addresses.
                for each in made:
                    each.close()

    async def _serve(self, sockets: list[socket.socket]):
        self._servers = [await asyncio.start_server(self._connection, sock=each) for each in sockets]
        self._watch = asyncio.create_task(self._watch_lag())

    async def _watch_lag(self):
        while True:
            begin = time.monotonic()
            await asyncio.sleep(0.05)
            self.longest_lag = max(self.longest_lag, time.monotonic() - begin - 0.05)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        log = self.logs[writer.get_extra_info("sockname")[0]]
        try:
            while line := await reader.readline():
                begin = time.monotonic()
                while (await reader.readline()).strip():
                    pass
                path = line.split()[1].decode()
                if path != "/robots.txt":
                    await asyncio.sleep(self._random.uniform(*self.wait))
                    # The client counts a request as ended when it has the response.
                    log.spans.append((begin, time.monotonic()))
                writer.write(self._response(path))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _response(self, path: str) -> bytes:
        number = path.removeprefix("/").removesuffix(".jpg")
        if not number.isdigit() or int(number) % MISSING == MISSING - 1:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        body = self._body(int(number))
        return b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def _body(self, number: int) -> bytes:
        comment = str(number).encode()
        return self.picture[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + self.picture[2:]
