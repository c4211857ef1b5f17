"""The servers by the names that `serve` takes."""

from servers.tus import TusServer

SERVERS = {"tus": TusServer}
