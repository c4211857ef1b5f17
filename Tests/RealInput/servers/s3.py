"""What the servers of S3 have in common: a bucket, and what it holds as a signed request tells.

Requests are signed as "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API Reference says.
"""

import datetime
import hashlib
import hmac
import json
import urllib.parse
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

from servers.calls import Answer, request
from servers.server import Server, StoredFile, stored

BUCKET = "pictures"
REGION = "us-east-1"


@dataclass(frozen=True)
class Keys:
    """Who signs."""

    access: str
    secret: str


class S3Server(Server):
    """A server with one bucket, made when it is ready; a subclass sets `base` and `keys` as it launches."""

    keys = Keys("", "")

    def __init__(self, scratch: Path):
        super().__init__(scratch)
        self._known: dict[tuple[str, str], StoredFile] = {}

    def make_bucket(self):
        made = self.call("PUT", f"/{BUCKET}")
        if made.status != 200:
            raise RuntimeError(f"{self.title} did not make a bucket: {made.status} {made.body!r}")

    def facts(self) -> dict:
        secrets = {"CALOTYPE_ACCESS_KEY": self.keys.access, "CALOTYPE_SECRET_KEY": self.keys.secret}
        return {
            "to": f"s3+{self.base}/{BUCKET}", "url": self.base, "bucket": BUCKET, "region": REGION,
            "environment": secrets | {"CALOTYPE_REGION": REGION},
        }

    def call(self, method: str, path: str, query: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """Makes a signed request; `path` begins with the bucket."""
        url, headers = signed(method, self.base, path, query or {}, body, self.keys)
        return request(method, url, body, **headers)

    def objects(self) -> dict[str, str]:
        """Returns the entity tags of all objects by their keys, in the order of keys."""
        entries = self._listing({"list-type": "2"}).iterfind("{*}Contents")
        return {entry.findtext("{*}Key"): entry.findtext("{*}ETag") for entry in entries}

    def unfinished(self) -> list[str]:
        """Returns the keys of multipart uploads that are neither completed nor aborted."""
        return [entry.findtext("{*}Key") for entry in self._listing({"uploads": ""}).iterfind("{*}Upload")]

    def content(self, key: str) -> bytes:
        return self.call("GET", f"/{BUCKET}/{key}").body

    def files(self) -> list[StoredFile]:
        # Many are asked for again and again, and some are large.
        self._known = {
            (key, tag): self._known.get((key, tag)) or stored(key, self.content(key))
            for key, tag in self.objects().items() if not is_post(key)
        }
        return list(self._known.values())

    def posts(self) -> list[dict]:
        return [{"id": key, "body": json.loads(self.content(key))} for key in self.objects() if is_post(key)]

    def _listing(self, query: dict[str, str]) -> xml.Element:
        answer = self.call("GET", f"/{BUCKET}", query)
        if answer.status != 200:
            raise RuntimeError(f"{self.title} does not list: {answer.status} {answer.body!r}")
        return xml.fromstring(answer.body)


def is_post(key: str) -> bool:
    """Tells whether a key is that of a post: the last folder is `posts`."""
    return key.split("/")[-2:-1] == ["posts"]


def signed(method: str, base: str, path: str, query: dict[str, str], body: bytes, keys: Keys) -> tuple[str, dict]:
    """Returns the address and the headers of a request."""
    moment = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{moment[:8]}/{REGION}/s3/aws4_request"
    digest, host = hashlib.sha256(body).hexdigest(), urllib.parse.urlsplit(base).netloc
    escaped = urllib.parse.quote(path)
    pairs = sorted((urllib.parse.quote(name, safe=""), urllib.parse.quote(value, safe="")) for name, value in query.items())
    parameters = "&".join(f"{name}={value}" for name, value in pairs)
    headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": moment}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical = "\n".join([method, escaped, parameters, lines, names, digest])
    text = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"AWS4-HMAC-SHA256 Credential={keys.access}/{scope}, SignedHeaders={names}, Signature={signature}"
    sent = {"x_amz_content_sha256": digest, "x_amz_date": moment, "Authorization": credential}
    return f"{base}{escaped}?{parameters}".rstrip("?"), sent
