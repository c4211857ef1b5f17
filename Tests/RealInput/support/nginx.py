"""An nginx of our own on loopback: own configuration, prefix and process; nothing of the system's nginx is touched."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ECHO_MODULE = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")

CONFIGURATION = """\
{modules}
{user}
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
    types {{ image/jpeg jpg jpeg; image/png png; image/webp webp; }}
    root {root};
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        {locations}
    }}
}}
"""


class Nginx:
    """Serves a folder on a free port of 127.0.0.1 for as long as its `with` block runs.

    `latency` is waited before each response, on a timer inside nginx: it costs no CPU. `cache` is the `Cache-Control` of all
    responses. A `forwarding` nginx is an HTTP proxy for http URLs, and `forwarded` lists what was requested through it.
    """

    def __init__(self, root: Path, latency: float = 0, cache: str = "", forwarding: bool = False):
        if latency and not ECHO_MODULE.exists():
            raise FileNotFoundError(f"{ECHO_MODULE} is missing: install libnginx-mod-http-echo")
        self.root = root.resolve()
        self.latency = latency
        self.cache = cache
        self.forwarding = forwarding

    def __enter__(self) -> "Nginx":
        self._prefix = Path(tempfile.mkdtemp(prefix="calotype-nginx-"))
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        process = getattr(self, "_process", None)
        if process and process.poll() is None:
            process.terminate()
            process.wait(timeout=10)
        shutil.rmtree(self._prefix)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, name: str) -> str:
        return f"{self.address}/{name}"

    def forwarded(self) -> list[str]:
        """Returns the request lines."""
        log = self._prefix / "access.log"
        return [line.split('"')[1] for line in log.read_text().splitlines()] if log.exists() else []

    def _start(self):
        # nginx cannot ask the kernel for a port and tell it; between our asking and its binding another may take it.
        for _ in range(5):
            self.port = free_port()
            (self._prefix / "nginx.conf").write_text(self._configuration())
            self._process = subprocess.Popen(
                ["/usr/sbin/nginx", "-p", self._prefix, "-c", "nginx.conf", "-e", "error.log"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if self._answers():
                return
        raise RuntimeError(f"nginx did not start: {(self._prefix / 'error.log').read_text()}")

    def _answers(self) -> bool:
        while self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return True
            except ConnectionRefusedError:
                time.sleep(0.02)
        return False

    def _configuration(self) -> str:
        locations = "location / {}"
        if self.latency:
            locations = f"location / {{ echo_sleep {self.latency}; echo_exec @files; }} location @files {{}}"
        if self.forwarding:
            locations = "access_log access.log; location / { proxy_pass http://$http_host$uri$is_args$args; }"
        if self.cache:
            locations = f'add_header Cache-Control "{self.cache}"; {locations}'
        return CONFIGURATION.format(
            modules=f"load_module {ECHO_MODULE};" if self.latency else "",
            # Workers of a root nginx run as "nobody" unless told, and cannot read private folders.
            user=f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else "",
            root=self.root,
            port=self.port,
            locations=locations,
        )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
