"""The commands that ask a catalogue (apps, album, robot, and fetch from them), against `calotype origin` and a scripted
service: good answers, odd ones, every kind of refusal, no network, a terminal, an impatient user."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import termios
import threading
import time
import urllib.request
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

from support.checks import Checks, eventually
from support.silence import Refuses

TIME_LIMIT = 120
PRIVATE = ["--allow-private"]


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    with Origin(binary) as origin, Scripted() as scripted:
        trial = Trial(checks, binary, scratch, origin, scripted)
        for part in (
            trial.searches, trial.terms, trial.icons, trial.shows, trial.albums, trial.robots, trial.fetches,
            trial.refusals, trial.odd_answers, trial.nothing_is_obeyed, trial.addresses, trial.interrupted,
            trial.table_comes_at_once, trial.on_a_terminal,
        ):
            part()
    trial.offline()
    with Origin(binary, "--api-limit", "2") as limited:
        trial.limited(limited)


class Origin:
    """`calotype origin` as a process of its own."""

    def __init__(self, binary: Path, *options: str):
        command = [str(binary), "origin", "--count", "12", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[-1]

    def __enter__(self) -> "Origin":
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def faulty(self, kind: str) -> str:
        return f"{self.base}/api-faults/{kind}"

    def stats(self) -> dict:
        with urllib.request.urlopen(self.base + "/stats", timeout=60) as answer:
            return json.load(answer)

    def asked(self, prefix: str) -> int:
        return self.stats()["by_prefix"].get(prefix, 0)


class Scripted:
    """A service whose answer to any request is `body`; it notes when the last byte of each had been sent."""

    def __enter__(self) -> "Scripted":
        self.body, self.media_type, self.finished = b"{}", "application/json", 0.0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", service.media_type)
                self.send_header("Content-Length", str(len(service.body)))
                self.end_headers()
                self.wfile.write(service.body)
                self.wfile.flush()
                service.finished = time.monotonic()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, *apps: dict):
        self.body = json.dumps({"resultCount": len(apps), "results": list(apps)}).encode()

    def app(self, number: int, **fields) -> dict:
        """Returns an entry with what must be there, and `fields`; one of `None` is left out."""
        entry = {
            "wrapperType": "software", "kind": "software", "trackId": number, "trackName": f"App {number}",
            "artistName": "Example Ltd", "trackViewUrl": f"https://apps.example.com/app/id{number}",
            "artworkUrl512": f"https://pictures.example.com/{number}/512x512bb.jpg", "formattedPrice": "Free",
        }
        return {name: value for name, value in (entry | fields).items() if value is not None}


@dataclass
class Done:
    """What a command printed, and its exit code."""

    exit: int
    out: str
    error: str

    def objects(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]

    def __str__(self) -> str:
        return f"exit {self.exit}, printed {self.out[-300:]!r}, said {self.error[-500:]!r}"


class Trial:
    """The cases; they share a home, and so a cache, unless they say otherwise."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: Origin, scripted: Scripted):
        self.checks, self.binary, self.scratch, self.origin, self.scripted = checks, binary, scratch, origin, scripted

    def environment(self, **variables: str) -> dict[str, str]:
        homes = {name: str(self.scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        clean = {name: value for name, value in os.environ.items() if name != "CALOTYPE_API"}
        return clean | homes | variables

    def run(self, *arguments, api: str | None = None, **variables: str) -> Done:
        """Runs the command with `api` as CALOTYPE_API, which is the origin's unless told otherwise."""
        variables.setdefault("CALOTYPE_API", self.origin.base if api is None else api)
        command = [str(part) for part in (self.binary, *arguments)]
        done = subprocess.run(
            command, env=self.environment(**variables), capture_output=True, timeout=TIME_LIMIT, stdin=subprocess.DEVNULL
        )
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def expect(self, name: str, done: Done, exit: int, *said: str) -> Done:
        """Checks the exit code, that each of `said` is on standard error, and that no line of it is a crash's."""
        self.checks.equal(f"{name}: exit code", done.exit, exit, str(done))
        for text in said:
            self.checks.that(f"{name}: says '{text}'", text in done.error, str(done))
        lines = done.error.splitlines()
        self.checks.that(f"{name}: each line says who speaks", all(told(line) for line in lines), done.error[:500])
        return done

    def searches(self):
        done = self.expect("a search", self.run("apps", "search", "camera"), 0)
        lines = done.out.splitlines()
        words = lines[0].split() if lines else []
        self.checks.equal("a search: titles", words, ["#", "Name", "Developer", "Rating", "Price", "ID"])
        self.checks.that("a search: has rows", len(lines) > 3, done.out)
        self.checks.that("a search: a pipe gets no escapes", "\x1b" not in done.out, done.out[:200])
        self.checks.that("a search: said nothing else", done.error == "", done.error)
        objects = self.run("apps", "search", "camera", "--json").objects()
        self.checks.equal("as JSON: as many", len(objects), len(lines) - 1)
        for line, found in zip(lines[1:], objects):
            if str(found["id"]) not in line or found["name"] not in line or not line.split()[0] == str(found["position"]):
                self.checks.that("a row is what the JSON says", False, f"{line} {found}")
        self.checks.equal("the order is the store's", [o["position"] for o in objects], sorted(o["position"] for o in objects))
        wanted = {
            "position", "id", "bundle_id", "name", "developer", "rating", "rating_count", "price", "store_page", "icon",
            "phone_screenshots", "tablet_screenshots", "genres", "version", "description",
        }
        self.checks.equal("as JSON: the names", set(objects[0]), wanted)
        asked = self.origin.asked("/search")
        self.expect("the same search", self.run("apps", "search", "camera"), 0)
        self.checks.equal("the same search asks nobody", self.origin.asked("/search"), asked)
        self.expect("the same with --reload", self.run("apps", "search", "camera", "--reload"), 0)
        self.checks.equal("--reload asks", self.origin.asked("/search"), asked + 1)
        three = self.run("apps", "search", "photo", "--limit", "3", "--json").objects()
        self.checks.equal("--limit", len(three), 3)
        with_option = self.run("apps", "search", "camera", "--api", self.origin.base, api="http://127.0.0.1:9999")
        self.expect("--api wins over CALOTYPE_API", with_option, 0)
        euros = self.run("apps", "search", "photo", "--country", "de", "--json").objects()
        dollars = self.run("apps", "search", "photo", "--json").objects()
        self.checks.that("--country changes prices", [e["price"] for e in euros] != [d["price"] for d in dollars], euros[:2])

    def terms(self):
        found = self.run("apps", "search", "cafe", "--json").objects()
        self.checks.that("a term finds letters with accents", any("Café" in app["name"] for app in found), found[:1])
        for term in ("🙂", "a & b", "1+1", "\"quoted\"", "50% off", "a/b?c=d#e", "日本"):
            done = self.expect(f"the term {term}", self.run("apps", "search", term), 0)
            self.checks.that(f"the term {term}: rows or a sentence", done.out or "no apps found for" in done.error, done)
        nothing = self.expect("nothing found", self.run("apps", "search", "xyzzy", "qqq"), 0, "no apps found for 'xyzzy qqq'")
        self.checks.equal("nothing found: nothing printed", nothing.out, "")
        self.expect("no words", self.run("apps", "search", "  "), 2, "invalid_query")
        self.expect("a bad country", self.run("apps", "search", "a", "--country", "usa"), 2, "--country 'usa'")
        self.expect("a bad base", self.run("apps", "search", "a", api="nonsense"), 2, "CALOTYPE_API 'nonsense'")

    def icons(self):
        folder = self.scratch / "icons"
        done = self.expect(
            "--icons", self.run("apps", "search", "photo", "--limit", "8", "--icons", folder, "--json", *PRIVATE), 0, "8 icons in"
        )
        names = sorted(path.stem for path in folder.iterdir())
        self.checks.equal("--icons: a file for each app", names, sorted(str(app["id"]) for app in done.objects()))
        for path in folder.iterdir():
            with Image.open(path) as picture:
                self.checks.that(f"{path.name} is a picture as its name says", said_format(path) == picture.format and picture.size == (512, 512), picture)
        broken = self.origin.faulty("pictures-404")
        folder = self.scratch / "no-icons"
        done = self.run("apps", "search", "photo", "--limit", "3", "--icons", folder, *PRIVATE, api=broken)
        self.expect("icons that are missing", done, 1, "http_404", "0 icons in", "3 failed")
        self.checks.equal("icons that are missing: the table is there", len(done.out.splitlines()), 4)
        self.checks.equal("icons that are missing: a line for each", done.error.count(": http_404: "), 3, done.error)
        self.checks.equal("icons that are missing: no files", list(folder.iterdir()), [])

    def shows(self):
        app = self.run("apps", "search", "photo", "--limit", "1", "--json").objects()[0]
        done = self.expect("apps show", self.run("apps", "show", app["id"]), 0)
        for text in (app["name"], str(app["id"]), app["bundle_id"], app["store_page"]):
            self.checks.that(f"apps show: tells {text}", text in done.out, done.out)
        self.checks.that("apps show: 80 columns", all(len(line) <= 80 or "://" in line for line in done.out.splitlines()), done.out)
        shown = self.run("apps", "show", app["id"], "--json").objects()[0]
        self.checks.equal("apps show --json", shown | {"position": 0}, app | {"position": 0})
        by_bundle = self.expect("apps show by bundle", self.run("apps", "show", app["bundle_id"], "--json"), 0).objects()
        self.checks.equal("apps show by bundle: the same app", by_bundle[0]["id"], app["id"])
        self.expect("an unknown app", self.run("apps", "show", "99999999999"), 3, "no_such_app")
        self.expect("no number", self.run("apps", "show", "camera"), 2, "'camera' is neither")
        folder = self.scratch / "shots"
        done = self.run("apps", "show", app["id"], "--screenshots", folder, *PRIVATE)
        count = len(app["phone_screenshots"]) + len(app["tablet_screenshots"])
        self.expect("--screenshots", done, 0, f"{count} screenshot")
        names = sorted(path.stem for path in folder.iterdir()) if folder.exists() else []
        kinds = [(kind, app[f"{kind}_screenshots"]) for kind in ("phone", "tablet")]
        wanted = [f"{app['id']}-{kind}-{n + 1}" for kind, urls in kinds for n in range(len(urls))]
        self.checks.equal("--screenshots: the files", names, sorted(wanted))

    def albums(self):
        done = self.expect("album", self.run("album", "7"), 0)
        self.checks.equal("album: a row for each photo", len(done.out.splitlines()), 51)
        photos = self.run("album", "7", "--json").objects()
        self.checks.equal("album --json", (len(photos), set(photos[0])), (50, {"position", "id", "album_id", "title", "url", "thumbnail_url"}))
        self.checks.equal("album --json: of this album", {photo["album_id"] for photo in photos}, {7})
        folder = self.scratch / "album"
        self.expect("album --output", self.run("album", "7", "--output", folder, *PRIVATE), 0, "50 photos in")
        self.checks.equal("album --output: a file each", len(list(folder.iterdir())), 50)
        self.expect("an album that is not there", self.run("album", "101"), 3, "http_404")
        self.expect("no album's number", self.run("album", "x"), 2)

    def robots(self):
        one, two, kitten = (self.scratch / f"{name}.png" for name in ("one", "two", "kitten"))
        for text, path, options in (("ada", one, []), ("grace 🙂/&?", two, []), ("ada", kitten, ["--set", "4", "--background", "--size", "64x48"])):
            self.expect(f"the robot of {text}", self.run("robot", text, "-o", path, *options), 0)
        self.checks.equal("a robot's size", Image.open(one).size, (300, 300))
        self.checks.equal("a kitten's size", Image.open(kitten).size, (64, 48))
        self.checks.that("texts have their own", one.read_bytes() != two.read_bytes())
        again = self.scratch / "again.png"
        self.run("robot", "ada", "-o", again, "--no-cache")
        self.checks.equal("a text always has the same", again.read_bytes(), one.read_bytes())
        jpeg = self.scratch / "ada.jpg"
        self.expect("a robot as JPEG", self.run("robot", "ada", "-o", jpeg), 0)
        self.checks.equal("a robot as JPEG is one", Image.open(jpeg).format, "JPEG")
        self.expect("no text", self.run("robot", "", "-o", one), 2, "invalid_query")
        self.expect("no folder", self.run("robot", "ada", "-o", self.scratch / "none" / "a.png"), 3, "storage_failed")

    def fetches(self):
        """Each catalogue as a source of fetch."""
        cases = {
            "--apps": (["--apps", "photo", "--limit", "5"], 5),
            "--album": (["--album", "3"], 50),
            "--robot": (["--robot", "ada", "--robot", "grace"], 2),
            "--json-path": (["--json-path", "$[*].url", f"{self.origin.base}/albums/4/photos"], 50),
        }
        for name, (options, count) in cases.items():
            folder = self.scratch / f"fetch{name}"
            done = self.run("fetch", *options, "--output", folder, "--size", "32", "--quiet", *PRIVATE)
            self.checks.equal(f"fetch {name}: exit code", done.exit, 0, str(done))
            files = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
            self.checks.equal(f"fetch {name}: files", files, [f"{n:09}.jpg" for n in range(count)])
        folder = self.scratch / "fetch-nothing"
        options = ["--output", folder, *PRIVATE]
        self.expect("fetch of nothing", self.run("fetch", "--apps", "xyzzy", *options), 0, "no apps found for 'xyzzy'")
        self.expect("a path to nothing", self.run("fetch", "--json-path", "$[*].x", f"{self.origin.base}/albums/4/photos", *options), 3, "invalid_document", "$[*].x")
        self.checks.that("neither makes a folder", not folder.exists())
        self.expect("fetch from a refusal", self.run("fetch", "--apps", "a", *options, api=self.origin.faulty("403")), 3, "rate_limited")
        self.expect("two sources", self.run("fetch", "--apps", "a", "--album", "1", *options), 2, "exclude each other")
        self.expect("a list beside", self.run("fetch", "list.txt", "--album", "1", *options), 2, "is a source beside --album")
        self.expect("a bad path", self.run("fetch", "--json-path", "$[", "http://a.example", *options), 2, "--json-path '$['")

    def refusals(self):
        cases = {
            "403": ("rate_limited", "again"), "429": ("rate_limited", "again"), "429-after-5": ("rate_limited", "5 s"), "503": ("http_503", ""),
            "404": ("http_404", ""), "html": ("not_json", ""), "half": ("invalid_document", ""), "cut": ("truncated_body", ""),
            "empty": ("invalid_document", ""), "garbage": ("", ""),
        }
        for kind, (code, hint) in cases.items():
            for command in (["apps", "search", "camera"], ["apps", "show", "1000000001"], ["album", "1"]):
                if command[0] == "album" and kind == "403":
                    code, hint = "http_403", ""
                done = self.run(*command, "--no-cache", "--retries", "0", api=self.origin.faulty(kind))
                name = f"{' '.join(command[:2])} from {kind}"
                self.expect(name, done, 3, f": {code}" if code else "calotype ", hint)
                self.checks.equal(f"{name}: one line", done.error.count("\n"), 1, done.error)
                self.checks.equal(f"{name}: nothing printed", done.out, "")
        with Refuses() as nobody:
            done = self.run("apps", "search", "camera", "--no-cache", "--retries", "0", api=nobody.url(""))
        self.expect("a dead server", done, 3, "connect_failed")
        # A refusal is never kept as an answer.
        self.run("apps", "search", "weather", api=self.origin.faulty("first-1-html"))
        self.expect("after a refusal", self.run("apps", "search", "weather", api=self.origin.faulty("first-1-html")), 0)

    def odd_answers(self):
        done = self.run("apps", "search", "photo", "--limit", "50", api=self.origin.faulty("odd"))
        self.expect("odd entries", done, 1, "calotype apps search: entry ")
        rows, told_of = len(done.out.splitlines()) - 1, done.error.count(": entry ")
        self.checks.that("odd entries: the others are shown", rows > 0 and told_of > 0, done)
        app = self.scripted.app
        self.scripted.answer(
            app(1, averageUserRating=4.53219, userRatingCount=1234567, formattedPrice=None, unknown={"a": [1]}),
            app(2, artworkUrl512=None, artworkUrl100=None, artworkUrl60=None),
            app(3, screenshotUrls=["not a url", "https://pictures.example.com/a.png"], artistName=None),
        )
        done = self.run("apps", "search", "any", api=self.scripted.base)
        self.expect("an entry without an icon", done, 1, "entry 2 (App 2)")
        self.checks.that("a rating has three digits, and its count is grouped", "4.53 (1,234,567)" in done.out, done.out)
        self.checks.equal("positions are the store's", [line.split()[0] for line in done.out.splitlines()[1:]], ["1", "3"])
        self.scripted.answer(app(2, artworkUrl512=None, trackViewUrl=None))
        self.expect("only odd entries", self.run("apps", "search", "some", api=self.scripted.base), 3, "none of the apps")

    def nothing_is_obeyed(self):
        """Names with terminal commands in them, on each way to the terminal."""
        evil = "Ev\x1b[2J\x1b]0;owned\x07il\r\n\x9b31m\u202etxt"
        self.scripted.answer(
            self.scripted.app(7, trackName=evil, artistName=evil, formattedPrice="\x1b[1m", description=f"First\n{evil}", version=evil, genres=[evil]),
            self.scripted.app(8, trackName=evil, artworkUrl512="\x1b[2Jx"),
        )
        for command in (["apps", "search", "evil"], ["apps", "show", "7"]):
            done = self.run(*command, "--no-cache", api=self.scripted.base)
            for stream, text in (("output", done.out), ("messages", done.error)):
                found = [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e")]
                self.checks.equal(f"{' '.join(command)}: {stream} have nothing that a terminal obeys", found, [])
            self.checks.that(f"{' '.join(command)}: the name can be read", "Ev" in done.out and "il" in done.out, done.out)
        done = self.run("apps", "search", "evil", "--json", "--no-cache", api=self.scripted.base)
        self.checks.that("JSON has them escaped", "\x1b" not in done.out and "\x9b" not in done.out, done.out)
        self.scripted.body = json.dumps([{"albumId": 1, "id": 1, "title": evil, "url": "https://a.example/b.png", "thumbnailUrl": "x"}]).encode()
        done = self.run("album", "1", "--no-cache", api=self.scripted.base)
        self.checks.that("an album's title too", "\x1b" not in done.out + done.error, done)

    def addresses(self):
        """The service may be anywhere, what it names may not."""
        folder = self.scratch / "blocked"
        done = self.run("apps", "search", "photo", "--limit", "2", "--icons", folder, "--no-cache")
        self.expect("icons on a private address", done, 1, "blocked_address", "--allow-private")
        done = self.run("fetch", "--apps", "photo", "--limit", "2", "--output", folder, "--no-cache")
        self.checks.equal("fetch of icons on a private address", done.exit, 3, str(done))
        self.checks.that("it says which option allows it", "blocked_address" in done.error, done.error)
        document = ["fetch", "--json-path", "$[*].url", f"{self.origin.base}/albums/4/photos", "--no-cache", "--output", folder]
        self.expect("a document on a private address", self.run(*document), 3, "blocked_address", "--allow-private")

    def interrupted(self):
        folder = self.scratch / "interrupted"
        slow = self.origin.faulty("pictures-hang")
        before = self.origin.stats().get("early_hang_ups_by_prefix", {}).get("/apps/icons", 0)
        for name, arguments, api in (
            ("a search under way", ["apps", "search", "camera", "--no-cache"], self.origin.faulty("hang")),
            ("icons under way", ["apps", "search", "photo", "--limit", "4", "--no-cache", "--icons", folder, *PRIVATE], slow),
        ):
            asked = self.origin.asked("/search") + self.origin.asked("/apps/icons")
            wanted = asked + (1 if api != slow else 5)
            process = subprocess.Popen(
                [str(part) for part in (self.binary, *arguments)], env=self.environment(CALOTYPE_API=api),
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
            )
            under_way = eventually(lambda: self.origin.asked("/search") + self.origin.asked("/apps/icons") >= wanted, 30)
            self.checks.that(f"{name}: has begun", under_way)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=30)[1].decode()
            self.checks.that(f"{name}: Ctrl-C ends it at once", time.monotonic() - start < 2, time.monotonic() - start)
            self.checks.equal(f"{name}: exit code", process.returncode, 130, error)
            self.checks.equal(f"{name}: and nothing is said", error, "")
        self.checks.equal("interrupted: no files", list(folder.iterdir()), [])
        closed = eventually(
            lambda: self.origin.stats().get("early_hang_ups_by_prefix", {}).get("/apps/icons", 0) >= before + 4, 10
        )
        self.checks.that("the origin sees the requests closed", closed, self.origin.stats())

    def table_comes_at_once(self):
        """The table is printed within 50 ms of the answer's last byte; the bound here is for a busy machine."""
        self.scripted.answer(*(self.scripted.app(n, averageUserRating=4.5, userRatingCount=n) for n in range(1, 201)))
        times = []
        for _ in range(5):
            command = [str(self.binary), "apps", "search", "all", "--limit", "200", "--no-cache"]
            process = subprocess.Popen(command, env=self.environment(CALOTYPE_API=self.scripted.base), stdout=subprocess.PIPE)
            text = b""
            while text.count(b"\n") < 201 and (chunk := os.read(process.stdout.fileno(), 65536)):
                text += chunk
            times.append(1000 * (time.monotonic() - self.scripted.finished))
            process.wait(timeout=30)
            process.stdout.close()
        self.checks.that("a table of 200 rows comes at once", min(times) < 50, f"after {min(times):.1f} ms")

    def on_a_terminal(self):
        """Pictures are drawn after the table, into their rows, and the cursor ends below it."""
        for rows, height in ((40, 3), (20, 2), (12, 1)):
            name = f"on a terminal of {rows} lines"
            text = self.terminal(rows, "apps", "search", "photo", "--limit", "8", "--pictures", "symbols", *PRIVATE)
            self.checks.that(f"{name}: the table", "Developer" in text and text.count("\r\n") >= 1 + 8 * height, text[:300])
            table, _, icons = text.rpartition("\r\n")
            self.checks.that(f"{name}: no picture before the table has ended", "\x1b" not in table or table.index("\x1b") > table.index("ID"), text[:300])
            self.checks.that(f"{name}: pictures afterwards", icons.count("\x1b[") > 8, repr(icons[:200]))
        text = self.terminal(40, "apps", "search", "photo", "--limit", "8", "--pictures", "none", *PRIVATE)
        self.checks.that("no pictures where none are wanted", "\x1b" not in text, repr(text[:200]))
        text = self.terminal(40, "apps", "search", "photo", "--limit", "8", "--pictures", "symbols", "--no-cache")
        self.checks.that("on a terminal: blocked icons are told once", text.count("blocked_address") == 1 and "8 icons are not shown" in text, repr(text[-400:]))

    def terminal(self, rows: int, *arguments: str, columns: int = 100) -> str:
        """Runs the command on a terminal of this size and returns all that it wrote."""
        controller, terminal = pty.openpty()
        size = rows.to_bytes(2, "little") + columns.to_bytes(2, "little") + bytes(4)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        process = subprocess.Popen(
            [str(self.binary), *arguments], stdin=terminal, stdout=terminal, stderr=terminal,
            env=self.environment(CALOTYPE_API=self.origin.base, TERM="xterm-256color"), start_new_session=True,
        )
        os.close(terminal)
        text, end = b"", time.monotonic() + TIME_LIMIT
        while time.monotonic() < end:
            ready, _, _ = select.select([controller], [], [], 1)
            if not ready:
                continue
            try:
                chunk = os.read(controller, 65536)
            except OSError:
                break
            if not chunk:
                break
            text += chunk
        process.wait(timeout=30)
        os.close(controller)
        return text.decode(errors="replace")

    def offline(self):
        """The origin has gone; what it said is in the cache."""
        for command in (["apps", "search", "camera"], ["album", "7"], ["fetch", "--album", "3", "--output", self.scratch / "off", "--size", "32", "--quiet", *PRIVATE]):
            done = self.run(*command, "--offline")
            self.checks.equal(f"{command[0]} --offline after a first run", done.exit, 0, str(done))
        self.expect("--offline and never asked", self.run("apps", "search", "never", "--offline"), 3, "not_cached")
        self.expect("without the origin and fresh", self.run("apps", "search", "camera"), 0)

    def limited(self, origin: Origin):
        """An origin that refuses after two searches, as the real one does."""
        for number, exit in ((1, 0), (2, 0), (3, 3)):
            done = self.run("apps", "search", f"photo {number}", api=origin.base)
            self.expect(f"search {number} of a store that allows two", done, exit, *(["rate_limited", "again"] if exit else []))
        self.expect("what was answered is still there", self.run("apps", "search", "photo 1", api=origin.base), 0)


def told(line: str) -> bool:
    return line.startswith(("calotype ", "Try '", "  ")) or " in " in line


def said_format(path: Path) -> str:
    return {".jpg": "JPEG", ".png": "PNG", ".webp": "WEBP"}.get(path.suffix, "?")
