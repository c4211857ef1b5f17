"""The contestants of `script/bench server`: how each is started, and what its paths look like."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from servers.cache import environment
from support import measure
from support.nginx import free_port

LISTENING = re.compile(r"listening on (http://\S+)")
START_LIMIT = 20  # seconds


class Server:
    """A server process in a session of its own, with a folder for what it writes."""

    name = ""

    def __enter__(self) -> "Server":
        self.folder = Path(tempfile.mkdtemp(prefix="calotype-bench-server-"))
        self._log = open(self.folder / "log", "w+b")
        try:
            self._process = subprocess.Popen(
                list(map(str, self.command())),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.variables()},
                start_new_session=True,
            )
            self._watch = measure.MemoryWatch(self._process.pid, 3600).__enter__()
            self._await(self.is_ready)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        process = getattr(self, "_process", None)
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            # Processes of its own that it leaves behind, as thumbor does.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        if hasattr(self, "_watch"):
            self._watch.__exit__()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self) -> list:
        raise NotImplementedError

    def variables(self) -> dict[str, str]:
        return {}

    def path(self, source: str, width: str) -> str:
        """Returns the path of `source` (a URL) at most `width` pixels wide, as JPEG of quality 85."""
        raise NotImplementedError

    def is_ready(self) -> bool:
        return answers(self.base)

    def workers(self) -> list[int]:
        """Returns the processes that decode for it, and not the one that forks them."""
        return [number for number in measure.process_tree(self._process.pid) if told_name(number) == "decode-worker"]

    @property
    def cpu(self) -> float:
        """The CPU seconds of all its processes so far."""
        return sum(map(cpu_seconds, measure.process_tree(self._process.pid)))

    @property
    def peak_bytes(self) -> int:
        return self._watch.peak_bytes

    def proportional_bytes(self) -> int:
        return sum(map(measure.proportional_bytes, measure.process_tree(self._process.pid)))

    def told(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def _await(self, condition):
        end = time.monotonic() + START_LIMIT
        while not condition():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.name} did not start:\n{self.told()[-2000:]}")
            time.sleep(0.05)


class Calotype(Server):
    name = "calotype serve"

    def __init__(self, binary: Path, *options):
        self.binary, self.options = binary, options

    def command(self) -> list:
        return [self.binary, "serve", "--bind", "127.0.0.1:0", "--allow-private", *self.options]

    def variables(self) -> dict[str, str]:
        return {name: str(self.folder / name.lower()) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}

    def is_ready(self) -> bool:
        found = LISTENING.search(self.told())
        if found:
            self.base = found.group(1)
        return bool(found) and answers(f"{self.base}/health")

    def path(self, source: str, width: str) -> str:
        return f"/unsafe/rs:fit:{width}:0/q:85/plain/{urllib.parse.quote(source, safe='')}@jpg"


class Thumbor(Server):
    """thumbor with Pillow and as many processes as cores, which is its best engine here."""

    name = "thumbor, 2 processes"
    SETTINGS = """\
QUALITY = 85
LOADER = "thumbor.loaders.http_loader"
STORAGE = "thumbor.storages.no_storage"
RESULT_STORAGE = None
ALLOW_UNSAFE_URL = True
SECURITY_KEY = "unused"
HTTP_LOADER_MAX_CLIENTS = 64
MAX_AGE = 3600
"""

    def command(self) -> list:
        python = environment("thumbor") / "bin" / "python"
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        (self.folder / "thumbor.conf").write_text(self.SETTINGS)
        options = ["--ip", "127.0.0.1", "--port", self.port, "--conf", self.folder / "thumbor.conf"]
        return [python, "-m", "thumbor.server", *options, "--processes", "2", "--log-level", "error"]

    def is_ready(self) -> bool:
        return answers(f"{self.base}/healthcheck")

    def path(self, source: str, width: str) -> str:
        return f"/unsafe/{width}x0/{urllib.parse.quote(source, safe='')}"


class ImageFilter(Server):
    """nginx with its image filter, which decodes in full with libgd."""

    name = "nginx image_filter, 2 workers"
    SETTINGS = """\
load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;
{user}
daemon off;
worker_processes 2;
pid nginx.pid;
error_log error.log crit;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
    server {{
        listen 127.0.0.1:{port};
        location / {{ return 200; }}
        {location}
    }}
}}
"""
    LOCATION = """location ~ ^/(?<wide>[0-9]+)/(?<rest>.*)$ {{
            image_filter_buffer 64M;
            image_filter_jpeg_quality 85;
            image_filter resize $wide -;
            proxy_pass {origin}/$rest;
        }}"""

    def __init__(self, origin: str):
        self.origin = origin

    def command(self) -> list:
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        user = "user root;" if os.geteuid() == 0 else ""
        location = self.LOCATION.format(origin=self.origin)
        settings = self.SETTINGS.format(port=port, user=user, location=location)
        (self.folder / "nginx.conf").write_text(settings)
        return ["/usr/sbin/nginx", "-p", self.folder, "-c", "nginx.conf", "-e", "error.log"]

    def path(self, source: str, width: str) -> str:
        return f"/{width}/{source.removeprefix(self.origin).lstrip('/')}"


class NginxCache(ImageFilter):
    """nginx's cache in front of another thumbnail server: the same answers, all of them found."""

    name = "nginx proxy_cache, 2 workers"
    SETTINGS = ImageFilter.SETTINGS.replace(
        "access_log off;", "access_log off; keepalive_requests 1000000; proxy_cache_path cache keys_zone=kept:10m;"
    ).replace("load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;\n", "")
    LOCATION = "location /unsafe/ {{ proxy_cache kept; proxy_cache_valid 200 1h; proxy_pass {origin}; }}"

    def __init__(self, server: Server):
        super().__init__(server.base)
        self.path = server.path


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            answer.read()
        return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def told_name(process: int) -> str:
    """What a process calls itself; nothing where it has ended."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and of the children that it waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
