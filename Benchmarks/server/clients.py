"""Clients that no load generator has: they leave early, stay idle, read slowly, or all ask for the same at once."""

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass
class Answer:
    status: int
    seconds: float
    bytes: int


async def get(base: str, path: str, leave_after: float | None = None) -> Answer | None:
    """Asks on a connection of its own; `None` where it left before the answer was complete."""
    started = time.monotonic()
    reader, writer = await connect(base, path)
    try:
        async with asyncio.timeout(leave_after):
            answer = await reader.read()
            while more := await reader.read():
                answer += more
    except TimeoutError:
        return None
    finally:
        writer.close()
    status = int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0
    return Answer(status, time.monotonic() - started, len(answer))


async def connect(base: str, path: str | None):
    """Connects, and asks for `path` if there is one."""
    parts = urlsplit(base)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    if path is not None:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
    return reader, writer


async def together(base: str, paths: list[str], leave_after: float | None = None) -> list[Answer | None]:
    return await asyncio.gather(*(get(base, path, leave_after) for path in paths))


async def one_after_another(base: str, path_of, count: int) -> list[float]:
    """Returns how long each of `count` answers took, in seconds; all have to be pictures."""
    seconds = []
    for number in range(count):
        answer = await get(base, path_of(number))
        if answer.status != 200:
            raise RuntimeError(f"{path_of(number)}: {answer}")
        seconds.append(answer.seconds)
    return seconds


class Crowd:
    """Connections that are held open while the `async with` block runs: idle ones, and ones that take a byte at a time."""

    def __init__(self, base: str, idle: int, slow: list[str]):
        self.base, self.idle, self.slow = base, idle, slow

    async def __aenter__(self) -> "Crowd":
        self._open = [await connect(self.base, None) for _ in range(self.idle)]
        self._slow = [asyncio.create_task(self._sip(path)) for path in self.slow]
        return self

    async def __aexit__(self, *_):
        for task in self._slow:
            task.cancel()
        await asyncio.gather(*self._slow, return_exceptions=True)
        for _, writer in self._open:
            writer.close()

    async def _sip(self, path: str):
        reader, writer = await connect(self.base, path)
        try:
            while await reader.read(1):
                await asyncio.sleep(1)
        finally:
            writer.close()
