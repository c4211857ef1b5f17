"""Runs contestants in turn (A B A B …), so that what the machine does meanwhile falls on all of them alike."""

import json
import shutil
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Callable

from peers import Job, environment
from support import measure


@dataclass
class Contestant:
    """A peer with its list; `examine` looks at a run's results and returns what to keep of it."""

    name: str
    peer: object
    urls: list[str]
    paths: list[Path] = field(default_factory=list)
    examine: Callable[[Job, float], dict] = lambda job, started: {}


@dataclass
class Run:
    contestant: str
    round: int
    wall: float
    cpu: float
    peak_bytes: int
    exit: int
    timed_out: bool
    load_before: float
    findings: dict


def play(part: str, contestants: list[Contestant], rounds: int, data: Path, keeps_files: bool = False) -> list[Run]:
    """Returns the runs of all contestants; output files are examined and deleted after each.

    With `keeps_files` they are deleted at the end: for a minute or more, ext4 takes far longer to create files where
    many have just been deleted, which counts in short runs.
    """
    try:
        return _play(part, contestants, rounds, data, keeps_files)
    finally:
        shutil.rmtree(data / "runs" / part, ignore_errors=True)


def _play(part: str, contestants: list[Contestant], rounds: int, data: Path, keeps_files: bool) -> list[Run]:
    runs = []
    for round in range(rounds):
        for contestant in contestants:
            folder = data / "runs" / part / f"{len(runs)}"
            run = once(contestant, round, folder)
            while run.exit < 0 and not run.timed_out and getattr(contestant.peer, "may_crash", False):
                print(f"{part}: {contestant.name} crashed (signal {-run.exit}); once more", file=sys.stderr)
                run = once(contestant, round, folder)
            if not keeps_files:
                shutil.rmtree(folder)
            runs.append(run)
            print(
                f"{part}: {contestant.name}, round {round + 1}: {run.wall:.2f} s wall, {run.cpu:.2f} s CPU, "
                f"{run.peak_bytes / 1e6:.0f} MB, exit {run.exit}{', TIMED OUT' if run.timed_out else ''} "
                f"{ {key: value for key, value in run.findings.items() if not isinstance(value, dict)} }",
                file=sys.stderr,
                flush=True,
            )
    return runs


def once(contestant: Contestant, round: int, folder: Path) -> Run:
    shutil.rmtree(folder, ignore_errors=True)
    job = Job(folder / "urls.txt", folder / "paths.txt", folder / "output", folder / "scratch")
    job.output.mkdir(parents=True)
    job.scratch.mkdir()
    job.urls.write_text("".join(f"{url}\n" for url in contestant.urls))
    job.paths.write_text("".join(f"{path}\n" for path in contestant.paths))
    load = float(Path("/proc/loadavg").read_text().split()[0])
    started = time.time()
    cost = measure.run(contestant.peer.command(job), environment(job.scratch), folder / "log.txt")
    findings = contestant.examine(job, started)
    if cost.exit not in (0, 1):
        findings["log"] = (folder / "log.txt").read_text(errors="replace")[-2000:]
        print(findings["log"], file=sys.stderr)
    return Run(
        contestant.name, round, cost.wall, cost.cpu, cost.peak_bytes, cost.exit, cost.timed_out, load, findings
    )  # fmt: skip


def of(runs: list[Run], name: str) -> list[Run]:
    return [run for run in runs if run.contestant == name]


def median(runs: list[Run], name: str, value: Callable[[Run], float]) -> float:
    return statistics.median(map(value, of(runs, name)))


def ratio(runs: list[Run], name: str, base: str, value: Callable[[Run], float]) -> float:
    """Returns the median over the rounds of this contestant's value by that of the base in the same round."""
    pairs = zip(of(runs, name), of(runs, base))
    return statistics.median(value(run) / value(other) if value(other) else float("nan") for run, other in pairs)


def table(runs: list[Run], base: str, images: int) -> str:
    names = list(dict.fromkeys(run.contestant for run in runs))
    lines = [
        f"| | wall s | images/s | CPU s | peak MB | wall / {base} | CPU / {base} |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in names:
        wall = [run.wall for run in of(runs, name)]
        middle = statistics.median(wall)
        lines.append(
            f"| {name} | {middle:.2f} ({min(wall):.2f}-{max(wall):.2f}) | {images / middle:.0f} "
            f"| {median(runs, name, lambda run: run.cpu):.2f} | {median(runs, name, lambda run: run.peak_bytes) / 1e6:.0f} "
            f"| {ratio(runs, name, base, lambda run: run.wall):.2f} | {ratio(runs, name, base, lambda run: run.cpu):.2f} |"
        )
    return "\n".join(lines)


def save(path: Path, machine: dict, parts: dict[str, list[Run]], text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = {"machine": machine, "parts": {part: [asdict(run) for run in runs] for part, runs in parts.items()}}
    path.with_suffix(".json").write_text(json.dumps(numbers, indent=1))
    path.with_suffix(".md").write_text(text)
