"""The dock of every page: closed, opened, remembered; its chart, gauges and details, and the one stream that all pages share."""

import contextlib
import urllib.parse
from pathlib import Path

from app_pages.timeline import Client
from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import DESKTOP, PHONE, Browser
from support.checks import Checks, eventually
from support.cutting import CuttingProxy

PAGES = ["", "search", "app", "shuffle", "robots", "wall", "publish", "lab", "nowhere"]
STREAM = "GET /api/timeline"
LIVE = "document.querySelector('#dock-connection')?.textContent === 'live' && document.querySelectorAll('#dock .gate').length === 4"
OPEN = "document.querySelector('#dock-toggle').ariaExpanded === 'true'"
SOON = 10  # seconds
# Counts what runs from now on: frames, timers, drawing.
COUNTED = """
window.ran = 0;
for (const name of ['requestAnimationFrame', 'setInterval']) {
    const real = window[name];
    window[name] = (...values) => { ran += 1; return real.apply(window, values); };
}
const draw = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...values) { ran += 1; return draw.apply(this, values); };
"""
# The middle of the first lane, a little before now.
BAR = """
const box = document.querySelector('#dock-chart canvas').getBoundingClientRect();
return [box.right - 8, box.top + 18 + 14 + 5];
"""


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    # Eight loads of a host at a time; the others wait for it.
    with RunningApp(binary, scratch, "--connections-per-host", "8") as app:
        with CuttingProxy(urllib.parse.urlsplit(app.base).port) as proxy:
            dock = Dock(checks, browser, app, proxy)
            dock.closed()
            dock.opened()
            dock.loads()
            dock.again()
            dock.hidden()
            dock.shared()
        dock.lost()
        quiet(checks, browser, "dock", proxy.url(app.base), expecting=("404 (Not Found)", "ERR_"))


