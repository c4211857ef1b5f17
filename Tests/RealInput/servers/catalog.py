"""The servers by the names that `serve` takes."""

from servers.moto import Moto
from servers.tus import TusServer

SERVERS = {"tus": TusServer, "moto": Moto}
