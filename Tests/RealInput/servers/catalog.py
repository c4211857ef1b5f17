"""The servers by the names that `serve` takes."""

from servers.moto import Moto
from servers.snac import Snac
from servers.tus import TusServer

SERVERS = {"tus": TusServer, "moto": Moto, "snac": Snac}
