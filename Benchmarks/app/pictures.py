"""An origin on a thread of its own that serves one small picture under any name, and notes when, and how many at a time."""

import asyncio
import io
import threading
import time
from pathlib import Path

from PIL import Image


class NotingOrigin:
    """Answers each path with a picture, after `latency` seconds; `first` is when the first answer had left, in seconds since 1970."""

    def __init__(self, side: int = 400):
        buffer = io.BytesIO()
        Image.effect_noise((side, side), 60).convert("RGB").save(buffer, "JPEG", quality=80)
        body = buffer.getvalue()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nCache-Control: max-age=60\r\nContent-Length: {len(body)}\r\n\r\n"
        self._answer = head.encode() + body
        self.latency = 0.0
        self.first: float | None = None
        self.under_way = self.asked = 0

    def __enter__(self) -> "NotingOrigin":
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def urls(self, count: int, name: str) -> list[str]:
        return [f"{self.base}/{name}-{number}.jpg" for number in range(count)]

    async def _serve(self, ready: threading.Event):
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        await self._end.wait()
        server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await self._answer_one(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client has gone, as it may
        finally:
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.asked += 1
        self.under_way += 1
        try:
            if self.latency > 0 and await self._is_left(reader):
                raise ConnectionResetError
            writer.write(self._answer)
            await writer.drain()
            self.first = self.first or time.time()
        finally:
            self.under_way -= 1

    async def _is_left(self, reader: asyncio.StreamReader) -> bool:
        """Waits as long as an answer takes; true where the client closes before."""
        try:
            return await asyncio.wait_for(reader.read(1), self.latency) == b""
        except TimeoutError:
            return False
