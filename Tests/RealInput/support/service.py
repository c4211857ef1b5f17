"""A service whose answers a test writes down."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedService:
    """Answers any request with `body`; `finished` is when the last byte of an answer had been sent."""

    def __enter__(self) -> "ScriptedService":
        self.body, self.finished = b"{}", 0.0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(service.body)))
                self.end_headers()
                self.wfile.write(service.body)
                self.wfile.flush()
                service.finished = time.monotonic()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer_apps(self, *apps: dict):
        """Answers as an App Store that has found these."""
        self.body = json.dumps({"resultCount": len(apps), "results": list(apps)}).encode()

    def answer(self, document):
        self.body = json.dumps(document).encode()


def app(number: int, **fields) -> dict:
    """Returns an entry of a store with what must be there, and `fields`; one of `None` is left out."""
    entry = {
        "wrapperType": "software", "kind": "software", "trackId": number, "trackName": f"App {number}",
        "artistName": "Example Ltd", "trackViewUrl": f"https://apps.example.com/app/id{number}",
        "artworkUrl512": f"https://pictures.example.com/{number}/512x512bb.jpg", "formattedPrice": "Free",
    }
    return {name: value for name, value in (entry | fields).items() if value is not None}
