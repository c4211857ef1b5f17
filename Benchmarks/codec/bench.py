"""`script/bench codec`: what making thumbnails costs, the codec beside libvips and Pillow of PyPI and Debian's libvips; CPU seconds first.

Parts:
  jpeg     2,000 web JPEGs to 256 px, quality 85: ours at each effort, a C program on Debian's libvips, PyPI's
           libvips by `thumbnail` and as sharp calls it, Pillow with draft
  png      200 PNGs the same way
  webp     200 WebPs the same way
  fetch    `calotype fetch` of all 2,400 from a server on loopback, beside the C program without network
  isolate  libvips in worker processes beside libvips in the process: what it costs for each picture (goal: 1 ms)
  sizes    256, 512 and 1,024 px from one decode beside 1,024 px alone
  memory   anonymous memory with 16 decodes of 50-megapixel JPEGs at once
  profile  where the time of our process goes, by library and module
  vast     a JPEG and a PNG of 30,000 x 30,000 to 256 px
  report   no measurement; tells the packages and programs

Contestants run in turn, so that what else the machine does falls on all alike; figures are medians over the rounds, and
ratios medians of the ratios within each round. All parts but `report` run where none is named.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing but the data folder is written to.
sys.dont_write_bytecode = True
# Both folders have a module `outputs`; this one is meant.
sys.path[1:1] = [str(ROOT / "Benchmarks" / "fetch"), str(ROOT / "Tests" / "RealInput")]

import corpus  # noqa: E402
import crowd  # noqa: E402
import profile_run  # noqa: E402
import rounds  # noqa: E402
from outputs import judge  # noqa: E402
from peers import Calotype, LibvipsLimit  # noqa: E402
from programs import OneFile, Ours, PillowDraft, PyVips  # noqa: E402
from rounds import Contestant, Run  # noqa: E402
from support.nginx import Nginx  # noqa: E402
from vast import Vast  # noqa: E402

PARTS = ["jpeg", "png", "webp", "fetch", "isolate", "sizes", "memory", "profile", "vast"]
EFFORTS = ["fast", "balanced", "best"]
LIMIT, DRAFT, NEWEST = "C on libvips", "Pillow draft", "libvips of PyPI"
CROWD, CROWD_BYTES = 16, 60e6
SIZES_PICTURES = 400
TIMES_OF_FEW = 2


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.data = ROOT / "Benchmarks" / ".data"
        self.program, self.calotype, self.rounds = options.program, options.calotype, options.rounds
        self.folder = corpus.ensure(self.data)
        self.pictures = corpus.entries(self.folder)[: options.images]
        self.extra = ["--libvips"] if options.libvips_only else []
        self.guards = options.guards
        self.goals: list[str] = []

    def goal(self, what: str, value: float, most: float, unit: str = ""):
        self.goals.append(f"- {'held' if value <= most else 'MISSED'}: {what}: {value:.2f}{unit}, at most {most:.2f}{unit}")

    def of_format(self, format: str) -> list[dict]:
        return [picture for picture in self.pictures if picture["format"] == format]

    def ours(self, name: str, *options) -> Ours:
        return Ours(self.program, name, [*options, *self.extra])

    def play(self, part: str, contestants: list[Contestant], repeats: int = 1) -> list[Run]:
        for path in {path for contestant in contestants for path in contestant.paths}:
            path.read_bytes()
        return rounds.play(part, contestants, self.rounds * repeats, self.data)

    def cpu(self, runs: list[Run], name: str, base: str) -> float:
        return rounds.ratio(runs, name, base, lambda run: run.cpu)

    def jpeg(self) -> tuple[list[Run], str]:
        return self.format("jpeg", self.of_format("JPEG"), EFFORTS, {"balanced": {LIMIT: 0.65, NEWEST: 0.6, DRAFT: 0.78}, "fast": {LIMIT: 0.55}})

    def png(self) -> tuple[list[Run], str]:
        return self.format("png", self.of_format("PNG"), EFFORTS, {"balanced": {LIMIT: 0.65, NEWEST: 0.65}})

    def webp(self) -> tuple[list[Run], str]:
        return self.format("webp", self.of_format("WEBP"), EFFORTS, {"balanced": {LIMIT: 0.65, NEWEST: 0.65}})

    def format(self, part: str, entries: list[dict], efforts: list[str], goals: dict) -> tuple[list[Run], str]:
        if self.guards:
            return self.guard(part, entries, goals)
        peers = [self.ours(f"ours {effort}", "--effort", effort) for effort in efforts]
        peers += [LibvipsLimit(self.data / "bin"), PyVips(), PyVips("sharp"), PillowDraft()]
        # A program's start counts for little beside a thousand pictures, and for much beside two hundred.
        entries = entries * (1 if len(entries) > 500 else TIMES_OF_FEW)
        contestants = self.contestants(peers, entries)
        # One thread leaves out what two threads cost each other in the processor.
        alone = [self.ours("ours balanced, 1 thread", "--threads", "1"), LibvipsLimit(self.data / "bin", threads=1)]
        alone[1].name = f"{LIMIT}, 1 thread"
        contestants += self.contestants(alone, entries)
        runs = self.play(part, contestants)
        self.judge(part, runs, goals)
        one = self.cpu(runs, "ours balanced, 1 thread", f"{LIMIT}, 1 thread")
        text = f"On one thread each, ours balanced takes {one:.2f} of the CPU of {LIMIT}."
        return runs, "\n\n".join([rounds.table(runs, LIMIT, len(entries)) + per_thousand(runs, len(entries)), text, found(runs)])

    def guard(self, part: str, entries: list[dict], goals: dict) -> tuple[list[Run], str]:
        """Ours beside the newest peers alone."""
        entries = entries * (1 if part == "jpeg" else TIMES_OF_FEW)
        peers = [self.ours("ours balanced", "--effort", "balanced"), PyVips(), PillowDraft()]
        runs = self.play(part, self.contestants(peers, entries))
        self.judge(part, runs, {"balanced": {NEWEST: goals["balanced"][NEWEST], DRAFT: goals["balanced"].get(DRAFT, 1)}})
        return runs, rounds.table(runs, NEWEST, len(entries))

    def judge(self, part: str, runs: list[Run], goals: dict):
        for effort, mosts in goals.items():
            for peer, most in mosts.items():
                cost = self.cpu(runs, f"ours {effort}", peer)
                self.goal(f"{part}: CPU of ours {effort} by that of {peer}", cost, most)

    def contestants(self, peers: list, entries: list[dict]) -> list[Contestant]:
        expected = dict(enumerate(entries))
        paths = [self.folder / entry["name"] for entry in entries]
        return [Contestant(peer.name, peer, [], paths, lambda job, _: judge(job, expected)) for peer in peers]

    def fetch(self) -> tuple[list[Run], str]:
        limit, entries = LibvipsLimit(self.data / "bin"), self.pictures
        peers = [Calotype(self.calotype, ["--no-cache", "--per-host", "64"])]
        if "--effort" in subprocess.run([self.calotype, "fetch", "--help"], capture_output=True, text=True).stdout:
            fast = Calotype(self.calotype, ["--no-cache", "--per-host", "64", "--effort", "fast"])
            fast.name = "calotype fetch --effort fast"
            peers.append(fast)
        with Nginx(self.folder) as nginx:
            urls = [nginx.url(entry["name"]) for entry in entries]
            paths = [self.folder / entry["name"] for entry in entries]
            examine = lambda job, _: judge(job, dict(enumerate(entries)))
            runs = self.play("fetch", [Contestant(peer.name, peer, urls, paths, examine) for peer in [*peers, limit]])
        self.goal(f"fetch: CPU by that of {LIMIT}", self.cpu(runs, peers[0].name, LIMIT), 0.72)
        return runs, "\n\n".join([rounds.table(runs, LIMIT, len(entries)) + per_thousand(runs, len(entries)), found(runs)])

    def isolate(self) -> tuple[list[Run], str]:
        entries = self.of_format("JPEG")[:SIZES_PICTURES]
        paths = [self.folder / entry["name"] for entry in entries]
        here, there = "in the process", "in workers"
        runs = self.play(
            "isolate",
            [
                Contestant(here, self.ours(here, "--libvips", "--threads", "1"), [], paths),
                Contestant(there, self.ours(there, "--libvips", "--threads", "1", "--isolate", "all"), [], paths),
            ],
            TIMES_OF_FEW,
        )
        walls = {name: [run.wall for run in runs if run.contestant == name] for name in (here, there)}
        cost = statistics.median(other - one for one, other in zip(walls[here], walls[there]))
        self.goal("isolate: wall time more for each picture", 1000 * cost / len(entries), 1, " ms")
        return runs, rounds.table(runs, here, len(entries))

    def sizes(self) -> tuple[list[Run], str]:
        entries = self.of_format("JPEG")[:SIZES_PICTURES]
        paths = [self.folder / entry["name"] for entry in entries]
        one, two, three = "1024", "512,1024", "256,512,1024"
        runs = self.play(
            "sizes",
            [Contestant(sizes, self.ours(sizes, "--sizes", sizes), [], paths) for sizes in (one, two, three)],
            TIMES_OF_FEW,
        )
        second, both = self.cpu(runs, two, one) - 1, self.cpu(runs, three, one) - 1
        self.goal("sizes: CPU of 512 px beside 1,024 px, by that of 1,024 px", second, 0.25)
        self.goal("sizes: CPU of each of 256 and 512 px beside 1,024 px, by that of 1,024 px", both / 2, 0.25)
        return runs, rounds.table(runs, one, len(entries))

    def memory(self) -> tuple[list[Run], str]:
        pictures = Vast(self.data).photos(CROWD)
        seen = [crowd.measure(self.program, pictures, self.extra) for _ in range(self.rounds)]
        above = statistics.median(one.peak_bytes - one.idle_bytes for one in seen)
        self.goal(f"memory: {CROWD} decodes of 50 megapixels at once, above idle", above / 1e6, CROWD_BYTES / 1e6, " MB")
        lines = ["| idle MB | peak MB | above MB | after MB | wall s | |", "|---|---|---|---|---|---|"]
        for one in seen:
            values = (one.idle_bytes, one.peak_bytes, one.peak_bytes - one.idle_bytes, one.after_bytes)
            lines.append(f"| {' | '.join(f'{value / 1e6:.1f}' for value in values)} | {one.wall:.2f} | {one.summary} |")
        return [], "\n".join(lines)

    def profile(self) -> tuple[list[Run], str]:
        sections = []
        for format, word in (("JPEG", "jpeg"), ("PNG", "png"), ("WEBP", "webp")):
            entries = self.of_format(format)
            if not entries:
                continue
            work = self.data / "runs" / "profile"
            work.mkdir(parents=True, exist_ok=True)
            listed, recording = work / "paths.txt", work / f"{word}.perf"
            recording.unlink(missing_ok=True)
            listed.write_text("".join(f"{self.folder / entry['name']}\n" for entry in entries))
            samples = profile_run.profile([self.program, listed, "-", *self.extra], self.program, recording)
            share = 100 * profile_run.own_share(samples)
            self.goal(f"profile: our own code's share of {word}", share, 5, " %")
            sections += [f"### {word}", profile_run.table(samples)]
        return [], "\n\n".join(sections)

    def vast(self) -> tuple[list[Run], str]:
        """The giants; a refusal is a figure too."""
        runs, sections = [], []
        pillow = Path(__file__).resolve().parents[1] / "fetch" / "pillow_thumbs.py"
        for format in ("jpeg", "png"):
            path = Vast(self.data).giant(format)
            peers = [
                OneFile("calotype thumb", [self.calotype, "thumb", "{path}", "--no-cache", "--size", "256", "--quality", "85", "-o", "{output}"]),
                OneFile("vipsthumbnail", ["vipsthumbnail", "{path}", "--size", "256x256", "--output", "{output}[Q=85,strip]"]),
                OneFile(DRAFT, [sys.executable, pillow, "{list}", "{folder}", "256", "85", "1"]),
            ]  # fmt: skip
            expected = {0: {"width": 30_000, "height": 30_000}}
            contestants = [Contestant(peer.name, peer, [], [path], lambda job, _: judge(job, expected)) for peer in peers]
            some = self.play(f"vast-{format}", contestants)
            runs += some
            sections += [f"### {format}, {path.stat().st_size / 1e6:.0f} MB", rounds.table(some, "vipsthumbnail", 1), found(some)]
        return runs, "\n\n".join(sections)

    def machine(self) -> dict:
        processor = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
        peers = [Calotype(self.calotype, []), LibvipsLimit(self.data / "bin"), PyVips(), PillowDraft()]
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        return {
            "processor": processor.partition(":")[2].strip(),
            "cores": os.cpu_count(),
            "kernel": platform.release(),
            "load at start": Path("/proc/loadavg").read_text().split()[0],
            "images": len(self.pictures),
            "rounds": self.rounds,
            "commit": commit.stdout.strip(),
        } | {peer.name: peer.version() for peer in peers}


def per_thousand(runs: list[Run], images: int) -> str:
    names = dict.fromkeys(run.contestant for run in runs)
    values = (f"{name} {rounds.median(runs, name, lambda run: run.cpu) * 1000 / max(1, images):.2f}" for name in names)
    return "\n\nCPU seconds per 1,000: " + ", ".join(values) + "."


def found(runs: list[Run]) -> str:
    """Says what came out that is not as wanted, by contestant."""
    lines = []
    for name in dict.fromkeys(run.contestant for run in runs):
        worst = min((run.findings for run in rounds.of(runs, name)), key=lambda findings: findings["right"])
        if worst["wrong"] or worst["missing"] or worst["too_many"]:
            lines.append(f"- {name}: {worst['right']} right, {worst['wrong']} of the wrong size, {worst['missing']} missing")
    return "\n".join(lines) or "All contestants made all pictures."


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/bench codec", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--program", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--calotype", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--images", type=int, help="so many pictures of the list instead of all 2,400")
    parser.add_argument("--rounds", type=int, default=3, help="how often each contestant runs; default 3")
    parser.add_argument("--guards", action="store_true", help="only what script/bench guard compares")
    parser.add_argument("--libvips-only", action="store_true", help="ours decodes with libvips alone, as a reference")
    options = parser.parse_args()
    unknown = set(options.parts) - {"report", *PARTS}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return options


def main():
    options = arguments()
    bench = Bench(options)
    machine = bench.machine()
    if float(machine["load at start"]) > 0.5:
        print(f"The machine is busy (load {machine['load at start']}): trust ratios, not times.", file=sys.stderr)
    parts, sections = {}, ["# codec", "\n".join(f"- {key}: {value}" for key, value in machine.items())]
    for part in PARTS if not options.parts else [part for part in PARTS if part in options.parts]:
        parts[part], text = getattr(bench, part)()
        sections += [f"## {part}", text]
    sections += ["## Goals", "\n".join(bench.goals) or "None were measured."]
    report = "\n\n".join(sections) + "\n"
    path = bench.data / "results" / time.strftime("codec-%Y%m%d-%H%M%S")
    rounds.save(path, machine, parts, report)
    print(report)
    print(f"All numbers: {path.with_suffix('.json').relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
