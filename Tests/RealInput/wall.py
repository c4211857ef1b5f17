"""`calotype wall` in tmux: keys are pressed, its screen is compared, its loads are watched at the origin, and the terminal
is as it was in each way out."""

import os
import signal
import subprocess
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from support import thumbnails
from support.checks import Checks, eventually
from support.measure import process_tree
from support.origin import RunningOrigin
from support.tmux import Cell, Tmux

SIZES = [(80, 24), (120, 40), (30, 10), (200, 60)]
TERM = "photo"
# The mean of all channels, 0 to 255: characters show a picture coarsely.
TOLERANCE = 40


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    with RunningOrigin(binary, "--apps", "1000") as origin:
        trial = Trial(checks, binary, scratch, origin)
        for size in SIZES:
            trial.screens(*size)
        for part in (
            trial.resizes, trial.searches, trial.details, trial.lists, trial.albums, trial.failures, trial.addresses,
            trial.interrupted, trial.no_terminal,
        ):
            part()
    # An origin that nobody has left before counts exactly.
    with RunningOrigin(binary) as origin:
        trial.origin = origin
        trial.cancels()
    with RunningOrigin(binary) as origin:
        trial.origin = origin
        trial.details_cancel()
    trial.origin_dies()


@dataclass
class Layout:
    """Where cells are: the rule of the wall, once more."""

    columns: int
    rows: int

    def __post_init__(self):
        self.first = 1 if self.rows >= 12 else 0
        body = self.rows - 1 - self.first
        self.across = min(max((self.columns + 9) // 18, 1), self.columns // 8)
        self.down = min(max((body + 4) // 9, 1), body // 4)
        self.width, self.height = self.columns // self.across, body // self.down
        self.left = (self.columns - self.across * self.width) // 2

    @property
    def capacity(self) -> int:
        return self.across * self.down

    def corner(self, place: int) -> tuple[int, int]:
        """Returns line and column of the cell's upper left corner, its frame included."""
        return self.first + place // self.across * self.height, self.left + place % self.across * self.width

    def picture(self, cells: list[list[Cell]], place: int) -> list[list[Cell]]:
        row, column = self.corner(place)
        lines = cells[row + 1 : row + self.height - 1]
        return [line[column + 1 : column + self.width - 1] for line in lines]

    def caption(self, lines: list[str], place: int) -> str:
        row, column = self.corner(place)
        return lines[row + self.height - 1].ljust(self.columns)[column : column + self.width].strip(" ▐▌")

    def shortened(self, text: str) -> str:
        return text if len(text) <= self.width - 2 else text[: self.width - 3].rstrip() + "…"


class Trial:
    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
        self.checks, self.binary, self.scratch, self.origin = checks, binary, scratch, origin
        self.count = 0

    def apps(self, term: str) -> list[dict]:
        return self.origin.json(f"/search?term={urllib.parse.quote(term)}&entity=software&limit=20")["results"]

    def open(self, *arguments: str, columns=80, rows=24, ready: str | None = None, private=True) -> "Wall":
        self.count += 1
        arguments = [*arguments, *(["--allow-private"] if private else [])]
        wall = Wall(self.binary, self.scratch / str(self.count), columns, rows, arguments)
        if ready is not None and not wall.tmux.shows(ready):
            self.checks.that(f"the wall shows {ready}", False, wall.tmux.text())
        return wall

    def open_apps(self, base: str | None = None, **options) -> "Wall":
        return self.open("--apps", TERM, "--api", base or self.origin.base, **options)

    def ends(self, name: str, wall: "Wall", exit: int):
        """Checks that the terminal is as it was before the wall."""
        self.checks.that(f"{name}: it ends", wall.tmux.shows(f"exit={exit}", "settings=same"), wall.tmux.text())
        lines = wall.tmux.lines()
        self.checks.that(f"{name}: the screen is the shell's again", lines[0].startswith("before the wall"), lines)
        state = [wall.tmux.format(flag) for flag in ("alternate_on", "cursor_flag", "wrap_flag")]
        self.checks.equal(f"{name}: screen, cursor and line ends are as before", state, ["0", "1", "1"])

    def screens(self, columns: int, rows: int):
        """The wall at one size: words exactly, pictures by their colours; keys; help."""
        name, layout, apps = f"{columns}x{rows}", Layout(columns, rows), self.apps(TERM)
        with self.open_apps(columns=columns, rows=rows, ready="1/") as wall:
            seen = min(layout.capacity, len(apps))
            self.checks.that(f"{name}: all pictures come", wall.settles(seen), wall.tmux.text())
            lines = wall.tmux.lines()
            if layout.first:
                self.checks.equal(f"{name}: title", lines[0].strip(), f"App Store (us): {TERM}")
            captions = [layout.caption(lines, place) for place in range(seen)]
            wanted = [layout.shortened(f"{n + 1}. {app['trackName']}") for n, app in enumerate(apps[:seen])]
            self.checks.equal(f"{name}: captions", captions, wanted)
            self.checks.that(f"{name}: position", lines[-1].startswith(f" 1/{len(apps)}  loading 0"), lines[-1])
            self.pictures(name, wall, layout, apps[:seen])
            wall.tmux.press("End")
            self.checks.that(f"{name}: End selects the last", wall.tmux.shows(f"{len(apps)}/{len(apps)}"))
            wall.tmux.press("Home")
            wall.tmux.press("Right")
            self.checks.that(f"{name}: Right selects the next", wall.tmux.shows(f" 2/{len(apps)}"), wall.tmux.text())
            wall.tmux.type("?")
            self.checks.that(f"{name}: ? tells the keys", wall.tmux.shows("arrows, h j k l", "move"), wall.tmux.text())
            wall.tmux.press("Escape")
            self.checks.that(f"{name}: Escape closes the keys", wall.tmux.shows(wanted[0]), wall.tmux.text())
            wall.tmux.type("q")
            self.ends(f"{name}: q", wall, 0)

    def pictures(self, name: str, wall: "Wall", layout: Layout, apps: list[dict]):
        """Each cell shows its own icon: near enough, and nearer than to any other icon in sight."""
        cells = wall.tmux.cells()
        path = lambda app: urllib.parse.urlsplit(app["artworkUrl512"]).path
        icons = [self.origin.get(path(app).replace("512x512", "128x128")) for app in apps]
        for place in range(len(apps)):
            shown = trimmed(layout.picture(cells, place))
            if not shown:
                self.checks.that(f"{name}: cell {place + 1} shows a picture", False, wall.tmux.text())
                return
            differences = [thumbnails.difference(shown, icon) for icon in icons]
            if differences[place] > TOLERANCE or min(differences) < differences[place]:
                self.checks.that(f"{name}: cell {place + 1} shows its icon", False, differences)
                return
        self.checks.that(f"{name}: each cell shows its icon", True)

    def resizes(self):
        """A new size keeps the selection in sight, down to one that is too small, and back."""
        with self.open_apps(ready="1/") as wall:
            wall.tmux.press("End")
            wall.tmux.shows("20/20")
            for columns, rows in [(120, 40), (30, 10), (40, 30), (200, 60)]:
                wall.tmux.resize(columns, rows)
                last = Layout(columns, rows).shortened(f"20. {self.apps(TERM)[19]['trackName']}")
                shown = wall.tmux.shows(last) and wall.tmux.shows(" 20/20")
                self.checks.that(f"resized to {columns}x{rows} the selection is in sight", shown, wall.tmux.text())
            for columns, rows in [(7, 3), (2, 1)]:
                wall.tmux.resize(columns, rows)
                self.checks.that(f"{columns}x{rows} is told to be too small", wall.tmux.shows("Th"), wall.tmux.text())
            wall.tmux.resize(80, 24)
            self.checks.that("and larger again all is there", wall.tmux.shows("20/20", "App Store"), wall.tmux.text())
            wall.tmux.type("q")
            self.ends("after all sizes", wall, 0)

    def searches(self):
        """The states of a search, and the line in which it is typed."""
        with self.open_apps(ready="1/") as wall:
            wall.tmux.type("/wrong")
            self.checks.that("the term is typed in the last line", wall.tmux.shows("Search apps: wrong"), wall.tmux.text())
            wall.tmux.press("C-u")
            wall.tmux.type("musik")
            wall.tmux.press("BSpace")
            wall.tmux.type("c")
            self.checks.that("and can be changed", wall.tmux.shows("Search apps: music"), wall.tmux.text())
            wall.tmux.press("Enter")
            found = self.apps("music")
            first = f"1. {found[0]['trackName']}"[:12]
            shown = wall.tmux.shows("App Store (us): music", first, f"1/{len(found)}")
            self.checks.that("Enter shows what was found", shown, wall.tmux.text())
            wall.tmux.type("/xyzzy & co")
            wall.tmux.press("Enter")
            shown = wall.tmux.shows("No apps were found for “xyzzy & co”")
            self.checks.that("no results are told", shown, wall.tmux.text())
            wall.tmux.type("/")
            wall.tmux.press("Escape")
            shown = eventually(lambda: "Search apps" not in wall.tmux.text(), 10)
            self.checks.that("Escape leaves the line", shown, wall.tmux.text())
            wall.tmux.type("q")
            self.ends("after searches", wall, 0)
        asked = self.origin.asked("/search")
        with self.open_apps(self.origin.faulty("latency-60000"), ready="Searching for") as wall:
            # The screen tells of the search before the origin has heard of it.
            eventually(lambda: self.origin.asked("/search") > asked, 10)
            wall.tmux.type("/other")
            before = self.origin.hung_up("/search")
            wall.tmux.press("Enter")
            shown = wall.tmux.shows("Searching for “other”")
            self.checks.that("a search under way is told", shown, wall.tmux.text())
            gone = eventually(lambda: self.origin.hung_up("/search") == before + 1, 10)
            self.checks.that("and is closed when a new one begins", gone, self.origin.json("/stats"))
            wall.tmux.type("q")
            self.ends("q during a search", wall, 0)
        with self.open_apps(self.origin.faulty("429-after-5"), ready="rate_limited") as wall:
            self.checks.that("a refusal is told", wall.tmux.shows("Press r to try again"), wall.tmux.text())
            wall.tmux.type("q")
            self.ends("after a refusal", wall, 0)

    def details(self):
        app = self.apps(TERM)[1]
        for columns, rows in [(80, 24), (200, 60)]:
            with self.open_apps(columns=columns, rows=rows, ready="1/") as wall:
                wall.tmux.press("Right")
                wall.tmux.shows(" 2/20")
                wall.tmux.press("Enter")
                name = f"an app at {columns}x{rows}"
                shown = wall.tmux.shows(f"App Store (us): {TERM} › {app['trackName']}"[: columns - 3], app["artistName"])
                self.checks.that(f"{name}: name and developer", shown, wall.tmux.text())
                count = len(app.get("screenshotUrls", []))
                self.checks.that(f"{name}: screenshots", count == 0 or wall.tmux.shows("phone 1"), wall.tmux.text())
                self.checks.that(f"{name}: all of them come", wall.settles(), wall.tmux.text())
                wall.tmux.press("Enter")
                shown = wall.tmux.shows(f"1/{count}") and wall.settles()
                self.checks.that(f"{name}: Enter shows a screenshot large", shown, wall.tmux.text())
                wall.tmux.press("Escape")
                wall.tmux.shows(app["artistName"])
                wall.tmux.press("Escape")
                self.checks.that(f"{name}: Escape leads back", wall.tmux.shows(" 2/20"), wall.tmux.text())
                wall.tmux.type("q")
                self.ends(name, wall, 0)

    def lists(self):
        """A list, from a file and from standard input."""
        urls = self.origin.get("/icons.txt").decode().split()
        listed = self.scratch / "icons.txt"
        listed.write_text("# icons\n\n" + "\n".join(urls) + "\n")
        with self.open(str(listed), ready=f"1/{len(urls)}") as wall:
            self.checks.that("a list: its pictures come", wall.settles(8), wall.tmux.text())
            self.checks.that("a list: its name is the title", "icons.txt" in wall.tmux.lines()[0], wall.tmux.lines()[0])
            asked = self.origin.asked("/apps/icons")
            wall.tmux.press("NPage")
            wall.tmux.shows(" 9/")
            wall.tmux.press("PPage")
            self.checks.that("a list: what comes back is there", wall.settles(8) and wall.tmux.shows("1/"))
            again = self.origin.asked("/apps/icons") - asked
            self.checks.that("a list: and is not asked for again", again <= 8, again)
            wall.tmux.press("Enter")
            wall.tmux.press("Right")
            self.checks.that("a list: Enter and Right show the next one large", wall.tmux.shows("› ", f"2/{len(urls)}"))
            wall.tmux.type("q")
            self.ends("a list", wall, 0)
        with self.open("-", ready="1/3") as wall:
            wall.tmux.type("q")
            self.ends("a list from a pipe", wall, 0)

    def albums(self):
        photos = self.origin.json("/albums/7/photos")
        with self.open("--album", "7", "--api", self.origin.base, ready=f"1/{len(photos)}") as wall:
            layout = Layout(80, 24)
            captions = [layout.caption(wall.tmux.lines(), place) for place in range(8)]
            wanted = [layout.shortened(photo["title"]) for photo in photos[:8]]
            self.checks.equal("an album: captions", captions, wanted)
            self.checks.that("an album: all pictures come", wall.settles(8), wall.tmux.text())
            wall.tmux.type("q")
            self.ends("an album", wall, 0)

    def cancels(self):
        """Pictures never come: those of cells that leave are closed, and those in sight are open."""
        asked = lambda: self.origin.asked("/apps/icons")
        closed = lambda: self.origin.hung_up("/apps/icons")
        with self.open_apps(self.origin.faulty("pictures-hang"), ready="1/20") as wall:
            opened = eventually(lambda: asked() == 8 and wall.status("loading") == 8, 10)
            self.checks.that("eight cells load", opened, wall.tmux.text())
            wall.tmux.press("NPage")
            gone = eventually(lambda: closed() == 8 and asked() == 16, 10)
            self.checks.that("a page down closes their requests", gone, self.origin.json("/stats"))
            self.checks.that("and counts them", wall.tmux.shows("cancelled 8", "loading 8"), wall.tmux.text())
            wall.tmux.press("Down")
            wall.tmux.press("Down")
            gone = eventually(lambda: closed() == 12 and asked() == 20, 10)
            self.checks.that("a line down closes those of four cells", gone, self.origin.json("/stats"))
            wall.tmux.type("q")
            self.ends("q while pictures load", wall, 0)
        gone = eventually(lambda: closed() == 20, 10)
        self.checks.that("q closes the rest", gone, self.origin.json("/stats"))

    def details_cancel(self):
        open_now = lambda: self.origin.asked("/apps/screenshots") - self.origin.hung_up("/apps/screenshots")
        with self.open_apps(self.origin.faulty("pictures-hang"), ready="1/20") as wall:
            wall.tmux.press("Enter")
            began = eventually(lambda: open_now() > 0, 10)
            self.checks.that("an app's screenshots load", began, wall.tmux.text())
            wall.tmux.press("Escape")
            wall.tmux.shows("1. ")
            gone = eventually(lambda: open_now() == 0, 10)
            self.checks.that("leaving it closes their requests", gone, self.origin.json("/stats"))
            wall.tmux.type("q")
            self.ends("after an app whose pictures never came", wall, 0)

    def failures(self):
        with self.open_apps(self.origin.faulty("pictures-404"), ready="http_404") as wall:
            self.checks.that("failures are counted", wall.tmux.shows("failed 8"), wall.tmux.text())
            wall.tmux.type("r")
            self.checks.that("r tries again", wall.tmux.shows("failed 16"), wall.tmux.text())
            wall.tmux.type("q")
            self.ends("after failures", wall, 0)

    def addresses(self):
        with self.open_apps(ready="blocked_address", private=False) as wall:
            self.checks.that("without --allow-private loopback is blocked", True)
            wall.tmux.type("q")
            self.ends("after blocked addresses", wall, 0)

    def interrupted(self):
        for number, exit in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.open_apps(self.origin.faulty("pictures-hang"), ready="loading 8") as wall:
                os.kill(wall.process(), number)
                self.ends(number.name, wall, exit)
        with self.open_apps(ready="1/20") as wall:
            wall.tmux.press("C-c")
            self.ends("Ctrl-C", wall, 130)

    def no_terminal(self):
        done = subprocess.run(
            [str(self.binary), "wall", "--apps", TERM, "--api", self.origin.base],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )
        self.checks.equal("without a terminal: exit code", done.returncode, 2, done.stderr)
        self.checks.that("without a terminal: it says why", "terminal" in done.stderr, done.stderr)

    def origin_dies(self):
        with RunningOrigin(self.binary, "--apps", "1000", "--faults", "latency=50ms") as origin:
            with self.open_apps(origin.base, ready="1/20") as wall:
                wall.settles(8)
                origin.kill()
                wall.tmux.press("End")
                shown = wall.tmux.shows("connect_failed", "20/20", seconds=60)
                self.checks.that("the origin dies: the cells say so, and the wall goes on", shown, wall.tmux.text())
                wall.tmux.press("Home")
                wall.tmux.type("/more")
                wall.tmux.press("Enter")
                shown = wall.tmux.shows("connect_failed: ", "Press r to try again", seconds=60)
                self.checks.that("a search after that fails and says so", shown, wall.tmux.text())
                wall.tmux.type("q")
                self.ends("after the origin died", wall, 0)


class Wall:
    """`calotype wall` in a tmux window of its own, started from a shell that tells how it ended."""

    def __init__(self, binary: Path, scratch: Path, columns: int, rows: int, arguments: list[str]):
        scratch.mkdir(parents=True)
        homes = {name: str(scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        environment = os.environ | homes | {"COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        self.tmux = Tmux(scratch / "tmux", columns, rows, environment)
        quoted = " ".join("'" + part.replace("'", "'\\''") + "'" for part in [str(binary), "wall", *arguments])
        pipe = "printf 'http://127.0.0.1:1/%s.png\\n' 1 2 3 | " if "-" in arguments else ""
        script = scratch / "run.sh"
        script.write_text(
            "clear; echo 'before the wall'\n"
            f"old=$(stty -g)\n{pipe}{quoted} 2>{scratch}/error\necho exit=$?\n"
            'test "$old" = "$(stty -g)" && echo settings=same || echo settings=changed\n'
        )
        self.tmux.type(f". {script}")
        self.tmux.press("Enter")

    def __enter__(self) -> "Wall":
        return self

    def __exit__(self, *_):
        self.tmux.__exit__()

    def process(self) -> int:
        """Returns the number of the wall's own process."""
        return process_tree(int(self.tmux.format("pane_pid")))[-1]

    def status(self, word: str) -> int:
        """Returns the figure behind a word of the last line, -1 where there is none."""
        words = self.tmux.text().rstrip().split("\n")[-1].split()
        return int(words[words.index(word) + 1]) if word in words[:-1] else -1

    def settles(self, loaded: int = 0) -> bool:
        """Waits until nothing loads and at least `loaded` pictures have come."""

        def is_settled() -> bool:
            if self.status("loading") != 0 or "· · ·" in self.tmux.text():
                return False
            counts = [self.status(word) for word in ("loaded", "memory", "disk")]
            return sum(max(count, 0) for count in counts) >= loaded or -1 in counts

        return eventually(is_settled, 60)


def trimmed(cells: list[list[Cell]]) -> list[list[Cell]]:
    """The cells of a picture without the empty ones around it."""
    empty = lambda cell: cell.text in (" ", "") and cell.ground is None
    rows = [n for n, line in enumerate(cells) if not all(map(empty, line))]
    columns = [n for n in range(min(map(len, cells))) if not all(empty(line[n]) for line in cells)]
    if not rows or not columns:
        return []
    return [line[columns[0] : columns[-1] + 1] for line in cells[rows[0] : rows[-1] + 1]]
