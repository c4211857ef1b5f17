"""WordPress on MariaDB and PHP's built-in server, with an application password of its only user.

MariaDB listens on a socket in the scratch folder alone, without tables of users: whoever can open the socket may do all.
"""

import base64
import os
import re
import urllib.parse
from pathlib import Path

from servers.cache import APPS, call
from servers.calls import Answer, answers, request
from servers.debian import library_path, unpacked
from servers.server import Server, StoredFile, stored

PHP = "8.2"
PACKAGES = [
    "wordpress", "mariadb-server-core", "libmariadb3",
    *(f"php{PHP}-{part}" for part in ("cli", "common", "mysql", "gd", "xml", "mbstring", "opcache")),
]
# Those that others build on come first.
EXTENSIONS = [
    "mysqlnd", "mysqli", "ctype", "tokenizer", "iconv", "posix", "fileinfo", "mbstring", "exif", "gd", "xml", "dom",
    "simplexml", "xmlreader", "xmlwriter",
]
USER = "ada"
WORKERS = 4
RUNNING = re.compile(r"Development Server \((http://127\.0\.0\.1:\d+)\) started")


class WordPress(Server):
    """A site without posts."""

    title = "WordPress"

    def __init__(self, scratch: Path):
        super().__init__(scratch)
        self._socket = self.scratch / "mariadb.sock"

    def install(self):
        self._root = unpacked("wordpress", PACKAGES)
        self._site = self._root / "usr" / "share" / "wordpress"
        # Debian's own looks into /etc; WordPress takes none from elsewhere while one is here.
        configuration = (APPS / "wp-config.php").read_bytes()
        if (self._site / "wp-config.php").read_bytes() != configuration:
            (self._site / "wp-config.php").write_bytes(configuration)

    def launch(self):
        (self.scratch / "content" / "uploads").mkdir(parents=True, exist_ok=True)
        self._start_database()
        variables = self._environment() | {"PHP_CLI_SERVER_WORKERS": str(WORKERS)}
        router = APPS / "wordpress_router.php"
        server = self.run(*self._php(), "-S", "127.0.0.1:0", "-t", self._site, router, environment=variables)
        self.await_ready(lambda: RUNNING.search(server.told()))
        self.base = RUNNING.search(server.told()).group(1)
        self.await_ready(lambda: answers(f"{self.base}/readme.html"))
        self._make_site()

    def facts(self) -> dict:
        environment = {"CALOTYPE_USER": USER, "CALOTYPE_PASSWORD": self.password}
        return {
            "to": f"wordpress+{self.base}", "url": self.base, "environment": environment,
            "uploads": str(self.scratch / "content" / "uploads"),
        }

    def files(self) -> list[StoredFile]:
        """Returns the media as they were uploaded, oldest first."""
        return [self.file_of(medium) for medium in self._all("media")]

    def posts(self) -> list[dict]:
        """Returns the posts as the API tells them, drafts as well."""
        return self._all("posts?status=any")

    def media(self) -> list[dict]:
        """Returns the media as the API tells them, oldest first."""
        return self._all("media")

    def file_of(self, medium: dict) -> StoredFile:
        # A large picture is served in a smaller size; beside it lies what was uploaded.
        served = Path(urllib.parse.unquote(urllib.parse.urlsplit(medium["source_url"]).path))
        name = (medium["media_details"] or {}).get("original_image", served.name)
        path = self.scratch / "content" / served.relative_to("/wp-content").with_name(name)
        return stored(name, path.read_bytes())

    def call(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Makes a request of the user; `path` is below the API's version."""
        credentials = base64.b64encode(f"{USER}:{self.password}".encode()).decode()
        return request(
            method, f"{self.base}/wp-json/wp/v2/{path}", body, Authorization=f"Basic {credentials}", **headers
        )

    def _all(self, path: str) -> list[dict]:
        mark = "&" if "?" in path else "?"
        answer = self.call("GET", f"{path}{mark}context=edit&per_page=100&orderby=id&order=asc")
        if answer.status != 200:
            raise RuntimeError(f"{self.title} does not list {path}: {answer.status} {answer.body!r}")
        return answer.json()

    def _start_database(self):
        data = self.scratch / "database"
        data.mkdir(exist_ok=True)
        places = {
            "basedir": self._root / "usr", "lc-messages-dir": self._root / "usr" / "share" / "mysql", "datadir": data,
            "socket": self._socket, "pid-file": self.scratch / "mariadb.pid",
        }
        options = [f"--{name}={value}" for name, value in places.items()]
        # A test that is killed loses its database; nobody waits for the disk.
        options += ["--innodb-flush-log-at-trx-commit=0", "--skip-networking", "--skip-grant-tables"]
        options += ["--user=root"] if os.geteuid() == 0 else []
        server = self._root / "usr" / "sbin" / "mariadbd"
        process = self.run(server, "--no-defaults", *options, environment=self._environment())
        self.await_ready(lambda: "ready for connections" in process.told())

    def _make_site(self):
        script = APPS / "wordpress_install.php"
        host = self.base.removeprefix("http://")
        said = call(*self._php(), script, self._site, host, USER, env=os.environ | self._environment())
        found = re.search(r"application password: (\S+)", said)
        if not found:
            raise RuntimeError(f"{self.title} was not set up: {said}")
        self.password = found.group(1)

    def _php(self) -> list:
        (folder,) = (self._root / "usr" / "lib" / "php").glob("20*")
        settings = [f"extension={folder / name}.so" for name in EXTENSIONS]
        settings += [f"zend_extension={folder / 'opcache.so'}", "upload_max_filesize=64M", "post_max_size=64M"]
        settings += ["memory_limit=256M", "sendmail_path=/bin/true", "display_errors=stderr", "expose_php=0"]
        program = self._root / "usr" / "bin" / f"php{PHP}"
        return [program, "-n", *(part for setting in settings for part in ("-d", setting))]

    def _environment(self) -> dict[str, str]:
        return {
            "LD_LIBRARY_PATH": library_path(self._root), "WORDPRESS_SOCKET": str(self._socket),
            "WORDPRESS_CONTENT": str(self.scratch / "content"),
        }
