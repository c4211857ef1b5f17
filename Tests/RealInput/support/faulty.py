"""An origin that misbehaves by path, for what nginx cannot be made to do. Standard library only.

    /404/…  /500/…      that status, with a short body
    /hang/…             takes the request and never answers
    /cut/FILE           announces the whole file, sends half of it, closes
    /cut-late/FILE      the same, but waits for two seconds before it closes
    /half/FILE          sends half of the file under a Content-Length that is right for the half
    /html/…             200 image/jpeg, and the body is a web page
    /slow/FILE          the file, one byte every half second
    /redirect/…?to=URL  302 to URL
    /loop/…             302 to itself
    /endless/FILE       the file without its end, and on and on, as fast as it is read
    /file/FILE          the file as it should be

Run as a program it prints its port and serves until it is terminated; `Faulty` does that from Python.
"""

import asyncio
import subprocess
import sys
import urllib.parse
from pathlib import Path

PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


class Faulty:
    """Runs the origin as a process of its own for as long as its `with` block runs."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __enter__(self) -> "Faulty":
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(self.folder)], stdout=subprocess.PIPE, text=True
        )
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"


class Connection:
    """Answers the requests of one client connection."""

    def __init__(self, folder: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.folder, self.reader, self.writer = folder, reader, writer

    async def serve(self):
        try:
            while await self._answer_one():
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client went away, as it may
        finally:
            self.writer.close()

    async def _answer_one(self) -> bool:
        """Answers one request; false when the connection must be closed afterwards."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        target = head.split(b" ", 2)[1].decode()
        path, _, query = target.partition("?")
        kind, _, name = path.lstrip("/").partition("/")
        answer = getattr(self, f"answer_{kind.replace('-', '_')}", self.answer_404)
        return await answer(name, query, target)

    async def _send(self, status: str, body: bytes, *headers: str, length: int | None = None) -> bool:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await self.writer.drain()
        return True

    def _read(self, name: str) -> bytes:
        return (self.folder / Path(name).name).read_bytes()

    async def answer_404(self, *_):
        return await self._send("404 Not Found", b"not here\n")

    async def answer_500(self, *_):
        return await self._send("500 Internal Server Error", b"broken\n")

    async def answer_hang(self, *_):
        await self.reader.read()  # returns when the client leaves
        return False

    async def answer_file(self, name, *_):
        return await self._send("200 OK", self._read(name), "Content-Type: image/jpeg")

    async def answer_cut(self, name, *_):
        data = self._read(name)
        await self._send("200 OK", data[: len(data) // 2], "Content-Type: image/jpeg", length=len(data))
        return False

    async def answer_cut_late(self, name, *_):
        await self.answer_cut(name)
        await asyncio.sleep(2)
        return False

    async def answer_half(self, name, *_):
        data = self._read(name)
        return await self._send("200 OK", data[: len(data) // 2], "Content-Type: image/jpeg")

    async def answer_html(self, *_):
        return await self._send("200 OK", PAGE, "Content-Type: image/jpeg")

    async def answer_slow(self, name, *_):
        data = self._read(name)
        await self._send("200 OK", b"", "Content-Type: image/jpeg", length=len(data))
        for at in range(len(data)):
            self.writer.write(data[at : at + 1])
            await self.writer.drain()
            await asyncio.sleep(0.5)
        return True

    async def answer_endless(self, name, *_):
        # No length and no chunks: the body ends when the connection does, which it does not. Without the end marker
        # of the JPEG (its last two bytes) nothing in the body is wrong.
        self.writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n" + self._read(name)[:-2])
        while True:
            self.writer.write(bytes(65536))
            await self.writer.drain()

    async def answer_redirect(self, _, query, __):
        to = urllib.parse.parse_qs(query)["to"][0]
        return await self._send("302 Found", b"", f"Location: {to}")

    async def answer_loop(self, _, __, target):
        return await self._send("302 Found", b"", f"Location: {target}")


async def main(folder: Path):
    async def accept(reader, writer):
        await Connection(folder, reader, writer).serve()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
