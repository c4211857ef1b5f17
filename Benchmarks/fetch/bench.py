"""`script/bench fetch`: URL lists to 256 px JPEG thumbnails, Calotype beside its peers.

Parts:
  corpus   makes the pictures (the other parts do so too where they are missing; some minutes, once)
  clean    2,400 good URLs: calotype, aiohttp with pyvips, img2dataset, curl -Z and vipsthumbnail, a C program on libvips
           without network
  tiny     4,800 URLs of one tiny picture: what a picture costs besides its pixels, beside aiohttp with pyvips
  bad      147 bad URLs of twelve kinds mixed in: codes, pictures, wall time beside the clean run
  latency  100 ms before each response, beside the run without
  again    the same list with a cache: empty, then warm; all fresh, and all to be asked for but unchanged
  dead     100 URLs to a host that never answers among 1,000 good ones: when was the last good one done?
  long     lists of 10,000 and of --lines URLs of one tiny picture, also in order with a page: peak memory (only when named)
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing but the data folder is written to.
sys.dont_write_bytecode = True
# Last: some of the trials' modules are called like some of these.
sys.path.append(str(ROOT / "Tests" / "RealInput"))

from PIL import Image  # noqa: E402

import badlist  # noqa: E402
import corpus  # noqa: E402
import rounds  # noqa: E402
from outputs import judge  # noqa: E402
from peers import AiohttpPyvips, CachedCalotype, Calotype, CurlAndVipsthumbnail, Img2dataset, LibvipsLimit  # noqa: E402
from rounds import Contestant  # noqa: E402
from support import bomb  # noqa: E402
from support.faulty import Faulty  # noqa: E402
from support.nginx import Nginx  # noqa: E402
from support.silence import NeverAnswers, Refuses  # noqa: E402

PARTS = ["clean", "tiny", "bad", "latency", "dead", "again"]
EXTRA_PARTS = ["long"]
TIMEOUT_SECONDS = 10
TINY_LINES = 4800


class Bench:
    """What the parts share: the pictures, the programs and the number of rounds."""

    def __init__(self, options: argparse.Namespace):
        self.data = ROOT / "Benchmarks" / ".data"
        self.is_alone = options.parts == ["long"]
        if not self.is_alone:
            self.folder = corpus.ensure(self.data)
            self.pictures = corpus.entries(self.folder)[: options.images]
        self.images = options.images
        self.binary = options.calotype
        self.peers_only = options.peers_only
        self.also_srgb = options.also_srgb
        self.rounds = options.rounds
        self.lines = options.lines
        self.guards = options.guards
        self.goals: list[str] = []

    def calotype(self, *options: str) -> Calotype:
        # The peers keep nothing for a next run either; what that costs and gives is the part `again`.
        return Calotype(self.binary, ["--no-cache", *options])

    def warm(self):
        """Reads every picture once, so that no contestant pays for a cold page cache."""
        for picture in self.pictures:
            (self.folder / picture["name"]).read_bytes()

    def play(self, part: str, contestants: list[Contestant]) -> list[rounds.Run]:
        if part not in ("long", "tiny"):
            self.warm()
        return rounds.play(part, contestants, self.rounds, self.data)

    def clean(self) -> tuple[list[rounds.Run], str]:
        with Nginx(self.folder) as nginx:
            urls = [nginx.url(picture["name"]) for picture in self.pictures]
            paths = [self.folder / picture["name"] for picture in self.pictures]
            examine = lambda job, _: judge(job, dict(enumerate(self.pictures)))
            limit = LibvipsLimit(self.data / "bin")
            aiohttp = AiohttpPyvips()
            peers = [aiohttp] if self.guards else [aiohttp, limit, Img2dataset(), CurlAndVipsthumbnail()]
            if self.also_srgb:
                peers.append(LibvipsLimit(self.data / "bin", srgb=True))
            if not self.peers_only:
                peers.insert(0, self.calotype("--per-host", "64"))
            # img2dataset has folders and names of its own.
            contestants = [
                Contestant(peer.name, peer, urls, paths, counted if isinstance(peer, Img2dataset) else examine) for peer in peers
            ]
            runs = self.play("clean", contestants)
        if not self.peers_only:
            self.goal(runs, "clean", aiohttp.name, 0.73)
        return runs, rounds.table(runs, aiohttp.name if self.guards else limit.name, len(urls)) + pictures_line(runs)

    def goal(self, runs: list[rounds.Run], part: str, peer: str, most: float):
        value = rounds.ratio(runs, Calotype.name, peer, lambda run: run.cpu)
        word = "held" if value <= most else "MISSED"
        self.goals.append(f"- {word}: fetch {part}: CPU by that of {peer}: {value:.2f}, at most {most:.2f}")

    def tiny(self) -> tuple[list[rounds.Run], str]:
        with Nginx(self.tiny_folder()) as nginx:
            urls = [nginx.url(f"tiny.png?{number}") for number in range(TINY_LINES)]
            aiohttp = AiohttpPyvips()
            peers = [self.calotype("--per-host", "64"), aiohttp]
            runs = self.play("tiny", [Contestant(peer.name, peer, urls, [], counted) for peer in peers])
        self.goal(runs, "tiny", aiohttp.name, 0.1)
        return runs, rounds.table(runs, aiohttp.name, len(urls))

    def tiny_folder(self) -> Path:
        folder = self.data / "tiny"
        folder.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((16, 16), 80).save(folder / "tiny.png")
        return folder

    def bad(self) -> tuple[list[rounds.Run], str]:
        bomb.write_bomb(self.folder / "bomb.png")
        with Nginx(self.folder) as nginx, Faulty(self.folder) as faulty, Refuses() as refuses:
            mixed = badlist.lines(self.pictures, nginx.url, faulty, refuses, corpus.SEED)
            wanted = {index: line.picture for index, line in enumerate(mixed) if line.picture}
            peer = self.calotype("--per-host", "64", "--timeout", str(TIMEOUT_SECONDS), "--retries", "0")

            def examine_bad(job, _):
                return judge(job, wanted) | {"codes": badlist.tally(mixed, read_report(job.report))}

            clean = [line.url for line in mixed if line.kind == "good"]
            runs = self.play(
                "bad",
                [
                    Contestant("clean", peer, clean),
                    Contestant("with bad URLs", peer, [line.url for line in mixed], [], examine_bad),
                ],
            )
        seen = runs[-1].findings["codes"]
        all_wrong = sum(badlist.wrong(run.findings["codes"]) for run in runs if "codes" in run.findings)
        pairs = zip(rounds.of(runs, "with bad URLs"), rounds.of(runs, "clean"))
        beyond = statistics.median((bad.wall - TIMEOUT_SECONDS) / clean.wall for bad, clean in pairs)
        text = [
            rounds.table(runs, "clean", len(clean)) + pictures_line(runs),
            badlist.table(seen),
            f"Wrong codes in all runs: {all_wrong}. Without one time-out of {TIMEOUT_SECONDS} s for the last slow URL the "
            f"run with bad URLs takes {beyond:.2f} times the clean one.",
        ]
        return runs, "\n\n".join(text)

    def latency(self) -> tuple[list[rounds.Run], str]:
        with Nginx(self.folder) as near, Nginx(self.folder, latency=0.1) as far:
            peer = self.calotype("--per-host", "64")
            examine = lambda job, _: judge(job, dict(enumerate(self.pictures)))
            runs = self.play(
                "latency",
                [
                    Contestant(name, peer, [origin.url(picture["name"]) for picture in self.pictures], [], examine)
                    for name, origin in (("no latency", near), ("100 ms", far))
                ],
            )
        return runs, rounds.table(runs, "no latency", len(self.pictures)) + pictures_line(runs)

    def dead(self) -> tuple[list[rounds.Run], str]:
        good = self.pictures[:1000]
        with Nginx(self.folder) as nginx, NeverAnswers() as dead:
            urls = [nginx.url(picture["name"]) for picture in good]
            # One dead URL before every tenth good one: they are met from the first moment.
            mixed, wanted = [], {}
            for index, url in enumerate(urls):
                if index % 10 == 0:
                    mixed.append(dead.url(f"{index}.jpg"))
                wanted[len(mixed)] = good[index]
                mixed.append(url)
            # The default of connections per host: what is tried is that a dead host holds no more than its share.
            peer = self.calotype("--retries", "0")

            def examine(expected):
                return lambda job, started: judge(job, expected) | {"last_good_s": last_written(job, started)}

            runs = self.play(
                "dead",
                [
                    Contestant("good alone", peer, urls, [], examine(dict(enumerate(good)))),
                    Contestant("with dead", peer, mixed, [], examine(wanted)),
                ],
            )
        last = lambda run: run.findings["last_good_s"]
        text = (
            f"The last good picture was there after {rounds.median(runs, 'good alone', last):.2f} s alone, "
            f"{rounds.median(runs, 'with dead', last):.2f} s with 100 dead URLs among them "
            f"(x {rounds.ratio(runs, 'with dead', 'good alone', last):.2f})."
        )
        return runs, rounds.table(runs, "good alone", len(good)) + pictures_line(runs) + "\n\n" + text

    def again(self) -> tuple[list[rounds.Run], str]:
        expected = dict(enumerate(self.pictures))

        def examine(job, _):
            lines = read_report(job.report)
            uses = {use: sum(line["cache"] == use for line in lines) for use in ("miss", "hit", "revalidated")}
            decoded = sum(line["ms"]["decode"] > 0 for line in lines if line["ms"])
            return judge(job, expected) | uses | {"requests": sum(line["attempts"] for line in lines), "decoded": decoded}

        with Nginx(self.folder, cache="max-age=3600") as fresh, Nginx(self.folder, cache="no-cache") as stale:
            contestants = []
            for word, origin in (("fresh", fresh), ("to be asked for", stale)):
                urls = [origin.url(picture["name"]) for picture in self.pictures]
                cache = self.data / "caches" / word.replace(" ", "-")
                for name, starts_empty in ((f"{word}: cold", True), (f"{word}: again", False)):
                    peer = CachedCalotype(self.binary, ["--per-host", "64"], cache, starts_empty)
                    contestants.append(Contestant(name, peer, urls, [], examine))
            contestants.insert(0, Contestant("no cache", self.calotype("--per-host", "64"), urls, [], examine))
            self.warm()
            runs = rounds.play("again", contestants, self.rounds, self.data, keeps_files=True)
        return runs, rounds.table(runs, "fresh: cold", len(self.pictures)) + pictures_line(runs) + cache_lines(runs)

    def long(self) -> tuple[list[rounds.Run], str]:
        short = min(10_000, self.lines)
        full = ["--order", "input", "--contact-sheet", str(self.data / "long.html")]
        with Nginx(self.tiny_folder()) as nginx:
            urls = [nginx.url(f"tiny.png?{number}") for number in range(self.lines)]
            runs = self.play(
                "long",
                [
                    Contestant(name, self.calotype(*options), list_, [], lambda job, _: {"lines": count_lines(job.report)})
                    for name, options, list_ in (
                        (f"{short} lines", [], urls[:short]),
                        (f"{self.lines} lines", [], urls),
                        (f"{self.lines} lines in order, with a page", full, urls),
                    )
                ],
            )
        peak = lambda name: rounds.median(runs, name, lambda run: run.peak_bytes)
        text = [f"| list | peak MB | / {short} lines | CPU ms a line |", "|---|---|---|---|"]
        for name in dict.fromkeys(run.contestant for run in runs):
            cost = rounds.median(runs, name, lambda run: run.cpu / run.findings["lines"] * 1000)
            text.append(f"| {name} | {peak(name) / 1e6:.0f} | {peak(name) / peak(f'{short} lines'):.2f} | {cost:.2f} |")
        return runs, "\n".join(text)

    def machine(self) -> dict:
        processor = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
        peers = [] if self.is_alone else [LibvipsLimit(self.data / "bin"), AiohttpPyvips(), Img2dataset(), CurlAndVipsthumbnail()]
        if not self.peers_only:
            peers.insert(0, self.calotype())
        return {
            "processor": processor.partition(":")[2].strip(),
            "cores": os.cpu_count(),
            "kernel": platform.release(),
            "load at start": Path("/proc/loadavg").read_text().split()[0],
            "images": self.images,
            "rounds": self.rounds,
        } | {peer.name: peer.version() for peer in peers}


def counted(job: rounds.Job, _: float) -> dict:
    """Returns how many outputs there are, whatever their names and sizes."""
    return {"right": len(list(job.output.rglob("*.jpg"))), "wrong": 0, "missing": 0, "too_many": 0}


def read_report(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def count_lines(path: Path) -> int:
    with path.open("rb") as lines:
        return sum(1 for _ in lines)


def last_written(job: rounds.Job, started: float) -> float:
    return max((path.stat().st_mtime for path in job.output.iterdir()), default=float("nan")) - started


def pictures_line(runs: list[rounds.Run]) -> str:
    """Says what came out, by contestant; the worst of its runs."""
    lines = ["", ""]
    for name in dict.fromkeys(run.contestant for run in runs):
        found = [run.findings for run in rounds.of(runs, name) if "right" in run.findings]
        if found:
            worst = min(found, key=lambda findings: (findings["right"], -findings["too_many"]))
            lines.append(
                f"- {name}: {worst['right']} right pictures, {worst['wrong']} of the wrong size, "
                f"{worst['missing']} missing, {worst['too_many']} that should not be there"
            )
    return "\n".join(lines)


def cache_lines(runs: list[rounds.Run]) -> str:
    """Says of each contestant's last run what the cache did."""
    last = {run.contestant: run.findings for run in runs}
    keys = ["miss", "hit", "revalidated", "requests", "decoded"]
    lines = [f"- {name}: " + ", ".join(f"{found[key]} {key}" for key in keys) for name, found in last.items()]
    return "\n\n" + "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/bench fetch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help="parts to run; all but long when none is named")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each contestant, in turn (default: 3)")
    parser.add_argument("--images", type=int, default=2400, help="use only the first so many pictures (default: 2400)")
    parser.add_argument("--lines", type=int, default=1_000_000, help="long part: URLs of the long list (default: 1000000)")
    parser.add_argument(
        "--calotype",
        type=Path,
        default=ROOT / ".build" / "release" / "calotype",
        help="the binary to measure (default: the release build of this repository)",
    )
    parser.add_argument("--guards", action="store_true", help="clean part: only the peers that script/bench guard needs")
    parser.add_argument("--also-srgb", action="store_true", help="clean part: the C program with sRGB conversion as well")
    parser.add_argument("--peers-only", action="store_true", help="clean part without calotype, to try the harness")
    options = parser.parse_args()
    unknown = set(options.parts) - {"corpus", *PARTS, *EXTRA_PARTS}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are corpus, {', '.join(PARTS + EXTRA_PARTS)}")
    return options


