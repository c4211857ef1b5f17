"""Shows the progress of a cluster to browsers on this machine."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ._command import CalotypeError

LOOPBACK = "127.0.0.1"


class ProgressPage:
    """Serves a progress page on this machine's loopback address."""

    def __init__(self, port: int = 0) -> None:
        page = Path(__file__).with_name("progress.html").read_bytes()
        try:
            self._server = _Server((LOOPBACK, port), page)
        except (OSError, OverflowError) as error:
            raise CalotypeError(f"cannot serve the progress page at port {port}: {error}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_port}/"

    def show(self, status: str) -> None:
        """Replaces the status, which is JSON."""
        self._server.status = status.encode()

    def close(self) -> None:
        """Stops listening, and waits for requests in progress, a few seconds at most."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    # server_close() then waits for the threads of requests.
    daemon_threads = False

    def __init__(self, address: tuple[str, int], page: bytes) -> None:
        self.page = page
        self.status = b"{}"
        # Only the page's own script may run.
        hashes = [hashlib.sha256(script).digest() for script in re.findall(b"<script>(.*?)</script>", page, re.DOTALL)]
        scripts = " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes)
        self.policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {scripts}; connect-src 'self'"
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 2  # seconds for each read and write

    def do_GET(self) -> None:  # noqa: N802: the library's name
        # A web site whose name resolves to this machine must not read this (DNS rebinding).
        if (self.headers.get("Host") or "").rsplit(":", 1)[0] not in (LOOPBACK, "localhost"):
            return self.send_error(403)
        contents = {"/": ("text/html; charset=utf-8", self.server.page), "/status": ("application/json", self.server.status)}
        if self.path not in contents:
            return self.send_error(404)
        kind, content = contents[self.path]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Logs nothing."""
