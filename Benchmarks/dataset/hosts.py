"""Many hosts in one process, each with an address of its own on loopback. Standard library only.

    Benchmarks/dataset/hosts.py PICTURE GOOD REFUSED FULL SILENT RUDE

GOOD hosts send the picture, REFUSED do not listen, FULL do not accept connections, SILENT accept and never answer, RUDE answer
429 with a long Retry-After. Prints the port, and when its input ends what each good host has seen, as JSON.
"""

import asyncio
import json
import socket
import sys
import time
from collections import deque
from pathlib import Path

KINDS = ["good", "refused", "full", "silent", "rude"]
QUEUE = 2


class Host:
    """A good host: the largest number of its connections and of its requests in progress, and in a second."""

    def __init__(self):
        self.requests = self.active = self.most_active = self.most_in_second = 0
        self.last = 0.0
        self.recent = deque()

    def begin(self):
        now = self.last = time.monotonic()
        self.requests += 1
        self.active += 1
        self.recent.append(now)
        while now - self.recent[0] >= 1:
            self.recent.popleft()
        self.most_active = max(self.most_active, self.active)
        self.most_in_second = max(self.most_in_second, len(self.recent))


def address(kind: str, number: int) -> str:
    return f"127.{KINDS.index(kind) + 1}.{number // 250}.{number % 250 + 1}"


async def serve(kind: str, host: Host, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if kind == "silent":
                await reader.read()
                return
            if kind == "rude":
                writer.write(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n")
            elif head.startswith(b"GET /robots.txt"):
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            else:
                host.begin()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
            if kind == "good" and host.active:
                host.active -= 1
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def fill(place: tuple[str, int]) -> list[socket.socket]:
    """Listens without accepting, and takes the places of the queue, so that the kernel drops what comes later."""
    listener = socket.socket()
    listener.bind(place)
    listener.listen(0)
    kept = [listener]
    for _ in range(QUEUE):
        caller = socket.socket()
        caller.setblocking(False)
        caller.connect_ex(place)
        kept.append(caller)
    return kept


async def main():
    body = Path(sys.argv[1]).read_bytes()
    counts = dict(zip(KINDS, map(int, sys.argv[2:])))
    probe = socket.socket()
    probe.bind((address("good", 0), 0))
    port = probe.getsockname()[1]
    probe.close()
    hosts, kept = {}, []
    for kind in KINDS:
        for number in range(counts[kind]):
            if kind == "refused":
                continue
            place = (address(kind, number), port)
            if kind == "full":
                kept += fill(place)
                continue
            host = hosts[f"{kind} {number}"] = Host()
            await asyncio.start_server(
                lambda reader, writer, kind=kind, host=host: serve(kind, host, body, reader, writer), *place, backlog=256
            )
    print(port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    good = [host for name, host in hosts.items() if name.startswith("good")]
    seen = {name: [getattr(host, name) for host in good] for name in ("requests", "most_active", "most_in_second")}
    # When the last picture of a good host was requested, by the clock that the benchmark has too.
    print(json.dumps({**seen, "end": max(host.last for host in good)}), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