class Dock:
    """The cases on one server, which is reached through a proxy that counts streams."""

    def __init__(self, checks: Checks, browser: Browser, app: RunningApp, proxy: CuttingProxy):
        self.checks, self.browser, self.app, self.proxy = checks, browser, app, proxy
        self.name = app.origin.get("/list.txt").decode().split()[0].rsplit("/", 1)[1]

    def page(self, path: str) -> str:
        return self.proxy.url(self.app.page(path))

    def path(self, prefix: str, number: int) -> str:
        """Returns the path of a thumbnail of the origin's picture; each number's is one of its own."""
        source = urllib.parse.quote(f"{self.app.origin.base}/{prefix}/{self.name}?number={number}", safe="")
        return f"/unsafe/rs:fit:200:200/plain/{source}"

    def streams(self, count: int) -> bool:
        """Waits until so many streams of the timeline are open."""
        return eventually(lambda: self.proxy.under_way(STREAM) == count, SOON)

    def text(self, part: str) -> str:
        return self.browser.text(f"#dock-{part}")

    # Cases.

    def closed(self):
        for page in PAGES:
            self.browser.open(self.page(page))
            shown = self.browser.until("document.querySelector('#dock')?.checkVisibility()")
            told = self.browser.run(f"return [{OPEN}, document.querySelector('#dock-panel')?.checkVisibility()]")
            self.checks.that(f"dock: closed at first, /{page}", shown and told == [False, False], (shown, told))
            parts = self.browser.run("return performance.getEntriesByType('resource').map(one => one.name).filter(one => one.includes('/dock/'))")
            self.checks.equal(f"dock: and nothing of it is loaded, /{page}", parts, [])
            for name, size in (("phone", PHONE), ("desktop", DESKTOP)):
                self.browser.resize(size)
                # At the end of the page the dock covers nothing of it. One step: the page may still grow.
                covered = self.browser.run("""
                    scrollTo({top: document.documentElement.scrollHeight, behavior: 'instant'});
                    const link = document.querySelector('.foot a').getBoundingClientRect();
                    return link.bottom > document.querySelector('#dock').getBoundingClientRect().top;
                """)
                self.checks.equal(f"dock: leaves the foot of the page free, /{page}, {name}", covered, False)
        self.browser.open(self.page("timeline"))
        self.browser.until("document.querySelector('#connection').textContent === 'live'")
        self.checks.equal("dock: the timeline has all of it already", self.browser.count("#dock"), 0)

    def opened(self):
        self.browser.open(self.page("robots"))
        self.browser.until("document.querySelector('#dock')?.checkVisibility()")
        self.checks.that("dock: closed, there is no stream", self.streams(0), self.proxy.under_way(STREAM))
        self.browser.run("scrollTo(0, 0); document.querySelector('#dock-toggle').focus()")
        before = self.browser.run("return [scrollY, document.querySelector('h1').getBoundingClientRect().top]")
        self.browser.press("Enter")
        self.checks.that("dock: a key opens it", self.browser.until(LIVE), self.text("connection"))
        after = self.browser.run("return [scrollY, document.querySelector('h1').getBoundingClientRect().top]")
        self.checks.equal("dock: the page stays where it is", after, before)
        # What the pages before have loaded leaves the chart.
        nothing = self.browser.until("document.querySelector('#dock-nothing').checkVisibility()", seconds=60)
        self.checks.that("dock: says that nothing has run", nothing, self.browser.text("#dock"))
        look(self.checks, self.browser, "dock-empty")
        walk(self.checks, self.browser, "dock")
        self.checks.that("dock: open, there is one stream", self.streams(1), self.proxy.under_way(STREAM))

    def loads(self):
        clients = [Client(self.app, self.path("stall/50", number)) for number in range(12)]
        try:
            waits = self.browser.until("document.querySelector('[data-gate=hosts] .badge').textContent === '4 wait'")
            self.checks.that("dock: tells how many wait for a host", waits, self.browser.text("[data-gate=hosts]"))
            host = urllib.parse.urlsplit(self.app.origin.base).netloc
            self.checks.that("dock: and for which", host in self.browser.text("[data-gate=hosts]"), self.browser.text("[data-gate=hosts]"))
            used = "document.querySelector('#dock [data-gate=connections] [role=meter]').getAttribute('aria-valuenow')"
            self.checks.that("dock: the connections", self.browser.until(f"{used} === '8'"), self.browser.run(f"return {used}"))
            gone = self.browser.run("return document.querySelector('#dock-nothing').hidden")
            self.checks.that("dock: it is not empty now", gone)
            self.selected()
            look(self.checks, self.browser, "dock-running")
        finally:
            for client in clients:
                client.leave()
        cancelled = self.browser.until("document.querySelector('#dock-details').textContent.includes('cancelled')")
        self.checks.that("dock: the details follow the load", cancelled, self.text("details"))
        self.app.server.get(self.path("small", 1))
        rate = self.browser.until("!document.querySelector('#dock-rate').textContent.startsWith('0.0 images/s')")
        self.checks.that("dock: tells the throughput", rate, self.text("rate"))
        look(self.checks, self.browser, "dock-cancelled")

    def selected(self):
        """A click on a bar, and the arrow keys, show details in place."""
        # A bar is drawn a little after its load has begun.
        told = eventually(lambda: self.clicked(BAR) and "stall/50" in self.text("details"), SOON, 0.1)
        self.checks.that("dock: a click on a bar shows its details", told, self.text("details"))
        self.browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=100, y=100)
        first = self.text("details")
        self.checks.that("dock: which stay", "stall/50" in first, first)
        self.browser.run("document.querySelector('#dock-chart').focus()")
        self.browser.press("Escape")
        self.checks.that("dock: Escape deselects", self.browser.until("document.querySelector('#dock-details').textContent.includes('Click a bar')"))
        self.browser.press("ArrowLeft")
        told = self.browser.until("document.querySelector('#dock-details').textContent.includes('stall/50')")
        self.checks.that("dock: the arrow keys select", told, self.text("details"))
        self.checks.that("dock: and say what", self.text("status").endswith(", running"), self.text("status"))

    def clicked(self, place: str) -> bool:
        x, y = self.browser.run(place)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)
        return True

    def again(self):
        """It is as it was left, on this page and on others; closed, nothing of it runs."""
        for page in ("robots", "publish"):
            self.browser.open(self.page(page))
            self.checks.that(f"dock: stays open, /{page}", self.browser.until(LIVE), self.text("connection"))
        self.checks.that("dock: with one stream", self.streams(1), self.proxy.under_way(STREAM))
        self.browser.run("document.querySelector('#dock-toggle').focus()")
        self.browser.press("Enter")
        self.checks.that("dock: a key closes it", self.browser.until(f"!({OPEN})"))
        self.checks.that("dock: which ends the stream", self.streams(0), self.proxy.under_way(STREAM))
        self.browser.run(COUNTED)
        self.app.server.get(self.path("small", 2))
        self.browser.run("return new Promise(done => setTimeout(() => done(true), 1200))")
        self.checks.equal("dock: and all else", self.browser.run("return ran"), 0)
        self.browser.reload()
        self.browser.until("document.querySelector('#dock')?.checkVisibility()")
        self.checks.equal("dock: stays closed", self.browser.run(f"return {OPEN}"), False)

    def hidden(self):
        """A page that cannot be seen follows nothing."""
        self.browser.click("#dock-toggle")
        self.browser.until(LIVE)
        with self.browser.tab("tab"):
            self.browser.open("about:blank")
            self.checks.that("dock: out of sight, the stream ends", self.streams(0), self.proxy.under_way(STREAM))
        self.checks.that("dock: in sight, it goes on", self.streams(1) and self.browser.until(LIVE), self.text("connection"))

    def shared(self):
        """Seven pages that are all seen: one stream, and the seventh loads like the first."""
        with contextlib.ExitStack() as tabs:
            for number in range(6):
                tabs.enter_context(self.browser.tab("window"))
                self.browser.open(self.page("timeline" if number == 0 else "robots"))
                name = "document.querySelector('#connection, #dock-connection')"
                live = self.browser.until(f"{name}?.textContent === 'live'")
                self.checks.that(f"dock: page {number + 2} is live", live and not self.browser.run("return document.hidden"))
            self.checks.equal("dock: seven pages share one stream", self.proxy.under_way(STREAM), 1)
            self.app.server.get(self.path("small", 3))
            told = self.browser.until("!document.querySelector('#dock-rate').textContent.startsWith('0.0 images/s')")
            self.checks.that("dock: all receive what happens", told, self.text("rate"))
        self.checks.that("dock: the first goes on when the others have gone", self.streams(1) and self.browser.until(LIVE))

    def lost(self):
        """The server, as the pages see it, has gone."""
        told = self.browser.until("document.querySelector('#dock-connection').textContent === 'not connected'")
        self.checks.that("dock: says that the connection is lost", told, self.text("connection"))
