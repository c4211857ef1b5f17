"""Requests to a server of a test, with the status as a value."""

import http.client
import json
import urllib.error
import urllib.request
from dataclasses import dataclass

TIME_LIMIT = 30


@dataclass
class Answer:
    """The status, the headers and the body of a response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


# Proxies of the environment are not for loopback.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


def request(method: str, url: str, body: bytes | None = None, **headers: str) -> Answer:
    """Makes a request; `Content_Type` stands for the header Content-Type. Redirects are answers like others."""
    # Without a type of its own a body would be sent as that of a form.
    typed = {} if body is None else {"Content-Type": "application/octet-stream"}
    named = typed | {name.replace("_", "-"): value for name, value in headers.items()}
    wanted = urllib.request.Request(url, data=body, headers=named, method=method)
    try:
        with _opener.open(wanted, timeout=TIME_LIMIT) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


def answers(url: str) -> bool:
    """Tells whether a server is there that answers at all."""
    try:
        request("GET", url)
        return True
    except (OSError, http.client.HTTPException):
        return False
