"""OpenStack Swift with its S3 API: a proxy, and servers of accounts, containers and objects, each a process, and
memcached beside them.

It checks signatures and digests, and answers 501 to If-None-Match.
"""

import os
import pwd
import socket

from servers.cache import APPS, Unavailable, call
from servers.calls import answers
from servers.debian import library_path, unpacked
from servers.s3 import REGION, Keys, S3Server

PACKAGES = ["swift-proxy", "swift-account", "swift-container", "swift-object", "memcached"]
PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for
KINDS = ("account", "container", "object")

HASHES = "[swift-hash]\nswift_hash_path_prefix = calotype\nswift_hash_path_suffix = tests\n"

COMMON = """\
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
bind_timeout = 1
workers = 0
user = {user}
swift_dir = {folder}
devices = {folder}
mount_check = false
fallocate_reserve = 0
log_level = INFO
"""

STORAGE = "[pipeline:main]\npipeline = {kind}-server\n[app:{kind}-server]\nuse = egg:swift#{kind}\n"

PROXY = """\
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache s3api tempauth bulk slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{cache}
[filter:s3api]
use = egg:swift#s3api
location = {region}
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
"""


class SwiftS3(S3Server):
    """Keeps objects as files with extended attributes below `scratch`."""

    title = "OpenStack Swift"
    keys = Keys("test:tester", "secret-of-swift")

    def install(self):
        self._root = unpacked("swift", PACKAGES)

    def launch(self):
        self._require_attributes()
        self.launch_on_free_ports(self._start)
        self.make_bucket()

    def _start(self):
        *storage, proxy, cache = free_ports(len(KINDS) + 2)
        self._configure(storage, proxy, cache)
        user = ["-u", user_name()] if os.geteuid() == 0 else []
        memory = self._root / "usr" / "bin" / "memcached"
        self.run(memory, "-l", "127.0.0.1", "-p", cache, "-U", "0", *user, environment=self._environment())
        for kind in (*KINDS, "proxy"):
            program = (PYTHON, APPS / "swift_server.py", self.scratch, f"{kind}-server")
            self.run(*program, environment=self._environment())
        self.base = f"http://127.0.0.1:{proxy}"
        return lambda: all(answers(f"http://127.0.0.1:{port}") for port in (*storage, proxy))

    def _configure(self, storage: list[int], proxy: int, cache: int):
        (self.scratch / "disk").mkdir(exist_ok=True)
        call(PYTHON, APPS / "swift_rings.py", self.scratch, *storage, env=os.environ | self._environment())
        (self.scratch / "swift.conf").write_text(HASHES)
        account, user = self.keys.access.split(":")
        texts = {kind: STORAGE.format(kind=kind) for kind in KINDS}
        texts["proxy"] = PROXY.format(region=REGION, account=account, user=user, secret=self.keys.secret, cache=cache)
        for (kind, text), port in zip(texts.items(), [*storage, proxy]):
            common = COMMON.format(port=port, user=user_name(), folder=self.scratch)
            (self.scratch / f"{kind}-server.conf").write_text(common + text)

    def _environment(self) -> dict[str, str]:
        return {
            "PYTHONPATH": str(self._root / "usr" / "lib" / "python3" / "dist-packages"),
            "PYTHONDONTWRITEBYTECODE": "1", "LD_LIBRARY_PATH": library_path(self._root),
        }

    def _require_attributes(self):
        try:
            os.setxattr(self.scratch, "user.swift.test", b"1")
        except OSError as error:
            raise Unavailable(f"{self.scratch} has no extended attributes: {error}") from error


def user_name() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def free_ports(count: int) -> list[int]:
    """Returns ports that differ: all are held until the last is known."""
    sockets = [socket.socket() for _ in range(count)]
    for holder in sockets:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in sockets]
    for holder in sockets:
        holder.close()
    return ports
