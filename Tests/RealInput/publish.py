"""`calotype publish` against real servers, each by way of a proxy that cuts connections."""

import time
import urllib.parse
from pathlib import Path

from publishing import clients
from publishing.mastodon import MastodonTrial
from publishing.plain import OriginServer, PlainTrial
from publishing.s3 import MotoTrial, S3Trial
from publishing.tus import TusTrial
from publishing.wordpress import WordPressTrial
from servers.cache import Unavailable
from servers.catalog import SERVERS
from support.checks import Checks
from support.cutting import CuttingProxy

TRIALS = {
    "origin": PlainTrial, "tus": TusTrial, "swift": S3Trial, "moto": MotoTrial, "snac": MastodonTrial,
    "wordpress": WordPressTrial,
}


def check(checks: Checks, binary: Path, scratch: Path):
    clients.check(checks, binary, scratch / "clients")
    check_servers(checks, binary, scratch)


def check_servers(checks: Checks, binary: Path, scratch: Path, names: list[str] | None = None):
    OriginServer.binary = binary
    for name in names or TRIALS:
        kind = ({"origin": OriginServer} | SERVERS)[name]
        started = time.monotonic()
        try:
            with kind(scratch / name / "server") as server:
                ready = time.monotonic()
                with CuttingProxy(urllib.parse.urlsplit(server.base).port) as proxy:
                    TRIALS[name](checks, binary, scratch / name, server, proxy).cases()
                ended = time.monotonic()
        except Unavailable as error:
            checks.skip(f"publishing to {kind.title}", str(error))
            continue
        print(f"  {kind.title}: ready after {ready - started:.1f} s, tried in {ended - ready:.1f} s", flush=True)
