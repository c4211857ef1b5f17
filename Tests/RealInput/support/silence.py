"""Addresses on loopback that do not do what an address should."""

import errno
import select
import socket


class NeverAnswers:
    """A port on which connecting hangs: its queue of connections is full, so the kernel drops further SYNs.

    127.0.0.2 is another host than 127.0.0.1 for limits that count by host.
    """

    host = "127.0.0.2"

    def __enter__(self) -> "NeverAnswers":
        self._listener = socket.socket()
        self._listener.bind((self.host, 0))
        self._listener.listen(0)
        self.port = self._listener.getsockname()[1]
        self._filling = []
        # With a backlog of 0 the kernel takes one or two; the first that stays in progress proves that it is full.
        while self._fill():
            pass
        return self

    def __exit__(self, *_):
        for connection in [*self._filling, self._listener]:
            connection.close()

    def _fill(self) -> bool:
        """Makes one more connection; false when it did not come about within a fifth of a second."""
        connection = socket.socket()
        connection.setblocking(False)
        self._filling.append(connection)
        if connection.connect_ex((self.host, self.port)) not in (0, errno.EINPROGRESS):
            raise RuntimeError("the queue of connections cannot be filled on this machine")
        return bool(select.select([], [connection], [], 0.2)[1])

    def url(self, path: str) -> str:
        return f"http://{self.host}:{self.port}/{path}"


class Refuses:
    """A port that refuses connections: it is bound, so nobody else can have it, and nobody listens."""

    def __enter__(self) -> "Refuses":
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        return self

    def __exit__(self, *_):
        self._socket.close()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"
