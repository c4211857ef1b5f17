"""`script/bench app`: the web app in Chromium, and what the timeline costs the server.

Parts:
  results   from the start of the navigation until a search's rows are there and its field can be used, the catalogue warm
            (goal: 200 ms at the median), and how many requests that takes (goal: the page and the search)
  wall      1,000 entries: from the first finished download until the first picture is painted (goal: 150 ms at the median), and
            the longest time for which the page's main thread is blocked (goal: 50 ms)
  scroll    1,000 cells scrolled through at speed while pictures take 2 s: how many requests are under way at the origin when it
            stops (goal: at most the cells in sight)
  timeline  requests a second and CPU time of the thumbnail service without the app, with it, and with a timeline open (goal: at
            most 5 % more CPU time a request with the app, at most 10 % with a timeline open)

All parts run where none is named. Results go to Benchmarks/.data/results, as JSON and as a Markdown table.
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing but the data folder is written to.
sys.dont_write_bytecode = True
sys.path[1:1] = [str(ROOT / "Tests" / "RealInput"), str(ROOT / "Benchmarks" / "server")]

import clients  # noqa: E402
from pictures import NotingOrigin  # noqa: E402
from support.browser import Browser  # noqa: E402
from support.origin import RunningOrigin  # noqa: E402
from thumbnailers import Calotype  # noqa: E402

PARTS = ["results", "wall", "scroll", "timeline"]
WALK = ROOT / "Benchmarks" / "server" / "walk.lua"
ENTRIES = 1000
# When the page has rows and its field takes text; the moment is that of the paint after it.
USABLE = """
window.usableAt = null;
const look = () => {
    const field = document.querySelector('#term');
    if (!document.querySelector('.result-name') || !field || field.disabled) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.usableAt = performance.now())));
};
const watcher = new MutationObserver(look);
watcher.observe(document, {childList: true, subtree: true});
"""
# What the server was asked for until then, the page and pictures aside; what the browser had has no bytes on the way.
ASKED = """
return performance.getEntriesByType('resource')
    .filter(one => one.transferSize > 0 && one.responseEnd <= usableAt && !one.name.includes('/rs:')).map(one => one.name);
