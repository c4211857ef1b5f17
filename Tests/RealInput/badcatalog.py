"""The commands that ask a catalogue when things go wrong: refusals, odd and hostile answers, blocked addresses, Ctrl-C; and
what they do on a terminal."""

import os
import signal
import time
from pathlib import Path

from support.checks import Checks, eventually
from support.command import Commands, Done
from support.origin import RunningOrigin
from support.service import ScriptedService, app
from support.silence import Refuses

PRIVATE = "--allow-private"
# A name that clears the screen, sets the title, turns to red by a C1 character, and turns the direction of the text.
HOSTILE = "Ev\x1b[2J\x1b]0;owned\x07il\r\n\x9b31m\u202etxt"
# What each fault of the origin is called, and what the line about it says besides.
REFUSALS = {
    "403": ("rate_limited", "try again in 60 s"), "429": ("rate_limited", "try again in 60 s"),
    "429-after-5": ("rate_limited", "try again in 5 s"), "503": ("http_503", "/api-faults/503/"),
    "404": ("http_404", "/api-faults/404/"), "html": ("not_json", "HTML"), "half": ("invalid_document", "ends too early"),
    "cut": ("truncated_body", ""), "empty": ("invalid_document", "empty"), "garbage": ("protocol_error", ""),
}


def check(checks: Checks, binary: Path, scratch: Path):
    with RunningOrigin(binary) as origin, ScriptedService() as service:
        trial = BadCatalog(checks, binary, scratch, origin, service)
        for kind, (code, hint) in REFUSALS.items():
            trial.refused(kind, code, hint)
        trial.refusals_are_not_kept()
        trial.odd_entries()
        trial.nothing_is_obeyed()
        trial.addresses()
        trial.interrupted_search()
        trial.interrupted_icons()
        trial.table_comes_at_once()
        for rows, height in ((40, 3), (20, 2), (12, 1)):
            trial.icons_on_a_terminal(rows, height)
        trial.no_icons_on_a_terminal()
    with RunningOrigin(binary, "--api-limit", "2") as origin:
        trial.limited(origin)