def main():
    options = arguments()
    if options.parts == ["corpus"]:
        print(corpus.summary(corpus.ensure(ROOT / "Benchmarks" / ".data")))
        return
    if not options.peers_only and not options.calotype.exists():
        raise SystemExit(f"{options.calotype} is not there: swift build -c release --static-swift-stdlib")
    bench = Bench(options)
    machine = bench.machine()
    if float(machine["load at start"]) > 0.5:
        print(f"The machine is busy (load {machine['load at start']}): trust ratios, not times.", file=sys.stderr)
    parts, sections = {}, ["# fetch", "\n".join(f"- {key}: {value}" for key, value in machine.items())]
    # Without calotype there is one part that has anybody to run.
    named = [part for part in PARTS + EXTRA_PARTS if part in (options.parts or PARTS)]
    for part in ["clean"] if options.peers_only else named:
        parts[part], text = getattr(bench, part)()
        sections += [f"## {part}", text]
    sections += ["## Goals", "\n".join(bench.goals)] if bench.goals else []
    report = "\n\n".join(sections) + "\n"
    path = bench.data / "results" / time.strftime("fetch-%Y%m%d-%H%M%S")
    rounds.save(path, machine, parts, report)
    print(report)
    print(f"All numbers: {path.with_suffix('.json').relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
