"""snac2: a small server of the Mastodon API.

It ignores Idempotency-Key, takes any file and any number as a medium, and has neither `GET /api/v1/media/ID` nor
`/api/v2/instance`. The number of a medium is a digest of its file name alone: a second upload of the same name takes the
place of the first.
"""

import json
import re
import subprocess
import urllib.parse

from servers.calls import answers, request
from servers.debian import unpacked
from servers.server import Server, StoredFile, stored
from support.nginx import free_port

USER = "ada"
# Where the browser of a user would be sent; nobody goes there.
REDIRECT = "http://127.0.0.1/signed-in"
SCOPES = "read write"


class Snac(Server):
    """Has one user, and a token of that user."""

    title = "snac2"

    def install(self):
        # It is in the backports of Debian 12, and in later releases.
        self._program = unpacked("snac", ["snac2"]) / "usr" / "bin" / "snac"

    def launch(self):
        self.launch_on_free_ports(self._start)
        self.token = self._sign_in()

    def _start(self):
        port = free_port()
        # The port is part of what it stores.
        self._data = self.scratch / f"data-{port}"
        self._set_up(port)
        self.run(self._program, "httpd", self._data)
        return lambda: answers(self.base)

    def facts(self) -> dict:
        environment = {"CALOTYPE_TOKEN": self.token}
        return {
            "to": f"mastodon+{self.base}", "url": self.base, "environment": environment, "user": USER,
            "password": self._password, "folder": str(self._data),
        }

    def files(self) -> list[StoredFile]:
        """Returns all media that were ever uploaded; a server of this kind drops those without a post later."""
        folder = self._data / "user" / USER / "static"
        # Beside each medium lies its alternative text.
        paths = [path for path in sorted(folder.glob("*")) if path.suffix != ".txt"]
        return [stored(path.name, path.read_bytes()) for path in paths]

    def posts(self) -> list[dict]:
        """Returns the statuses as the API tells them."""
        account = self.call("GET", "/api/v1/accounts/verify_credentials").json()["id"]
        return self.call("GET", f"/api/v1/accounts/{account}/statuses?limit=40").json()[::-1]

    def media_of(self, post: dict) -> list[StoredFile]:
        """Returns what is served for the media of a status, in the order of the status."""
        return [stored(medium["id"], request("GET", medium["url"]).body) for medium in post["media_attachments"]]

    def call(self, method: str, path: str, body: bytes | None = None, **headers: str):
        return request(method, self.base + path, body, Authorization=f"Bearer {self.token}", **headers)

    def _set_up(self, port: int):
        self.base = f"http://127.0.0.1:{port}"
        # Address, port, name, prefix and mail of the administrator, as it asks for them.
        self._ask("init", self._data, say=f"127.0.0.1\n{port}\n127.0.0.1:{port}\n\n\n")
        path = self._data / "server.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"protocol": "http", "dbglevel": 1}))
        said = self._ask("adduser", self._data, USER)
        self._password = re.search(r"password is (\S+)", said).group(1)

    def _ask(self, *arguments, say: str = "") -> str:
        command = [str(part) for part in (self._program, *arguments)]
        done = subprocess.run(
            command, input=say, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stdout}")
        return done.stdout

    def _sign_in(self) -> str:
        """Returns a token, in the way an application gets one for its user (RFC 6749, section 4.1)."""
        wanted = {"client_name": "calotype", "redirect_uris": REDIRECT, "scopes": SCOPES}
        app = self._form("/api/v1/apps", wanted).json()
        fields = {"login": USER, "passwd": self._password, "redir": REDIRECT, "cid": app["client_id"], "state": "1"}
        signed_in = self._form("/oauth/x-snac-login", fields)
        code = re.search(r"[?&]code=([^&]+)", signed_in.headers.get("Location", ""))
        if code is None:
            raise RuntimeError(f"{self.title} gave no code: {signed_in.status} {signed_in.headers} {signed_in.body!r}")
        exchange = {
            "grant_type": "authorization_code", "code": code.group(1), "scope": SCOPES,
            "client_id": app["client_id"], "client_secret": app["client_secret"], "redirect_uri": REDIRECT,
        }
        return self._form("/oauth/token", exchange).json()["access_token"]

    def _form(self, path: str, fields: dict[str, str]):
        body = urllib.parse.urlencode(fields).encode()
        return request("POST", self.base + path, body, Content_Type="application/x-www-form-urlencoded")
