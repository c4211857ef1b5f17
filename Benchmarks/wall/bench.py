"""`script/bench wall`: the terminal wall and the table of a search, from outside, through a pseudo-terminal.

Parts:
  scroll  1,000 cells at 50 lines a second while pictures take 100 ms: how many load at a time (goal: the cells in sight)
  keys    how long a key press takes until the screen shows it, while pictures load (goal: 16 ms at the 99th percentile)
  table   from the answer's last byte until `calotype apps search` has printed its table (goal: 50 ms)
"""

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests" / "RealInput"))

from screen import Terminal  # noqa: E402
from support.origin import RunningOrigin  # noqa: E402

PARTS = ["scroll", "keys", "table"]
SIZES = [(80, 24), (120, 40), (200, 60)]
DOWN = b"\x1b[B"
ROWS_A_SECOND = 50


class Bench:
    def __init__(self, binary: Path, scratch: Path, rounds: int):
        self.binary, self.scratch, self.rounds = binary, scratch, rounds
        homes = {name: str(scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        kept = {name: value for name, value in os.environ.items() if name not in ("TMUX", "STY")}
        self.environment = kept | homes | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}

    def wall(self, urls: list[str], columns: int, rows: int) -> Terminal:
        listed = self.scratch / "list.txt"
        listed.write_text("".join(f"{url}\n" for url in urls))
        command = [self.binary, "wall", listed, "--allow-private", "--no-cache", "--pictures", "symbols"]
        return Terminal(command, columns, rows, self.environment)

    def scroll(self):
        with RunningOrigin(self.binary, "--apps", "1000", "--faults", "latency=100ms") as origin:
            urls = origin.get("/icons.txt").decode().split()
            for columns, rows in SIZES:
                self.scroll_through(urls, columns, rows)

    def scroll_through(self, urls: list[str], columns: int, rows: int):
        across, down = cells(columns, rows)
        with self.wall(urls, columns, rows) as wall:
            wall.until(lambda: wall.position() == f"1/{len(urls)}", 30)
            lines, most, start = (len(urls) - 1) // across, 0, time.monotonic()
            for line in range(lines):
                wall.press(DOWN)
                until = start + (line + 1) / ROWS_A_SECOND
                while time.monotonic() < until:
                    wall.read(until - time.monotonic())
                    wall.catch_up()
                    most = max(most, wall.figure("loading"))
            last, sight = f"{lines * across + 1}/{len(urls)}", across * down
            wall.until(lambda: wall.position() == last, 30)
            behind = time.monotonic() - start - lines / ROWS_A_SECOND
            left = wall.figure("loading")
            wall.until(lambda: wall.figure("loading") == 0, 30)
            print(
                f"  {columns}x{rows}: {lines} lines of cells; loading when the last is shown: {left}, in sight {sight}  "
                f"{verdict(left <= sight)}; most at a time, cancelled ones that have not ended included: {most}; "
                f"the last line was shown {behind * 1000:.0f} ms late; loaded {wall.figure('loaded')}, "
                f"cancelled {wall.figure('cancelled')}",
                flush=True,
            )

    def keys(self):
        with RunningOrigin(self.binary, "--apps", "1000", "--prepare") as origin:
            icons = origin.get("/icons.txt").decode().split()
            urls = [f"{url}?{n}" for n in range(10) for url in icons]
            for columns, rows in SIZES:
                self.press_keys(urls, columns, rows)

    def press_keys(self, urls: list[str], columns: int, rows: int):
        across, _ = cells(columns, rows)
        choice, taken, loading = random.Random(1), [], 0
        with self.wall(urls, columns, rows) as wall:
            wall.until(lambda: wall.position() == f"1/{len(urls)}", 30)
            for press in range(self.rounds):
                pause = time.monotonic() + choice.uniform(0.01, 0.05)
                while time.monotonic() < pause:
                    wall.read(pause - time.monotonic())
                wall.catch_up()
                loading += wall.figure("loading") > 0
                wanted = f"{(press + 1) * across + 1}/{len(urls)}"
                start = time.monotonic()
                wall.press(DOWN)
                came = wall.until(lambda: wall.position() == wanted, 10, line=rows)
                if came is None:
                    print(f"  {columns}x{rows}: a key was never answered", flush=True)
                    return
                taken.append((came - start) * 1000)
        taken.sort()
        p99 = taken[min(len(taken) * 99 // 100, len(taken) - 1)]
        print(
            f"  {columns}x{rows}: {len(taken)} keys, {loading} of them while pictures loaded: median "
            f"{taken[len(taken) // 2]:.1f} ms, 99th percentile {p99:.1f} ms, longest {taken[-1]:.1f} ms  {verdict(p99 <= 16)}",
            flush=True,
        )

    def table(self):
        with RunningOrigin(self.binary, "--apps", "1000") as origin:
            body = origin.get("/search?term=photo&entity=software&limit=200")
        apps, taken = json.loads(body)["results"], []
        # The table cuts long names.
        last = apps[-1]["trackName"][:8].encode()
        with Answering(body) as service:
            for _ in range(max(self.rounds // 20, 5)):
                taken.append(self.search(service, last))
        taken.sort()
        print(
            f"  {len(apps)} apps, {len(taken)} runs: median {taken[len(taken) // 2]:.1f} ms, longest {taken[-1]:.1f} ms  "
            f"{verdict(taken[len(taken) // 2] <= 50)}",
            flush=True,
        )

    def search(self, service: "Answering", last: bytes) -> float:
        command = [
            self.binary, "apps", "search", "photo", "--limit", "200", "--api", service.base, "--no-cache", "--allow-private",
        ]
        with Terminal(command, 120, 50, self.environment) as terminal:
            printed, end = b"", time.monotonic() + 30
            while last not in printed and time.monotonic() < end:
                printed += terminal.read(0.05)
            return (time.monotonic() - service.finished) * 1000


class Answering:
    """A service that answers every search with one body, and leaves pictures waiting."""

    def __init__(self, body: bytes):
        self.finished, service = 0.0, self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if not self.path.startswith("/search"):
                    return self.send_error(404)
                self.send_response(200)
                self.send_header("Content-Type", "text/javascript; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.wfile.flush()
                service.finished = time.monotonic()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "Answering":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def cells(columns: int, rows: int) -> tuple[int, int]:
    """Returns how many cells are side by side and above each other: the rule of the wall, once more."""
    body = rows - 2
    return min(max((columns + 9) // 18, 1), columns // 8), min(max((body + 4) // 9, 1), body // 4)


def verdict(holds: bool) -> str:
    return "ok" if holds else "MISSED"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calotype", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--keys", type=int, default=400, help="key presses of each size (400)")
    parser.add_argument("parts", nargs="*", help="scroll, keys, table; all of them unless told")
    options = parser.parse_args()
    if not set(options.parts) <= set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    load = os.getloadavg()[0]
    print(f"load average {load:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory(prefix="calotype-bench-wall-") as scratch:
        bench = Bench(options.calotype.resolve(), Path(scratch), options.keys)
        for part in options.parts or PARTS:
            print(part, flush=True)
            getattr(bench, part)()
    return 0


if __name__ == "__main__":
    sys.exit(main())