class BadCatalog(Commands):
    """The cases; they share a home and so a cache."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin, service: ScriptedService):
        super().__init__(checks, binary, scratch, origin.base)
        self.origin, self.service = origin, service

    def refused(self, kind: str, code: str, hint: str):
        for command in (["apps", "search", "camera"], ["apps", "show", "1000000001"], ["album", "1"]):
            name = f"{' '.join(command[:-1])} from {kind}"
            if command[0] == "album" and kind == "403":
                code, hint = "http_403", "/albums/1/photos"
            done = self.run(*command, "--no-cache", "--retries", "0", api=self.origin.faulty(kind))
            self.expect(name, done, 3, f": {code}: ", hint)
            self.checks.equal(f"{name}: one line", done.error.count("\n"), 1, done.error)
            self.checks.equal(f"{name}: nothing printed", done.out, "")

    def refusals_are_not_kept(self):
        base = self.origin.faulty("first-1-html")
        self.expect("a page first", self.run("apps", "search", "weather", api=base), 3, "not_json")
        self.expect("and then an answer", self.run("apps", "search", "weather", api=base), 0)
        with Refuses() as nobody:
            done = self.run("apps", "search", "weather", "--no-cache", "--retries", "0", api=nobody.url(""))
        self.expect("nobody listens", done, 3, "connect_failed")
        folder = self.scratch / "refused"
        done = self.run("fetch", "--apps", "a", "--output", folder, api=self.origin.faulty("429"))
        self.expect("fetch from a refusal", done, 3, "rate_limited")
        self.checks.that("and it makes no folder", not folder.exists())

    def odd_entries(self):
        done = self.run("apps", "search", "photo", "--limit", "50", api=self.origin.faulty("odd"))
        self.expect("odd entries", done, 1, "calotype apps search: entry ")
        self.checks.that("the others are shown", len(done.lines()) > 1, done)
        self.service.answer_apps(
            app(1, averageUserRating=4.53219, userRatingCount=1234567, formattedPrice=None, unknown={"a": [1]}),
            app(2, artworkUrl512=None),
            app(3, screenshotUrls=["no URL", "https://pictures.example.com/a.png"], artistName=None),
        )
        done = self.run("apps", "search", "any", api=self.service.base)
        self.expect("an entry without an icon", done, 1, "entry 2 (App 2)")
        self.checks.that("three digits, and thousands in groups", "4.53 (1,234,567)" in done.out, done.out)
        self.checks.equal("places are the store's", [line.split()[0] for line in done.lines()[1:]], ["1", "3"])
        self.service.answer_apps(app(2, artworkUrl512=None))
        done = self.run("apps", "search", "some", api=self.service.base)
        self.expect("only odd entries", done, 3, "none of the apps")

    def nothing_is_obeyed(self):
        """No name reaches a terminal with what it would obey, on any way there."""
        fields = {"artistName": HOSTILE, "version": HOSTILE, "genres": [HOSTILE], "description": f"First\n{HOSTILE}"}
        self.service.answer_apps(
            app(7, trackName=HOSTILE, formattedPrice="\x1b[1m", **fields),
            app(8, trackName=HOSTILE, artworkUrl512="\x1b[2Jx"),
        )
        for command in (["apps", "search", "evil"], ["apps", "search", "evil", "--json"], ["apps", "show", "7"]):
            self.obeys_nothing(" ".join(command), self.run(*command, "--no-cache", api=self.service.base))
        photo = {"albumId": 1, "id": 1, "title": HOSTILE, "url": "https://a.example/b.png", "thumbnailUrl": "x"}
        self.service.answer([photo])
        self.obeys_nothing("album", self.run("album", "1", "--no-cache", api=self.service.base))

    def obeys_nothing(self, name: str, done: Done):
        found = [c for c in done.out + done.error if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e")]
        self.checks.equal(f"{name}: what a terminal would obey", found, [])
        self.checks.that(f"{name}: the name can be read", "Ev" in done.out and "il" in done.out, done)

    def addresses(self):
        """The service may be anywhere, what it names may not."""
        folder = self.scratch / "blocked"
        done = self.run("apps", "search", "photo", "--limit", "2", "--icons", folder, "--no-cache")
        self.expect("icons on a private address", done, 1, "blocked_address", PRIVATE)
        done = self.run("fetch", "--apps", "photo", "--limit", "2", "--output", folder, "--no-cache")
        self.checks.equal("fetch of icons on a private address", done.exit, 3, str(done))
        self.checks.that("and its reason", "blocked_address" in done.error, done)
        document = f"{self.origin.base}/albums/4/photos"
        done = self.run("fetch", "--json-path", "$[*].url", document, "--output", folder, "--no-cache")
        self.expect("a document on a private address", done, 3, "blocked_address", PRIVATE)

    def interrupted_search(self):
        asked = self.origin.asked("/search")
        process = self.start("apps", "search", "camera", "--no-cache", api=self.origin.faulty("hang"))
        self.interrupt("a search", process, lambda: self.origin.asked("/search") > asked)

    def interrupted_icons(self):
        folder, icons = self.scratch / "interrupted", "/apps/icons"
        before, asked = self.origin.hung_up(icons), self.origin.asked(icons)
        arguments = ["apps", "search", "photo", "--limit", "4", "--no-cache", "--icons", folder, PRIVATE]
        process = self.start(*arguments, api=self.origin.faulty("pictures-hang"))
        self.interrupt("icons", process, lambda: self.origin.asked(icons) >= asked + 4)
        self.checks.equal("there are no files", list(folder.iterdir()), [])
        closed = eventually(lambda: self.origin.hung_up(icons) >= before + 4, 10)
        self.checks.that("the origin sees the requests closed", closed, self.origin.json("/stats"))

    def interrupt(self, name: str, process, is_under_way):
        self.checks.that(f"{name}: under way", eventually(is_under_way, 60))
        process.send_signal(signal.SIGINT)
        # No timeout of the command is as short.
        error = process.communicate(timeout=20)[1].decode()
        said = "calotype apps search: interrupted\nRun the same command to continue:\n  "
        self.checks.equal(f"{name}: exit code", process.returncode, 130)
        self.checks.that(f"{name}: says so, and how to continue", error.startswith(said), error)

    def table_comes_at_once(self):
        """The table does not wait for icons, a timeout or another request; how fast it comes is measured elsewhere."""
        self.service.answer_apps(*(app(n, averageUserRating=4.5, userRatingCount=n) for n in range(1, 201)))
        times = []
        for _ in range(5):
            process = self.start("apps", "search", "all", "--limit", "200", "--no-cache", api=self.service.base)
            text = b""
            while text.count(b"\n") < 201 and (chunk := os.read(process.stdout.fileno(), 65536)):
                text += chunk
            times.append(1000 * (time.monotonic() - self.service.finished))
            process.communicate(timeout=30)
        self.checks.that("a table of 200 rows waits for nothing", min(times) < 5000, f"after {min(times):.1f} ms")

    def icons_on_a_terminal(self, rows: int, height: int):
        """The table is printed first; then pictures are drawn into its rows."""
        name, command = f"on {rows} lines", ["apps", "search", "photo", "--limit", "8", "--pictures", "symbols", PRIVATE]
        text = self.on_terminal(rows, *command)
        table, _, icons = text.rpartition("\r\n")
        self.checks.equal(f"{name}: rows of {height} lines", table.count("\r\n"), 8 * height, repr(text[:300]))
        self.checks.that(f"{name}: no escapes in the table", "\x1b" not in table, repr(text[:300]))
        self.checks.equal(f"{name}: each line of each icon is placed", icons.count("\x1b8"), 8 * height, repr(icons[:300]))

    def no_icons_on_a_terminal(self):
        command = ["apps", "search", "photo", "--limit", "8", "--no-cache", "--pictures"]
        text = self.on_terminal(40, *command, "none", PRIVATE)
        self.checks.that("--pictures none draws none", "\x1b" not in text, repr(text[:200]))
        text = self.on_terminal(40, *command, "symbols")
        told = "8 icons are not shown" in text and text.count("blocked_address") == 1
        self.checks.that("icons that are blocked are told once", told, repr(text[-400:]))

    def limited(self, origin: RunningOrigin):
        """An origin that refuses after two searches, as the real one does after about twenty."""
        for number in (1, 2):
            done = self.run("apps", "search", f"photo {number}", api=origin.base)
            self.expect(f"search {number} of two that are allowed", done, 0)
        self.expect("the third", self.run("apps", "search", "photo 3", api=origin.base), 3, "rate_limited", "again in")
        self.expect("what was answered is kept", self.run("apps", "search", "photo 1", api=origin.base), 0)
