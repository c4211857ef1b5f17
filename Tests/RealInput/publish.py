"""`calotype publish` against real servers, each by way of a proxy that cuts connections."""

import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from publishing import clients, odd, simulated
from publishing.mastodon import MastodonTrial
from publishing.plain import OriginServer, PlainTrial
from publishing.s3 import MotoTrial, S3Trial
from publishing.tus import TusTrial
from publishing.wordpress import WordPressTrial
from servers.cache import Unavailable
from servers.catalog import SERVERS
from servers.server import Server
from support.checks import Checks
from support.cutting import CuttingProxy

TRIALS = {
    "origin": PlainTrial, "tus": TusTrial, "swift": S3Trial, "moto": MotoTrial, "snac": MastodonTrial,
    "wordpress": WordPressTrial,
}


def check(checks: Checks, binary: Path, scratch: Path):
    clients.check(checks, binary, scratch / "clients")
    odd.check(checks, binary, scratch / "odd")
    check_servers(checks, binary, scratch)
    simulated.check(checks, binary, scratch / "simulated")


def check_servers(checks: Checks, binary: Path, scratch: Path, names: list[str] | None = None):
    OriginServer.binary = binary
    kinds = {"origin": OriginServer} | SERVERS
    servers = {name: kinds[name](scratch / name / "server") for name in names or TRIALS}
    # One server starts while another is tried.
    aside = ThreadPoolExecutor(1)
    starts = {name: aside.submit(server.__enter__) for name, server in servers.items()}
    try:
        for name, start in starts.items():
            try:
                start.result()
            except Unavailable as error:
                checks.skip(f"publishing to {servers[name].title}", str(error))
            else:
                try_server(checks, binary, scratch / name, name, servers[name])
                aside.submit(servers[name].__exit__)
    finally:
        # Whatever happened, none is left; one that has ended already ends again.
        aside.shutdown(cancel_futures=True)
        for server in servers.values():
            server.__exit__()


def try_server(checks: Checks, binary: Path, scratch: Path, name: str, server: Server):
    started = time.monotonic()
    with CuttingProxy(urllib.parse.urlsplit(server.base).port) as proxy:
        TRIALS[name](checks, binary, scratch, server, proxy).cases()
    print(f"  {server.title}: tried in {time.monotonic() - started:.1f} s", flush=True)