"""
# What blocks the main thread for longer than 50 ms, and when the first picture has been painted, in seconds since 1970.
WATCH_WALL = """
window.blocked = [];
window.paintedAt = null;
new PerformanceObserver(list => blocked.push(...list.getEntries().map(one => one.duration))).observe({type: 'longtask', buffered: true});
addEventListener('picture-loaded', () => requestAnimationFrame(() => setTimeout(() => {
    window.paintedAt ??= (performance.timeOrigin + performance.now()) / 1000;
})), {capture: true, once: true});
"""
IN_SIGHT = """
return [...document.querySelectorAll('#pictures .grid-cell')].filter(one => {
    const {top, bottom} = one.getBoundingClientRect();
    return !one.hidden && bottom > 0 && top < innerHeight;
}).length;
"""
# Scrolls to the end in a second, a step with each frame.
SCROLL = """
const done = arguments[0];
const started = performance.now();
const step = now => {
    const share = Math.min((now - started) / 1000, 1);
    scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight));
    share < 1 ? requestAnimationFrame(step) : done(null);
};
requestAnimationFrame(step);
"""
FINISHED = "document.querySelector('#wall').dataset.state === 'finished'"


class Bench:
    def __init__(self, options: argparse.Namespace, scratch: Path):
        self.calotype, self.rounds, self.seconds, self.scratch = options.calotype, options.rounds, options.seconds, scratch
        self.data = ROOT / "Benchmarks" / ".data"
        self.goals: list[str] = []
        self.rows: list[tuple[str, str]] = []

    def goal(self, what: str, value: float, limit: float):
        self.goals.append(f"{'held' if value <= limit else 'MISSED'}: {what}: {value:,.2f}, at most {limit:,.2f}")

    def figure(self, what: str, value: str):
        self.rows.append((what, value))
        print(f"  {what}: {value}", flush=True)

    @contextlib.contextmanager
    def app(self, api: str, *options):
        with Calotype(self.calotype, "--app", "--api", api, *options) as server, Browser(self.scratch / "browser") as browser:
            browser.prefer("light", "no-preference")
            yield server, browser

    # Parts.

    def results(self) -> dict:
        taken, asked = [], []
        with RunningOrigin(self.calotype) as origin, self.app(origin.base) as (server, browser):
            browser.command("Page.addScriptToEvaluateOnNewDocument", source=USABLE)
            for visit in range(self.rounds * 4 + 2):
                browser.open(f"{server.base}/app/search?q=photo")
                browser.until("window.usableAt !== null")
                # The first visits fill the caches.
                if visit >= 2:
                    taken.append(browser.run("return usableAt"))
                    asked.append(browser.run(ASKED))
                browser.leave()
        self.figure("results: navigation to rows and a usable field", told(taken))
        self.goal("results: ms until a search can be used, median", statistics.median(taken), 200)
        requests = statistics.median(1 + len(names) for names in asked)
        self.figure("results: requests until then", f"{requests:.0f} at the median")
        self.goal("results: requests until a search can be used, median", requests, 2)
        return {"milliseconds": taken, "asked": asked}

    def wall(self) -> dict:
        waits, blocked = [], []
        for round in range(self.rounds):
            with NotingOrigin() as origin, self.app(origin.base, "--no-cache") as (server, browser):
                self.open_wall(server, browser, origin.urls(ENTRIES, f"round-{round}"))
                browser.run(WATCH_WALL)
                browser.click("#start")
                browser.until("window.paintedAt !== null")
                if not browser.until(FINISHED, seconds=120):
                    raise RuntimeError("the wall does not come to its end")
                waits.append(1000 * (browser.run("return paintedAt") - origin.first))
                blocked.append(max(browser.run("return blocked"), default=0))
        self.figure("wall: first download to first picture", told(waits))
        self.figure("wall: the longest block of the main thread", told(blocked) if max(blocked) else "none of 50 ms or more")
        self.goal("wall: ms from the first download to the first picture, median", statistics.median(waits), 150)
        self.goal("wall: ms for which the main thread is blocked, at worst", max(blocked), 50)
        return {"milliseconds": waits, "blocked": blocked}

    def open_wall(self, server: Calotype, browser: Browser, urls: list[str]):
        browser.open(f"{server.base}/app/wall")
        browser.run("list.value = arguments[0]; list.dispatchEvent(new Event('input', {bubbles: true}))", "\n".join(urls))

    def scroll(self) -> dict:
        left, sights = [], []
        for round in range(self.rounds):
            # Nothing is kept, so that each cell in sight leads to the origin again.
            options = ["--no-cache", "--memory-cache", "0"]
            with NotingOrigin() as origin, self.app(origin.base, *options) as (server, browser):
                self.open_wall(server, browser, origin.urls(ENTRIES, f"round-{round}"))
                browser.click("#start")
                browser.until(FINISHED, seconds=120)
                browser.forget()
                origin.latency = 2.0
                asked = origin.asked
                browser.driver.execute_async_script(SCROLL)
                # What was scrolled away is closed at once; what that takes is within the figure of the goal for cancelling.
                time.sleep(0.3)
                left.append(origin.under_way)
                sights.append(browser.run(IN_SIGHT))
                print(f"  scroll, round {round + 1}: {origin.asked - asked} requests, {left[-1]} under way, {sights[-1]} in sight", flush=True)
        self.figure("scroll: requests under way when it stops", f"{max(left)} at most, {min(sights)} cells in sight")
        self.goal("scroll: requests under way, by cells in sight", max(one / sight for one, sight in zip(left, sights)), 1)
        return {"under_way": left, "in_sight": sights}

    def timeline(self) -> dict:
        with RunningOrigin(self.calotype, "--cache-control", "max-age=3600", "--prepare") as origin:
            names = [url for url in origin.get("/list.txt").decode().split() if url.endswith(".jpg")]
            runs = {load: self.compare(load, origin, names) for load in ("memory", "made")}
        for load, what in (("memory", "from memory"), ("made", "made again")):
            for case in ("plain", "app", "timeline"):
                rate = statistics.median(run[case]["rate"] for run in runs[load])
                cpu = statistics.median(run[case]["cpu"] for run in runs[load])
                self.figure(f"timeline: {what}, {TITLES[case]}", f"{rate:,.0f} requests/s, {cpu:.3f} CPU ms a request")
        for case, limit in (("app", 1.05), ("timeline", 1.10)):
            ratios = {load: statistics.median(run[case]["cpu"] / run["plain"]["cpu"] for run in runs[load]) for load in runs}
            self.figure(f"timeline: CPU time from memory {TITLES[case]}, by that without the app", f"{ratios['memory']:.2f}")
            self.goal(f"timeline: CPU time of a picture made again {TITLES[case]}, by that without the app", ratios["made"], limit)
        return runs

    def compare(self, load: str, origin: RunningOrigin, names: list[str]) -> list[dict]:
        """Runs the three in turn, so that what the machine does otherwise meets all of them."""
        runs = []
        for round in range(self.rounds):
            runs.append({case: self.serve(case, load, origin, names) for case in rotated(["plain", "app", "timeline"], round)})
        return runs

    def serve(self, case: str, load: str, origin: RunningOrigin, names: list[str]) -> dict:
        options = [] if case == "plain" else ["--app", "--api", origin.base]
        kept = [] if load == "memory" else ["--no-cache"]
        with Calotype(self.calotype, *options, *kept) as server, Looking(server if case == "timeline" else None) as looking:
            width = "200" if load == "memory" else "WIDTH"
            paths = [f"/unsafe/rs:fit:{width}:0/plain/{urllib.parse.quote(name, safe='')}@jpg" for name in names]
            if load == "memory":
                asyncio.run(clients.together(server.base, paths))
            before = server.cpu
            figures = wrk(server, paths, self.seconds, 0 if load == "memory" else 100)
            cpu = server.cpu - before
        if figures["wrong"] + figures["failed"] > 0:
            raise RuntimeError(f"{figures} at {case}, {load}")
        if case == "timeline" and looking.bytes == 0:
            raise RuntimeError("the timeline told nothing")
        rate = figures["requests"] / figures["seconds"]
        return {"rate": rate, "cpu": 1000 * cpu / figures["requests"], "told": looking.bytes}


TITLES = {"plain": "without the app", "app": "with the app", "timeline": "with a timeline open"}


class Looking:
    """Reads the timeline of a server, as a page does, while its `with` block runs; nothing if there is no server."""

    def __init__(self, server: Calotype | None):
        self._server, self.bytes = server, 0

    def __enter__(self) -> "Looking":
        if self._server:
            self._told = tempfile.TemporaryFile()
            self._curl = subprocess.Popen(["curl", "--silent", "--no-buffer", f"{self._server.base}/api/timeline"], stdout=self._told)
        return self

    def __exit__(self, *_):
        if self._server:
            self._curl.terminate()
            self._curl.wait()
            self.bytes = os.fstat(self._told.fileno()).st_size
            self._told.close()


def wrk(server: Calotype, paths: list[str], seconds: float, width: int) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".paths") as listed:
        listed.write("".join(f"{path}\n" for path in paths))
        listed.flush()
        command = ["wrk", "--threads", 1, "--connections", 16, "--timeout", "30s", "--duration", f"{seconds:.0f}s", "--script", WALK]
        done = subprocess.run(
            list(map(str, [*command, server.base, "--", listed.name, width])), capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout.splitlines()[-1])


def rotated(cases: list[str], by: int) -> list[str]:
    return cases[by % len(cases) :] + cases[: by % len(cases)]


def told(milliseconds: list[float]) -> str:
    return f"{statistics.median(milliseconds):.0f} ms at the median of {len(milliseconds)}, {max(milliseconds):.0f} ms at worst"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/bench app", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--calotype", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured, 5 by default")
    parser.add_argument("--seconds", type=float, default=6, help="the length of one load of the part timeline, 6 by default")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return options


def main():
    options = arguments()
    machine = {"cores": os.cpu_count(), "load at start": f"{os.getloadavg()[0]:.2f}"}
    print(f"load at start {machine['load at start']}", flush=True)
    with tempfile.TemporaryDirectory(prefix="calotype-bench-app-") as scratch:
        bench = Bench(options, Path(scratch))
        parts = {part: getattr(bench, part)() for part in options.parts or PARTS}
    table = "\n".join(["| figure | value |", "|---|---|", *(f"| {what} | {value} |" for what, value in bench.rows)])
    about = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    report = "\n\n".join(["# app", about, table, "## Goals", "\n".join(f"- {goal}" for goal in bench.goals)]) + "\n"
    path = bench.data / "results" / time.strftime("app-%Y%m%d-%H%M%S")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(json.dumps({"machine": machine, "parts": parts}, indent=1))
    path.with_suffix(".md").write_text(report)
    print(f"\n{report}", flush=True)


if __name__ == "__main__":
    main()
