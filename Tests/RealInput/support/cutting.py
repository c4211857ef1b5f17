"""A proxy in front of a server, which cuts, holds or keeps back what goes through it when a test says so."""

import asyncio
import re
import socket
import struct
import threading
from dataclasses import dataclass, field

CHUNK = 4096
HEAD = re.compile(rb"[A-Z]+ /\S* HTTP/1\.1\r\n")
NO_LINGERING = struct.pack("ii", 1, 0)


@dataclass
class Fault:
    """What is to happen to one connection: `happened` is set when it has."""

    kind: str
    count: int = 0
    start: bytes = b""
    happened: threading.Event = field(default_factory=threading.Event)


class CuttingProxy:
    """Forwards connections to `port` of loopback for as long as its `with` block runs; faults happen in the order in which
    they were asked for, each to one connection."""

    def __init__(self, port: int):
        self.target = port
        self.sent = 0  # bytes that went to the server

    def __enter__(self) -> "CuttingProxy":
        self._faults: list[Fault] = []
        self._connections: set[asyncio.Task] = set()
        self._open: set["Connection"] = set()
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def cut(self, count: int) -> Fault:
        """Resets the connection on which the last of `count` bytes is sent to the server."""
        return self._expect(Fault("cut", count=count))

    def hold(self, count: int) -> Fault:
        """Forwards nothing more of the connection on which the last of `count` bytes is sent, until the client leaves."""
        return self._expect(Fault("hold", count=count))

    def lose_answer(self, start: str) -> Fault:
        """Forwards the next request that begins with `start`, and resets the connection when its answer comes."""
        return self._expect(Fault("lose", start=start.encode()))

    def under_way(self, start: str) -> int:
        """Returns the number of open connections whose last request begins with `start`."""
        return sum(one.last.startswith(start.encode()) for one in list(self._open))

    def url(self, url: str) -> str:
        """Returns the address of the server's `url` by way of the proxy."""
        return url.replace(f"127.0.0.1:{self.target}", f"127.0.0.1:{self.port}")

    def _expect(self, fault: Fault) -> Fault:
        self._loop.call_soon_threadsafe(self._faults.append, fault)
        return fault

    async def _serve(self, ready: threading.Event):
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._end.wait()
        server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._connections.add(asyncio.current_task())
        writers = [writer]
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
            writers.append(server_writer)
            connection = Connection(self, reader, writer, server_reader, server_writer)
            self._open.add(connection)
            try:
                await connection.forward()
            finally:
                self._open.discard(connection)
        except (OSError, asyncio.CancelledError):
            pass  # one of the two went away, or the proxy ends
        finally:
            for each in writers:
                each.transport.abort()
            self._connections.discard(asyncio.current_task())

    def take(self, data: bytes) -> tuple[Fault | None, int]:
        """Counts what a client sent; returns the fault that it brings about, and how much of it the server still gets."""
        fault, allowed, brings = self._faults[0] if self._faults else None, len(data), False
        if fault and fault.kind == "lose":
            brings = data.startswith(fault.start)
        elif fault:
            allowed = min(allowed, fault.count)
            fault.count -= allowed
            brings = fault.count == 0
        self.sent += allowed
        return (self._faults.pop(0) if brings else None), allowed


class Connection:
    """A client's connection and the one to the server that belongs to it."""

    def __init__(self, proxy: CuttingProxy, reader, writer, server_reader, server_writer):
        self.proxy, self.reader, self.writer = proxy, reader, writer
        self.server_reader, self.server_writer = server_reader, server_writer
        self.loses: Fault | None = None
        self.last = b""

    async def forward(self):
        """Returns when the server has closed, the client has gone, or a fault has ended the connection."""
        requests, answers = asyncio.create_task(self._requests()), asyncio.create_task(self._answers())
        try:
            await asyncio.wait({requests, answers}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (requests, answers):
                task.cancel()
            await asyncio.gather(requests, answers, return_exceptions=True)

    async def _requests(self):
        while data := await self.reader.read(CHUNK):
            self.last = data if HEAD.match(data) else self.last
            fault, allowed = self.proxy.take(data)
            self.loses = fault if fault and fault.kind == "lose" else self.loses
            self.server_writer.write(data[:allowed])
            await self.server_writer.drain()
            if fault and fault.kind == "cut":
                return self._reset(fault)
            if fault and fault.kind == "hold":
                fault.happened.set()
                while await self.reader.read(CHUNK):
                    pass
                return

    async def _answers(self):
        while data := await self.server_reader.read(CHUNK):
            if self.loses:
                return self._reset(self.loses)
            self.writer.write(data)
            await self.writer.drain()

    def _reset(self, fault: Fault):
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGERING)
        self.writer.transport.abort()
        fault.happened.set()
