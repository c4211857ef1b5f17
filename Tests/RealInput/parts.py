"""The parts of the trial, and how they are tried: three at a time."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import animations
import app
import badcatalog
import badinput
import bucket
import cacheupkeep
import catalog
import cluster
import companion
import counting
import dataset
import deadnames
import depth
import descriptors
import edits
import faults
import formats
import goodinput
import helptexts
import network
import outputs
import publish
import reloads
import renditions
import secondrun
import serving
import shells
import tusendpoint
import wall
from publishing import kills
from support import drawn
from support.checks import Checks

# The packages of pictures are the benchmark's too: one cache for both.
DATA = Path(__file__).resolve().parents[2] / "Benchmarks" / ".data"
# Each waits half of its time.
AT_ONCE = 3


@dataclass(frozen=True)
class Part:
    """Some of the trial that can be asked for by its name; each check gets a folder of its own, of the name that stands before it."""

    name: str
    title: str
    checks: dict[str, Callable[[Checks, Path, Path], None]]
    # It is tried only when it is asked for.
    is_extra: bool = False

    def try_out(self, binary: Path, scratch: Path) -> Checks:
        print(self.title, flush=True)
        checks = Checks()
        for folder, check in self.checks.items():
            try:
                check(checks, binary, scratch / folder)
            except Exception:
                checks.that(f"{folder} comes to its end", False, traceback.format_exc())
        return checks


# The longest first: what is tried beside them ends with them.
PARTS = [
    Part("app", "the web app", {"app": app.check}),
    Part("publish", "publishing", {"tus-endpoint": tusendpoint.check, "publish": publish.check}),
    Part("cluster", "a cluster", {"cluster": cluster.check}),
    Part("good", "good input", {"good": lambda checks, binary, scratch: goodinput.check(checks, binary, DATA, scratch)}),
    Part("dataset", "datasets", {"dataset": dataset.check, "bucket": bucket.check}),
    Part("wall", "wall", {"wall": wall.check}),
    Part("faults", "faults", {"faults": faults.check}),
    Part("outputs", "outputs", {"outputs": outputs.check, "counting": counting.check, "network": network.check}),
    Part("help", "help", {"help": helptexts.check, "shells": shells.check}),
    Part("bad", "bad input", {"bad": badinput.check}),
    Part("descriptors", "descriptors", {"descriptors": descriptors.check}),
    Part("companion", "the Python package", {"companion": companion.check}),
    Part("cache", "cache", {"cache": cacheupkeep.check, "reloads": reloads.check, "second-run": secondrun.check}),
    Part("sizes", "sizes and edits", {"sizes": renditions.check, "edits": edits.check}),
    Part("serve", "serving", {"serve": serving.check}),
    Part("catalog", "catalogue", {"catalog": catalog.check, "bad-catalog": badcatalog.check}),
    Part("formats", "formats", {"formats": formats.check, "depth": depth.check, "animations": animations.check}),
    Part("names", "names that hang", {"names": deadnames.check}),
    Part(
        "every-fault", "every fault", is_extra=True,
        checks={"every-fault": lambda *about: faults.check(*about, thorough=True)},
    ),
    Part("every-kill", "every kill", {"every-kill": kills.check}, is_extra=True),
]


@dataclass
class Trial:
    """A part that is tried in a process of its own; what it says is kept until its end."""

    part: Part
    process: multiprocessing.Process
    outcome: multiprocessing.connection.Connection
    log: Path
    started: float = field(default_factory=time.monotonic)

    def finish(self) -> Checks:
        """Waits for the end, and prints all that was said."""
        try:
            checks = self.outcome.recv()
        except EOFError:
            checks = None
        self.process.join()
        sys.stdout.write(self.log.read_text(errors="replace"))
        if checks is None:
            checks = Checks()
            checks.that(f"{self.part.title} comes to its end", False, f"exit code {self.process.exitcode}")
        print(f"  {self.part.title}: {time.monotonic() - self.started:.0f} s", flush=True)
        return checks


def try_all(parts: list[Part], binary: Path, scratch: Path) -> Checks:
    """Tries the parts; a single one prints as it goes."""
    drawn.keep_in(scratch / "drawn")
    checks = Checks()
    if len(parts) == 1:
        checks.add(parts[0].title, parts[0].try_out(binary, scratch))
        return checks
    # Whoever ends this run ends what it has begun: an exit runs the `with` blocks, here and in each part.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    waiting, running = list(parts), []
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                running.append(begin(waiting.pop(0), binary, scratch))
            ended = multiprocessing.connection.wait([trial.outcome for trial in running])
            for trial in [trial for trial in running if trial.outcome in ended]:
                checks.add(trial.part.title, trial.finish())
                running.remove(trial)
    except SystemExit:
        # Ctrl-C reaches all by itself; a signal to this process does not.
        for trial in running:
            trial.process.terminate()
        raise
    finally:
        for trial in running:
            trial.process.join()
            sys.stdout.write(trial.log.read_text(errors="replace"))
    return checks


def begin(part: Part, binary: Path, scratch: Path) -> Trial:
    log, (reader, writer) = scratch / f"{part.name}.log", multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=try_aside, args=(part, binary, scratch, log, writer))
    process.start()
    # The end of the process is seen by the end of the pipe.
    writer.close()
    return Trial(part, process, reader, log)


def try_aside(part: Part, binary: Path, scratch: Path, log: Path, writer: multiprocessing.connection.Connection):
    with open(log, "wb") as output:
        for descriptor in (1, 2):
            os.dup2(output.fileno(), descriptor)
    writer.send(part.try_out(binary, scratch))
