"""The commands that ask a catalogue (apps, album, robot, and fetch from them) against `calotype origin`: what they print,
write and keep when all goes well."""

from pathlib import Path

from PIL import Image

from support.checks import Checks
from support.command import Commands
from support.origin import RunningOrigin

PRIVATE = "--allow-private"
APP_FIELDS = {
    "position", "id", "bundle_id", "name", "developer", "rating", "rating_count", "price", "store_page", "icon",
    "phone_screenshots", "tablet_screenshots", "genres", "version", "description",
}
PHOTO_FIELDS = {"position", "id", "album_id", "title", "url", "thumbnail_url"}


def check(checks: Checks, binary: Path, scratch: Path):
    with RunningOrigin(binary) as origin:
        trial = Catalog(checks, binary, scratch, origin)
        trial.table()
        trial.answers_are_kept()
        trial.options_of_a_search()
        trial.terms()
        trial.icons()
        trial.shown_app()
        trial.screenshots()
        trial.albums()
        trial.robots()
        trial.fetches()
        trial.sources_of_fetch()
    trial.offline()


class Catalog(Commands):
    """The cases; they share a home and so a cache."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
        super().__init__(checks, binary, scratch, origin.base)
        self.origin = origin

    def apps(self, *arguments) -> list[dict]:
        return self.run("apps", "search", *arguments, "--json").objects()

    def names(self, folder: Path) -> list[str]:
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

    def table(self):
        done = self.expect("a search", self.run("apps", "search", "camera"), 0)
        titles, *rows = done.lines()
        self.checks.equal("the titles", titles.split(), ["#", "Name", "Developer", "Rating", "Price", "ID"])
        self.checks.that("a pipe gets no escapes", "\x1b" not in done.out, repr(done.out[:200]))
        self.checks.equal("nothing else is said", done.error, "")
        found = self.apps("camera")
        self.checks.equal("JSON has as many", len(found), len(rows))
        self.checks.equal("JSON has these names", set(found[0]), APP_FIELDS)
        for row, app in zip(rows, found):
            wanted = row.split()[0] == str(app["position"]) and row.split()[-1] == str(app["id"]) and app["name"] in row
            self.checks.that(f"row {app['position']} is what JSON says", wanted, f"{row} {app}")
        positions = [app["position"] for app in found]
        self.checks.equal("positions count from 1", positions, list(range(1, len(found) + 1)))

    def answers_are_kept(self):
        asked = self.origin.asked("/search")
        self.expect("the same search", self.run("apps", "search", "camera"), 0)
        self.checks.equal("the same search asks nobody", self.origin.asked("/search"), asked)
        self.expect("with --reload", self.run("apps", "search", "camera", "--reload"), 0)
        self.checks.equal("--reload asks", self.origin.asked("/search"), asked + 1)
        self.expect("with --no-cache", self.run("apps", "search", "camera", "--no-cache"), 0)
        self.checks.equal("--no-cache asks", self.origin.asked("/search"), asked + 2)

    def options_of_a_search(self):
        self.checks.equal("--limit", len(self.apps("photo", "--limit", "3")), 3)
        self.checks.equal("20 without --limit", len(self.apps("photo")), 20)
        done = self.run("apps", "search", "camera", "--api", self.origin.base, api="http://127.0.0.1:9999")
        self.expect("--api wins over CALOTYPE_API", done, 0)
        prices = [[app["price"] for app in self.apps("photo", "--country", country)] for country in ("us", "de")]
        self.checks.that("--country changes prices", prices[0] != prices[1], prices)
        self.expect("a bad country", self.run("apps", "search", "a", "--country", "usa"), 2, "--country 'usa'")
        self.expect("a bad limit", self.run("apps", "search", "a", "--limit", "201"), 2, "--limit '201'")
        self.expect("a bad base", self.run("apps", "search", "a", api="nonsense"), 2, "CALOTYPE_API 'nonsense'")

    def terms(self):
        self.checks.that("cafe finds Café", any("Café" in app["name"] for app in self.apps("cafe")))
        for term in ("🙂", "a & b", "1+1", '"quoted"', "50% off", "a/b?c=d#e", "日本"):
            done = self.expect(f"the term {term}", self.run("apps", "search", term), 0)
            self.checks.that(f"the term {term}: rows or a sentence", done.out or "no apps found for" in done.error, done)
        done = self.run("apps", "search", "xyzzy", "qqq")
        self.expect("nothing found", done, 0, "no apps found for 'xyzzy qqq'")
        self.checks.equal("nothing found: nothing printed", done.out, "")
        self.expect("no words", self.run("apps", "search", "  "), 2, "invalid_query")

    def icons(self):
        folder = self.scratch / "icons"
        done = self.run("apps", "search", "photo", "--limit", "8", "--icons", folder, "--json", PRIVATE)
        self.expect("--icons", done, 0, "8 icons in")
        ids = sorted(str(app["id"]) for app in done.objects())
        self.checks.equal("a file for each app", sorted(path.stem for path in folder.iterdir()), ids)
        for path in folder.iterdir():
            with Image.open(path) as picture:
                found = (picture.format, picture.size)
            self.checks.equal(f"{path.name} is what its name says", found, (format_of(path), (512, 512)))
        folder = self.scratch / "no-icons"
        arguments = ["apps", "search", "photo", "--limit", "3", "--icons", folder, PRIVATE]
        done = self.run(*arguments, api=self.origin.faulty("pictures-404"))
        self.expect("icons that are missing", done, 1, "0 icons in", "3 failed")
        self.checks.equal("the table is there all the same", len(done.lines()), 4)
        self.checks.equal("a line for each", done.error.count(": http_404: "), 3, done.error)
        self.checks.equal("and no files", self.names(folder), [])

    def shown_app(self):
        app = self.apps("photo", "--limit", "1")[0]
        done = self.expect("apps show", self.run("apps", "show", app["id"]), 0)
        for text in (app["name"], str(app["id"]), app["bundle_id"], app["store_page"]):
            self.checks.that(f"the page tells {text}", text in done.out, done.out)
        wide = [line for line in done.lines() if len(line) > 80 and "://" not in line]
        self.checks.equal("the page has 80 columns", wide, [])
        shown = self.run("apps", "show", app["id"], "--json").objects()
        self.checks.equal("JSON is that of the search", shown, [app])
        done = self.expect("apps show by bundle", self.run("apps", "show", app["bundle_id"], "--json"), 0)
        self.checks.equal("it is the same app", done.objects(), [app])
        self.expect("an unknown number", self.run("apps", "show", "99999999999"), 3, "no_such_app")
        self.expect("an unknown bundle", self.run("apps", "show", "com.example.none"), 3, "no_such_app")
        self.expect("no number", self.run("apps", "show", "camera"), 2, "'camera' is neither")

    def screenshots(self):
        app, folder = self.apps("photo", "--limit", "1")[0], self.scratch / "shots"
        kinds = [(kind, app[f"{kind}_screenshots"]) for kind in ("phone", "tablet")]
        wanted = sorted(f"{app['id']}-{kind}-{n + 1}" for kind, urls in kinds for n in range(len(urls)))
        # The origin keeps what it has drawn: on a busy machine, drawing takes longer than the command waits.
        for url in (url for _, urls in kinds for url in urls):
            self.origin.get(url.removeprefix(self.origin.base))
        done = self.run("apps", "show", app["id"], "--screenshots", folder, PRIVATE)
        self.expect("--screenshots", done, 0, f"{len(wanted)} screenshot")
        self.checks.equal("a file for each", sorted(path.stem for path in folder.iterdir()), wanted)

    def albums(self):
        done = self.expect("album", self.run("album", "7"), 0)
        self.checks.equal("a row for each photo", len(done.lines()), 51)
        photos = self.run("album", "7", "--json").objects()
        self.checks.equal("album --json", (len(photos), set(photos[0])), (50, PHOTO_FIELDS))
        self.checks.equal("all of this album", {photo["album_id"] for photo in photos}, {7})
        folder = self.scratch / "album"
        self.expect("album --output", self.run("album", "7", "--output", folder, PRIVATE), 0, "50 photos in")
        self.checks.equal("a file for each photo", len(self.names(folder)), 50)
        self.expect("no album's number", self.run("album", "x"), 2, "'x'")

    def robots(self):
        one, two, kitten, jpeg = (self.scratch / name for name in ("one.png", "two.png", "kitten.png", "one.jpg"))
        style = ["--set", "4", "--background", "--size", "64x48"]
        for text, path, options in (("ada", one, []), ("grace 🙂/&?", two, []), ("ada", kitten, style), ("ada", jpeg, [])):
            self.expect(f"{path.name} for {text}", self.run("robot", text, "-o", path, *options), 0)
        sizes = [Image.open(path).size for path in (one, kitten)]
        self.checks.equal("sizes", sizes, [(300, 300), (64, 48)])
        self.checks.equal("the ending chooses the format", Image.open(jpeg).format, "JPEG")
        self.checks.that("each text has its own", one.read_bytes() != two.read_bytes())
        again = self.scratch / "again.png"
        self.run("robot", "ada", "-o", again, "--no-cache")
        self.checks.equal("a text always has the same", again.read_bytes(), one.read_bytes())
        self.expect("no text", self.run("robot", "", "-o", one), 2, "invalid_query")
        self.expect("no folder", self.run("robot", "ada", "-o", self.scratch / "no" / "a.png"), 3, "storage_failed")

    def fetches(self):
        """Each catalogue as a source of fetch."""
        cases = {
            "apps": (["--apps", "photo", "--limit", "5"], 5),
            "album": (["--album", "3"], 50),
            "robots": (["--robot", "ada", "--robot", "grace"], 2),
            "json": (["--json-path", "$[*].url", f"{self.origin.base}/albums/4/photos"], 50),
        }
        for name, (options, count) in cases.items():
            folder = self.scratch / f"fetch-{name}"
            done = self.run("fetch", *options, "--output", folder, "--size", "32", "--quiet", PRIVATE)
            self.checks.equal(f"fetch of {name}: exit code", done.exit, 0, str(done))
            wanted = [f"{number:09}.jpg" for number in range(count)]
            self.checks.equal(f"fetch of {name}: files", self.names(folder), wanted)

    def sources_of_fetch(self):
        folder, document = self.scratch / "fetch-nothing", f"{self.origin.base}/albums/4/photos"
        cases = (
            ("nothing found", ["--apps", "xyzzy"], 0, "no apps found for 'xyzzy'"),
            ("a path to nothing", ["--json-path", "$[*].x", document], 3, "invalid_document"),
            ("a bad path", ["--json-path", "$[", document], 2, "--json-path '$['"),
            ("a path without a document", ["--json-path", "$"], 2, "--json-path goes with the URL"),
            ("two sources", ["--apps", "a", "--album", "1"], 2, "exclude each other"),
            ("a list beside", ["list.txt", "--album", "1"], 2, "and --album are two sources"),
            ("no source", [], 2, "LIST|URL... is missing"),
            ("a country without a search", ["--album", "1", "--country", "de"], 2, "--country goes with --apps"),
        )
        for name, options, exit, said in cases:
            self.expect(f"fetch: {name}", self.run("fetch", *options, "--output", folder, PRIVATE), exit, said)
        self.checks.that("none of them makes a folder", not folder.exists())

    def offline(self):
        """The origin has gone; what it said is in the cache."""
        fetch = ["fetch", "--album", "3", "--output", self.scratch / "offline", "--size", "32", "--quiet", PRIVATE]
        for command in (["apps", "search", "camera"], ["album", "7"], fetch):
            done = self.run(*command, "--offline")
            self.checks.equal(f"{command[0]} --offline after a first run", done.exit, 0, str(done))
        self.expect("--offline and never asked", self.run("apps", "search", "never", "--offline"), 3, "not_cached")
        self.expect("fresh and without the origin", self.run("apps", "search", "camera"), 0)


def format_of(path: Path) -> str:
    return {".jpg": "JPEG", ".png": "PNG", ".webp": "WEBP"}[path.suffix]
