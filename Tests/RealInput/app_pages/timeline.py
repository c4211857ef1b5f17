"""The timeline: loads that run, that were cancelled, that failed, that share another's work, and that a cache answered."""

import socket
import time
import urllib.parse
from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks, eventually
from support.pointing import tap

RED = """
// Whether the middle of the bar of `arguments[0]` is red.
const canvas = document.querySelector('#chart canvas');
const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
let red = 0;
for (let at = 0; at < pixels.length; at += 4) if (pixels[at] > 160 && pixels[at + 1] < 70 && pixels[at + 2] < 70) red += 1;
return red;
"""
LINKS = "[...document.querySelectorAll('#loads tr')]"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch) as app:
        timeline = TimelinePage(checks, browser, app)
        timeline.empty()
        timeline.running()
        timeline.paused()
        timeline.cancelled()
        timeline.failed()
        timeline.tried_again()
        timeline.cached()
        timeline.details()
        timeline.reconnected()
        quiet(checks, browser, "timeline", app.base, expecting=("/api/timeline", "getImageData"))


class TimelinePage:
    """The cases on one server, one after another."""

    def __init__(self, checks: Checks, browser: Browser, app: RunningApp):
        self.checks, self.browser, self.app = checks, browser, app
        self.name = app.origin.get("/list.txt").decode().split()[0].rsplit("/", 1)[1]

    def path(self, prefix: str, width: int) -> str:
        """Returns the path of a thumbnail of the origin's picture."""
        source = urllib.parse.quote(f"{self.app.origin.base}/{prefix}/{self.name}", safe="")
        return f"/unsafe/rs:fit:{width}:{width}/plain/{source}"

    def which(self, which: str):
        self.browser.run("const s = document.querySelector('#which'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", which)

    def rows(self, which: str, count: int, seconds: float = 10) -> bool:
        """Waits until so many loads are listed that are such."""
        self.which(which)
        return self.browser.until(f"{LINKS}.length === arguments[0]", count, seconds=seconds)

    def listed(self) -> list[str]:
        return self.browser.run(f"return {LINKS}.map(one => one.textContent)")

    # Cases.

    def empty(self):
        self.browser.open(self.app.page("timeline"))
        live = self.browser.until("document.querySelector('#connection').textContent === 'live'")
        self.checks.that("timeline: is live", live, self.browser.text("#connection"))
        shown = self.browser.run("return !document.querySelector('#nothing').hidden")
        self.checks.that("timeline: says what to do while nothing runs", shown and "second tab" in self.browser.text("#nothing"))
        self.browser.until("document.querySelectorAll('.gate').length === 7")
        look(self.checks, self.browser, "timeline-empty")
        walk(self.checks, self.browser, "timeline-empty")

    def running(self):
        """One hangs, and another waits for the same picture in another size."""
        self.hanging = [Client(self.app, self.path("stall/50", width)) for width in (200, 300)]
        self.checks.that("timeline: two loads run", self.rows("running", 2), self.listed())
        waits = eventually(lambda: "waiting for another load" in " ".join(self.listed()), 30)
        self.checks.that("timeline: one of them waits for the other", waits, self.listed())
        gone = self.browser.run("return document.querySelector('#nothing').hidden")
        self.checks.that("timeline: it is not empty now", gone)
        used = "Number(document.querySelector('[data-gate=connections] [role=meter]').getAttribute('aria-valuenow'))"
        self.checks.that("timeline: the gate of connections tells of it", self.browser.until(f"{used} >= 1"))
        look(self.checks, self.browser, "timeline-running")

    def paused(self):
        tap(self.browser, "#pause")
        self.checks.equal("timeline: can be paused", self.browser.text("#pause-word"), "Resume")
        drawn = [self.browser.run("return document.querySelector('#chart canvas').toDataURL()")]
        # A chart that moves does so once in a second where motion is not wanted; the first of these may be from before the pause.
        while len(drawn) < 4 and drawn[-1] not in drawn[:-1]:
            time.sleep(1.2)
            drawn.append(self.browser.run("return document.querySelector('#chart canvas').toDataURL()"))
        self.checks.that("timeline: then it stands", drawn[-1] in drawn[:-1])
        tap(self.browser, "#pause")
        moved = self.browser.until("document.querySelector('#chart canvas').toDataURL() !== arguments[0]", drawn[-1])
        self.checks.that("timeline: and goes on", moved)

    def cancelled(self):
        before = self.browser.run(RED)
        for client in self.hanging:
            client.leave()
        self.checks.that("timeline: those that were cancelled are told", self.rows("cancelled", 2), self.listed())
        red = eventually(lambda: self.browser.run(RED) > before + 20, 10)
        self.checks.that("timeline: in red", red, (before, self.browser.run(RED)))
        self.checks.equal("timeline: they are counted", self.browser.text("#count-cancelled"), "2")

    def failed(self):
        answer = self.app.server.get(self.path("status/404", 200))
        self.checks.that("timeline: a failure is told", self.rows("failed", 1), (answer.status, self.listed()))
        self.checks.that("timeline: with its code", "http_404" in " ".join(self.listed()), self.listed())

    def tried_again(self):
        """The first try breaks off, the second one brings the picture."""
        answer = self.app.server.get(self.path("flaky/1", 210))
        self.checks.equal("timeline: a second try succeeds", answer.status, 200)
        self.checks.that("timeline: and is told", self.rows("all", 4), self.listed())
        # A load is listed from its beginning, and this one may still run.
        failed = eventually(lambda: "1 failed attempt" in self.listed()[0], 10)
        self.checks.that("timeline: with the one that failed", failed, self.listed())
        tap(self.browser, "#loads button")
        told = self.browser.text("#details")
        self.checks.that("timeline: which has its time among the parts", "1 failed attempt" in told and "failed try " in told, told)
        look(self.checks, self.browser, "timeline-failed-try")
        self.browser.run("document.querySelector('#chart').focus()")
        self.browser.press("Escape")

    def cached(self):
        for _ in range(2):
            self.app.server.get(self.path("small", 100))
        hit = self.browser.until("document.querySelector('#count-memory').textContent === '1'")
        self.checks.that("timeline: a hit is counted", hit, self.browser.text("#count-memory"))
        self.checks.that("timeline: and told", self.rows("all", 6), self.listed())
        look(self.checks, self.browser, "timeline")

    def details(self):
        self.which("failed")
        self.browser.until(f"{LINKS}.length === 1")
        tap(self.browser, "#loads button")
        told = self.browser.text("#details")
        self.checks.that("timeline: a load in the table shows its details", "http_404" in told, told)
        self.browser.run("document.querySelector('#chart').focus()")
        self.browser.press("ArrowLeft")
        other = self.browser.text("#details")
        self.checks.that("timeline: keys lead to another", other != told and "cancelled" in other, other)
        self.browser.press("Escape")
        self.checks.that("timeline: and away", "Point at a bar" in self.browser.text("#details"), self.browser.text("#details"))

    def reconnected(self):
        """Another page in the meantime: what happened then is told when one comes back."""
        self.browser.leave()
        self.app.server.get(self.path("pictures", 120))
        self.browser.open(self.app.page("timeline"))
        self.browser.until("document.querySelector('#connection').textContent === 'live'")
        self.checks.that("timeline: coming back tells the whole minute", self.rows("all", 7), self.listed())


class Client:
    """Asks for a path and waits for the answer until it leaves."""

    def __init__(self, app: RunningApp, path: str):
        parts = urllib.parse.urlsplit(app.base)
        self._socket = socket.create_connection((parts.hostname, parts.port))
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())

    def leave(self):
        self._socket.close()
