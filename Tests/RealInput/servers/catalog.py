"""The servers by the names that `serve` takes."""

from servers.moto import Moto
from servers.snac import Snac
from servers.swift import SwiftS3
from servers.tus import TusServer
from servers.wordpress import WordPress

SERVERS = {"tus": TusServer, "moto": Moto, "snac": Snac, "swift": SwiftS3, "wordpress": WordPress}
