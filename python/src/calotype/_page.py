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
    """A page, and what it shows, at a port of this machine that others cannot reach."""

    def __init__(self, port: int = 0) -> None:
        page = Path(__file__).with_name("progress.html").read_bytes()
        try:
            self._server = _Server((LOOPBACK, port), page)
        except (OSError, OverflowError) as error:
            raise CalotypeError(f"the page cannot use port {port}: {error}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_port}/"

    def show(self, status: str) -> None:
        """Shows a status, in JSON."""
        self._server.status = status.encode()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], page: bytes) -> None:
        self.page = page
        self.status = b"{}"
        # Nothing but the page's own script runs, whatever a host or an error is called.
        hashes = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in re.findall(b"<script>(.*?)</script>", page, re.DOTALL)]
        scripts = " ".join(f"'sha256-{each}'" for each in hashes)
        self.policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {scripts}; connect-src 'self'"
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_GET(self) -> None:  # noqa: N802: the library's name
        # A page elsewhere whose name leads to this machine is not to read this.
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
        """Requests are not worth a line."""
