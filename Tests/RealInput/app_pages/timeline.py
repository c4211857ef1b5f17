"""The timeline: loads that run, that were cancelled, that failed, that share another's work, and that a cache answered; and its
tools: zoom, pan, filter, groups, waiting loads, measuring, and a trace to download."""

import json
import re
import socket
import time
import urllib.parse
from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks, eventually
from support.pointing import CTRL, SHIFT, drag, point, tap, wheel

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
    with RunningApp(binary, scratch / "tools", "--connections-per-host", "2") as app:
        tools = TimelineTools(checks, browser, app)
        tools.zoomed()
        tools.panned()
        tools.scrolled()
        tools.overviewed()
        tools.filtered()
        tools.grouped()
        tools.waiting()
        tools.measured()
        tools.exported(scratch / "downloads")
        quiet(checks, browser, "timeline tools", app.base, expecting=("getImageData",))


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
        self.checks.equal("timeline: can be paused", self.browser.text("#pause-word"), "Back to live")
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


class TimelineTools:
    """What one does with the chart, on a server where a host may have two connections."""

    def __init__(self, checks: Checks, browser: Browser, app: RunningApp):
        self.checks, self.browser, self.app = checks, browser, app
        self.name = app.origin.get("/list.txt").decode().split()[0].rsplit("/", 1)[1]
        self.host = urllib.parse.urlsplit(app.origin.base).netloc

    def path(self, prefix: str, number: int) -> str:
        source = urllib.parse.quote(f"{self.app.origin.base}/{prefix}/{self.name}?number={number}", safe="")
        return f"/unsafe/rs:fit:200:200/plain/{source}"

    def key(self, key: str, shift: bool = False):
        self.browser.run("document.querySelector('#chart').focus({preventScroll: true})")
        self.browser.press(key, shift)

    def period(self) -> str:
        """Returns the visible period in words, as it has been drawn."""
        self.browser.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        return self.browser.run("return document.querySelector('#minimap').getAttribute('aria-valuetext')")

    def shows(self, period: str) -> bool:
        return eventually(lambda: self.period() == period, 10)

    def comes(self, pattern: str) -> bool:
        return bool(eventually(lambda: re.fullmatch(pattern, self.period()), 10))

    def live(self):
        self.key("End")
        self.choose("#span", "12000")

    def unit(self, name: str, script: str):
        """Runs the body of a function in the page, with one of the page's modules as `module`."""
        return self.browser.run(f"""
            const {{href}} = document.querySelector(`link[href$="${{arguments[0]}}"]`);
            return import(href).then(module => {{ {script} }});
        """, name)

    def choose(self, selector: str, value: str):
        self.browser.run("const [selector, value] = arguments; const s = document.querySelector(selector); s.value = value; s.dispatchEvent(new Event('change'))", selector, value)

    # Cases.

    def zoomed(self):
        for number in range(4):
            self.app.server.get(self.path("pictures", number))
        self.app.server.get(self.path("status/404", 4))
        self.browser.open(self.app.page("timeline"))
        self.browser.until("document.querySelector('#connection').textContent === 'live'")
        self.checks.that("timeline: shows 12 seconds at first", self.shows("from 12.0 s ago to now"), self.period())
        self.key("+")
        self.checks.that("timeline: plus zooms in, and stays live", self.shows("from 8.0 s ago to now"), self.period())
        self.checks.equal("timeline: the choice of periods says so", self.browser.run("return document.querySelector('#span').value"), "zoomed")
        self.key("s")
        self.checks.that("timeline: S zooms out", self.shows("from 12.0 s ago to now"), self.period())
        wheel(self.browser, "#chart", down=-150, modifiers=CTRL)
        zoomed = self.browser.until("document.querySelector('#pause-word').textContent === 'Back to live'")
        self.checks.that("timeline: Ctrl and the wheel zoom in at the pointer", zoomed and "held" in self.period(), self.period())
        self.live()

    def panned(self):
        self.key("a")
        self.checks.that("timeline: A pans into the past", self.shows("from 14.4 s ago to 2.4 s ago, held"), self.period())
        finished = self.browser.text("#count-finished")
        self.app.server.get(self.path("pictures", 5))
        self.browser.until("document.querySelector('#count-finished').textContent !== arguments[0]", finished)
        self.checks.equal("timeline: where it stays while loads run", self.period(), "from 14.4 s ago to 2.4 s ago, held")
        self.key("d")
        self.checks.that("timeline: D pans back", self.shows("from 12.0 s ago to now, held"), self.period())
        tap(self.browser, "#pause")
        self.checks.that("timeline: a button leads back to live", self.shows("from 12.0 s ago to now"), self.period())
        self.key("Home")
        self.checks.that("timeline: Home leads to the beginning of the minute", self.shows("from 60.0 s ago to 48.0 s ago, held"), self.period())
        self.live()
        drag(self.browser, "#chart", (0.3, 0.9), (0.55, 0.9))
        self.checks.that("timeline: a drag pans", self.comes(r"from 1[45]\.\d s ago to [23]\.\d s ago, held"), self.period())
        self.checks.that("timeline: and selects nothing", "Point at a bar" in self.browser.text("#details"), self.browser.text("#details"))
        self.live()
        wheel(self.browser, "#chart", across=-100, modifiers=SHIFT)
        self.checks.that("timeline: Shift and the wheel pan", eventually(lambda: "held" in self.period(), 10), self.period())
        self.live()

    def scrolled(self):
        """The wheel alone scrolls the page, also from the chart."""
        point(self.browser, "#chart", 0.5, 0.5)
        before = self.browser.run("return scrollY")
        x, y = self.browser.run("const {x, y} = document.querySelector('#chart').getBoundingClientRect(); return [x + 200, y + 100]")
        self.browser.command("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=120)
        self.checks.that("timeline: the wheel alone scrolls the page", self.browser.until("scrollY > arguments[0]", before), self.browser.run("return scrollY"))
        self.checks.equal("timeline: and neither zooms nor pans", self.period(), "from 12.0 s ago to now")

    def overviewed(self):
        drag(self.browser, "#minimap", (0.9, 0.5), (0.4, 0.5))
        self.checks.that("timeline: the minimap's window can be dragged", self.comes(r"from 4[12]\.\d s ago to (29|30)\.\d s ago, held"), self.period())
        self.browser.run("document.querySelector('#minimap').focus()")
        self.browser.press("ArrowRight")
        self.checks.that("timeline: and moved with keys", self.comes(r"from (39|40)\.\d s ago to 2[78]\.\d s ago, held"), self.period())
        self.browser.press("End")
        self.checks.that("timeline: End leads to live from there, too", self.shows("from 12.0 s ago to now"), self.period())

    def filtered(self):
        rows = f"{LINKS}.map(one => one.querySelector('button').title)"
        drawn = "[...document.querySelector('#chart canvas').getContext('2d').getImageData(0, 0, 2000, 600).data].filter(Boolean).length"
        for number in (30, 31):
            self.app.server.get(self.path("pictures", number))
        self.choose("#which", "all")
        self.choose("#span", "60000")
        self.browser.until(f"{rows}.some(one => one.endsWith('number=31'))")
        self.browser.fill("#filter", "NUMBER=31")
        only = self.browser.until(f"{rows}.length === 1 && {rows}[0].endsWith('number=31')")
        self.checks.that("timeline: a filter applies to the table", only, self.browser.run(f"return {rows}"))
        self.browser.fill("#filter", "nowhere")
        none = self.browser.until("document.querySelector('#loads-more').textContent === 'No loads match.'")
        self.checks.that("timeline: which says when nothing matches", none, self.browser.text("#loads-more"))
        self.period()
        empty = self.browser.run(f"return {drawn}")
        self.browser.run("const f = document.querySelector('#filter'); f.value = ''; f.dispatchEvent(new Event('input'))")
        self.checks.that("timeline: and to the chart", self.browser.until(f"{drawn} > arguments[0] + 500", empty), empty)
        self.checks.that("timeline: without it others are back", self.browser.until(f"{rows}.length > 1"), self.browser.run(f"return {rows}"))
        self.live()

    def grouped(self):
        titles = """
            const model = new module.TimelineModel();
            const load = (id, source) => ({id, source, state: 'running', start: id, stages: []});
            model.begin({now: 0, gates: {}, counts: {}, loads: [load(2, 'http://a.test/1'), load(4, 'https://b.test:81/2'), load(6, 'http://a.test/3'), load(8, 'x')]});
            model.group('host');
            const lanes = model.lanes.map(lane => lane.title ?? lane.loads.map(one => one.id).join());
            model.filter('b.test');
            const few = model.lanes.map(lane => lane.title ?? lane.loads.map(one => one.id).join());
            model.filter('');
            model.put({...load(8, 'x'), wall: 'w7'});
            model.group('wall');
            const walls = model.lanes.map(lane => lane.title ?? lane.loads.map(one => one.id).join());
            model.put({...load(6, 'http://a.test/3'), page: 'search'});
            model.group('page');
            const pages = model.lanes.map(lane => lane.title ?? lane.loads.map(one => one.id).join());
            model.group('none');
            return [lanes, few, walls, pages, model.lanes.map(lane => lane.loads.map(one => one.id).join())];
        """
        grouped = self.unit("timeline/model.js", titles)
        expected = [["a.test", "2", "6", "b.test:81", "4", "no host", "8"], ["b.test:81", "4"], ["no wall", "2", "4", "6", "wall w7", "8"], ["no page", "2", "4", "search", "6", "wall", "8"], ["2", "4", "6", "8"]]
        self.checks.equal("timeline: loads are grouped by host, page or wall", grouped, expected)
        self.key(" ")
        self.period()
        before = self.browser.run("return document.querySelector('#chart canvas').toDataURL()")
        self.choose("#group", "host")
        changed = self.browser.until("document.querySelector('#chart canvas').toDataURL() !== arguments[0]", before)
        self.checks.that("timeline: which the chart shows", changed)
        self.choose("#group", "none")
        self.live()

    def waiting(self):
        """Two hang and have the host's connections; three wait for them."""
        clients = [Client(self.app, self.path("stall/50", 100 + number)) for number in range(5)]
        host = f"#waiting li[data-gate='host {self.host}']"
        waits = self.browser.until("document.querySelector(arguments[0])?.querySelector('b').textContent === '3'", host)
        self.checks.that("timeline: three loads wait right of now, by host", waits, self.browser.text("#waiting"))
        gauge = "document.querySelector('[data-gate=hosts] [role=meter]').getAttribute('aria-valuetext')"
        told = self.browser.until(f"{gauge} === arguments[0]", f"{self.host}: 2 of 2, 3 wait")
        self.checks.that("timeline: the gauge says which host is at its limit", told, self.browser.run(f"return {gauge}"))
        others = self.browser.run("return document.querySelector('[data-gate=connections] .badge').hidden")
        self.checks.that("timeline: and they do not count as waiting for any host", others)
        self.choose("#which", "waiting")
        self.checks.that("timeline: the table lists them", self.browser.until(f"{LINKS}.length === 3"), self.browser.count("#loads tr"))
        tap(self.browser, "#waiting li i")
        why = "all 2 of 2 that a host may have are in use, and 3 loads wait for this host"
        explained = eventually(lambda: why in self.browser.text("#details") and self.host in self.browser.text(".details-wait"), 10)
        self.checks.that("timeline: the details say why a load waits", explained, self.browser.text("#details"))
        look(self.checks, self.browser, "timeline-waiting")
        self.colours()
        for client in clients:
            client.leave()
        self.checks.that("timeline: until none waits", self.browser.until("document.querySelectorAll('#waiting li').length === 0"), self.browser.text("#waiting"))
        self.choose("#which", "all")
        self.key("Escape")

    def colours(self):
        letters = self.browser.run("return [...document.querySelectorAll('.legend .swatch')].map(one => one.textContent).join('')")
        self.checks.equal("timeline: each stage has a letter", letters, "QCFBDESW!")
        # The colour of a body, with what the edges of letters leave of it.
        blue = """
            const {data} = document.querySelector('#chart canvas').getContext('2d').getImageData(0, 0, 2000, 600);
            let found = 0;
            for (let at = 0; at < data.length; at += 4) found += data[at] === 63 && data[at + 1] === 127 && data[at + 2] === 181;
            return found > 20;
        """
        self.checks.that("timeline: a body is blue", eventually(lambda: self.browser.run(blue), 10))
        self.browser.force_colors()
        self.checks.that("timeline: but not in forced colours", eventually(lambda: not self.browser.run(blue), 10))
        self.browser.screenshot("timeline-forced")
        self.browser.prefer("light")

    def measured(self):
        stages = """
            const stage = (name, start, end) => ({name, start, end});
            const loads = Array.from({length: 100}, (_, at) => ({lane: {number: at}, stages: [stage('body', 0, at + 1), stage('decode', 500, undefined)]}));
            return [module.stagesIn(loads, {start: 0, end: 1000, lanes: null}), module.stagesIn(loads, {start: 0, end: 1000, lanes: [0, 2]}),
                module.stagesIn(loads, {start: 98.5, end: 99, lanes: null}), module.stagesIn(loads, {start: 101, end: 400, lanes: null})];
        """
        row = lambda count, median, last: {"name": "body", "count": count, "median": median, "high": last}
        expected = [[row(100, 50, 99)], [row(3, 2, 3)], [row(2, 99, 100)], []]
        self.checks.equal("timeline: an area has the count, median and 99th percentile of its stages", self.unit("timeline/measure.js", stages), expected)
        for number in range(40, 43):
            self.app.server.get(self.path("pictures", number))
        self.browser.until(f"{LINKS}.some(one => one.querySelector('button').title.endsWith('number=42') && one.dataset.state === 'finished')")
        self.choose("#span", "60000")
        self.key("m")
        shown = self.browser.until("!document.querySelector('#area').hidden && document.querySelectorAll('#area tbody tr').length > 4")
        self.checks.that("timeline: M selects the visible area", shown, self.browser.text("#area"))
        decodes = self.browser.text("#area [data-stage=decode] td")
        self.checks.that("timeline: with all that was decoded", int(decodes or 0) >= 3, decodes)
        look(self.checks, self.browser, "timeline-area")
        title = self.browser.text("#area-title")
        self.key("ArrowLeft", shift=True)
        self.checks.that("timeline: Shift and an arrow key make it smaller", "60.0 s" in title and "57.0 s" in self.browser.text("#area-title"), self.browser.text("#area-title"))
        self.key("Escape")
        self.checks.that("timeline: Escape clears it", self.browser.until("document.querySelector('#area').hidden"))
        drag(self.browser, "#chart", (0.2, 0.2), (0.7, 0.9), modifiers=SHIFT)
        self.checks.that("timeline: Shift and dragging select an area", self.browser.until("document.querySelector('#area-title')?.checkVisibility()"), self.browser.text("#area"))
        tap(self.browser, "#area button")
        self.checks.that("timeline: a button clears it", self.browser.until("document.querySelector('#area').hidden"))
        tap(self.browser, "#measure")
        drag(self.browser, "#chart", (0.2, 0.2), (0.7, 0.9))
        self.checks.that("timeline: in the mode for it, dragging alone does", self.browser.until("!document.querySelector('#area').hidden"))
        tap(self.browser, "#measure")
        self.key("Escape")
        self.live()

    def exported(self, folder: Path):
        folder.mkdir()
        self.browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        self.app.server.get(self.path("pictures", 50))
        client = Client(self.app, self.path("stall/50", 51))
        self.choose("#which", "running")
        self.browser.until(f"{LINKS}.length === 1")
        client.leave()
        self.choose("#which", "all")
        self.browser.until(f"{LINKS}[0]?.dataset.state === 'cancelled'")
        # Nothing leaves the minute from now on.
        self.key(" ")
        self.browser.until("document.querySelector('#pause-word').textContent === 'Back to live'")
        sources = self.browser.run(f"return {LINKS}.map(one => one.querySelector('button').title)")
        tap(self.browser, "#export")
        is_there = eventually(lambda: any(folder.glob("calotype-trace-*.json")), 30)
        self.checks.that("timeline: the minute can be downloaded", is_there, list(folder.iterdir()))
        if not is_there:
            return
        files = list(folder.glob("calotype-trace-*.json"))
        trace = json.loads(files[0].read_text())
        self.checks.equal("timeline: as a trace that holds its format", trace_faults(trace), [])
        loads = [event["args"]["source"] for event in trace["traceEvents"] if event.get("cat") == "load"]
        self.checks.equal("timeline: with a track for each load", sorted(loads), sorted(sources))
        names = {event["name"] for event in trace["traceEvents"] if event.get("cat") == "stage"}
        self.checks.that("timeline: and its stages", {"queue", "first byte", "body", "decode", "encode"} <= names, names)
        cancelled = [event["args"]["source"] for event in trace["traceEvents"] if event.get("args", {}).get("state") == "cancelled"]
        self.checks.that("timeline: and those that were cancelled", any(one.endswith("number=51") for one in cancelled), cancelled)


def trace_faults(trace: dict) -> list[str]:
    """Returns how a trace differs from the Trace Event Format as Perfetto and chrome://tracing read it."""
    faults, tracks, named = [], {}, set()
    for event in trace["traceEvents"]:
        place = (event["pid"], event["tid"])
        if event["ph"] == "M":
            named.add((event["name"], place))
        elif event["ph"] != "X":
            faults.append(f"an event of the kind {event['ph']}")
        elif not all(isinstance(event[key], int) and event[key] >= 0 for key in ("ts", "dur")) or not event["name"]:
            faults.append(f"times or name: {event}")
        else:
            tracks.setdefault(place, []).append((event["ts"], event["ts"] + event["dur"]))
    faults += [f"track {place} has no name" for place in tracks if ("thread_name", place) not in named]
    faults += ["the process has no name"] * (not any(name == "process_name" for name, _ in named))
    for place, spans in tracks.items():
        for start, end in spans:
            faults += [f"track {place}: {start}-{end} and {other} overlap" for other in spans if start < other[0] < end < other[1]]
    return faults


class Client:
    """Asks for a path and waits for the answer until it leaves."""

    def __init__(self, app: RunningApp, path: str):
        parts = urllib.parse.urlsplit(app.base)
        self._socket = socket.create_connection((parts.hostname, parts.port))
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())

    def leave(self):
        self._socket.close()
