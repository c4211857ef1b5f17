"""Measures `calotype dataset` beside img2dataset and Daft, and under what long lists bring with them.

Parts:
  clean  pictures from nginx to shards of 256 by 256: calotype, img2dataset, Daft (which keeps no aspect ratio)
  bad    the same list with 6 % bad URLs, whose hosts are dead or silent, and pages that are missing
  hosts  500 hosts of which 200 are dead, silent or rude, at a rate per host; what the good ones have seen
  long   a long list of tiny pictures with five kills: memory, and each URL once

Only clean and bad have peers. The pictures are those of script/bench fetch, as often as it takes.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Benchmarks" / "fetch"), str(ROOT / "Tests" / "RealInput")]

import corpus  # noqa: E402
import rounds  # noqa: E402
from peers import Calotype, Img2dataset, Job, environment, packages_of, peer_python  # noqa: E402
from PIL import Image  # noqa: E402
from rounds import Contestant  # noqa: E402
from support.nginx import Nginx  # noqa: E402
from support.silence import NeverAnswers, Refuses  # noqa: E402

PARTS = ["clean", "bad", "hosts", "long"]
SHARD = 1000
KILLS = 5
# Kinds of hosts, as Benchmarks/dataset/hosts.py has them.
HOSTS = {"good": 300, "refused": 80, "full": 40, "silent": 40, "rude": 40}
RATE, PER_HOST = 2, 8


class Dataset(Calotype):
    name = "calotype dataset"

    def command(self, job: Job) -> list:
        return [
            self.binary, "dataset", job.urls, job.output / "shards", "--allow-private", "--quiet", "--no-exif",
            "--number-sample-per-shard", SHARD, *self.options,
        ]  # fmt: skip


class Img2datasetShards(Img2dataset):
    def __init__(self, *options: str):
        self.options = options

    def command(self, job: Job) -> list:
        return [
            peer_python().with_name("img2dataset"), f"--url_list={job.urls}", f"--output_folder={job.output / 'shards'}",
            "--input_format=txt", "--output_format=webdataset", "--processes_count=2", "--thread_count=64", "--image_size=256",
            "--extract_exif=False", f"--number_sample_per_shard={SHARD}", "--enable_wandb=False", *self.options,
        ]  # fmt: skip


class Daft:
    name = "Daft"

    def command(self, job: Job) -> list:
        python = packages_of("daft") / "bin" / "python"
        return [python, "-W", "ignore", Path(__file__).with_name("daft_table.py"), job.urls, job.output / "table"]

    def version(self) -> str:
        return "daft 0.7.26"


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.data = ROOT / "Benchmarks" / ".data"
        self.binary, self.rounds, self.images, self.lines = options.calotype, options.rounds, options.images, options.lines
        self.per_host = options.per_host
        self.goals: list[str] = []

    def goal(self, what: str, value: float, most: float):
        self.goals.append(f"- {'held' if value <= most else 'MISSED'}: {what}: {value:.2f}, at most {most:.2f}")

    def web(self, nginx: Nginx) -> list[str]:
        entries = corpus.entries(nginx.root)
        for entry in entries:
            (nginx.root / entry["name"]).read_bytes()
        return [nginx.url(f"{entries[number % len(entries)]['name']}?{number}") for number in range(self.images)]

    def clean(self) -> tuple[list, str]:
        with Nginx(corpus.ensure(self.data)) as nginx:
            urls = self.web(nginx)
            peers = [Dataset(self.binary, ["--per-host", "64"]), Img2datasetShards(), Daft()]
            runs = rounds.play("dataset", [Contestant(peer.name, peer, urls, [], count) for peer in peers], self.rounds, self.data)
        mine, theirs = Dataset.name, Img2dataset.name
        self.goal("clean: CPU by that of img2dataset", rounds.ratio(runs, mine, theirs, lambda run: run.cpu), 1 / 2.2)
        self.goal("clean: memory by that of img2dataset", rounds.ratio(runs, mine, theirs, lambda run: run.peak_bytes), 0.25)
        self.goal("clean: CPU by that of Daft", rounds.ratio(runs, mine, Daft.name, lambda run: run.cpu), 1)
        missing = self.images - rounds.median(runs, mine, lambda run: run.findings["samples"])
        self.goal("clean: missing samples", missing, 0)
        return runs, rounds.table(runs, theirs, self.images)

    def bad(self) -> tuple[list, str]:
        with Nginx(corpus.ensure(self.data)) as nginx, NeverAnswers() as silent, Refuses() as refuses:
            urls = self.web(nginx)
            kinds = [silent.url, refuses.url, lambda name: nginx.url(f"missing-{name}"), lambda name: f"http://{name}.invalid/"]
            mixed = urls + [kinds[number % 4](str(number)) for number in range(round(len(urls) * 0.06))]
            random.Random(corpus.SEED).shuffle(mixed)
            quick = ["--per-host", "64", "--timeout", "10"]
            lists = [
                Contestant("clean", Dataset(self.binary, quick), urls, [], count),
                Contestant("6 % bad", Dataset(self.binary, quick), mixed, [], count),
                Contestant("img2dataset, clean", Img2datasetShards("--timeout=10"), urls, [], count),
                Contestant("img2dataset, 6 % bad", Img2datasetShards("--timeout=10"), mixed, [], count),
            ]
            runs = rounds.play("dataset-bad", lists, self.rounds, self.data)
        self.goal("bad: wall time by that of the clean list", rounds.ratio(runs, "6 % bad", "clean", lambda run: run.wall), 1.15)
        return runs, rounds.table(runs, "clean", self.images)

    def hosts(self) -> tuple[list, str]:
        picture = self.data / "tiny.jpg"
        self.data.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((64, 48), 80).save(picture)
        program = Path(__file__).with_name("hosts.py")
        origin = subprocess.Popen(
            [sys.executable, program, picture, *map(str, HOSTS.values())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            port = int(origin.stdout.readline())
            urls = [
                f"http://127.{kind}.{number // 250}.{number % 250 + 1}:{port}/{picture}.jpg"
                for kind, count in enumerate(HOSTS.values(), 1) for number in range(count) for picture in range(self.per_host)
            ]
            random.Random(1).shuffle(urls)
            peer = Dataset(self.binary, ["--rate-per-host", str(RATE), "--per-host", str(PER_HOST)])
            start = time.monotonic()
            runs = rounds.play("dataset-hosts", [Contestant("500 hosts", peer, urls, [], count)], 1, self.data)
            seen = json.loads(origin.communicate("")[0])
        finally:
            origin.kill()
            origin.wait()
        run = runs[0]
        ideal = max(self.per_host / RATE, run.cpu / (os.cpu_count() or 1))
        # The dead hosts have a last chance after that.
        good = seen["end"] - start
        self.goal("hosts: time of the good hosts by the ideal one", good / ideal, 1.2)
        self.goal("hosts: good samples that are missing", HOSTS["good"] * self.per_host - run.findings["samples"], 0)
        self.goal("hosts: most requests to a host at a time", max(seen["most_active"]), PER_HOST)
        # One more, because the origin notes them when it reads them.
        self.goal("hosts: most requests to a host in a second", max(seen["most_in_second"]), RATE + 1)
        return runs, f"good hosts {good:.1f} s, ideal {ideal:.1f} s, all {run.wall:.1f} s; {run.cpu:.1f} s of CPU, {run.peak_bytes / 1e6:.0f} MB"

    def long(self) -> tuple[list, str]:
        folder = self.data / "tiny"
        folder.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((64, 48), 80).save(folder / "tiny.jpg")
        scratch = self.data / "runs" / "dataset-long"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        with Nginx(folder) as nginx:
            (scratch / "urls.txt").write_text("".join(f"{nginx.url('tiny.jpg')}?{n}\n" for n in range(self.lines)))
            job = Job(scratch / "urls.txt", scratch, scratch, scratch)
            command = [*map(str, Dataset(self.binary, ["--per-host", "64"]).command(job))]
            command[command.index(str(SHARD))] = "10000"
            shards = -(-self.lines // 10_000)
            chance = random.Random(1)
            stops = sorted(chance.uniform(0.05, 0.95) * shards for _ in range(KILLS))
            started, samples = time.monotonic(), []
            for stop in [*stops, None]:
                samples.append(self.follow(command, scratch, stop))
            wall = time.monotonic() - started
        numbers = (int(json.loads(line)["url"].rpartition("?")[2]) for file in sorted((scratch / "shards").glob("*.jsonl"))
                   for line in open(file))
        right = all(number == place for place, number in enumerate(numbers)) and len(
            list((scratch / "shards").glob("*.tar"))) == shards
        # Memory falls after each shard, so each has a peak. The first seconds of each run fill the window.
        peaks = sorted(peak for run in samples for peak in list(run.values())[len(run) // 4 :])
        highest = max(max(run.values(), default=0) for run in samples)
        self.goal("long: peak MB", highest / 1e6, 150)
        self.goal("long: largest by median peak between two shards, without the first quarter of each run", peaks[-1] / peaks[len(peaks) // 2], 1.1)
        self.goal("long: lists that are not complete", 0 if right else 1, 0)
        shutil.rmtree(scratch, ignore_errors=True)
        return [], f"{self.lines} lines, {KILLS} kills: {wall:.0f} s, {self.lines / wall:.0f} lines/s, {highest / 1e6:.0f} MB at most"

    @staticmethod
    def follow(command: list[str], scratch: Path, stop: float | None) -> dict[int, int]:
        """Runs `command` until `stop` shards are there, or to its end; returns its largest memory with each number of shards."""
        peaks = {}
        with open(scratch / "log.txt", "ab") as log:
            process = subprocess.Popen(command, env=environment(scratch), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            pause = threading.Event()
            while process.poll() is None:
                shards = len(list((scratch / "shards").glob("*.tar")))
                for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
                    if line.startswith("VmRSS"):
                        peaks[shards] = max(peaks.get(shards, 0), int(line.split()[1]) * 1024)
                if stop is not None and shards >= stop:
                    process.kill()
                pause.wait(0.2)
        if stop is None and process.returncode != 0:
            raise SystemExit((scratch / "log.txt").read_text()[-2000:])
        return peaks


def count(job: Job, _: float) -> dict:
    """Returns the number of samples with a picture; Daft writes a table instead of shards, whose rows are not counted."""
    if not (job.output / "shards").exists():
        return {}
    successes = [json.loads(path.read_text())["successes"] for path in job.output.glob("shards/*_stats.json")]
    return {"samples": sum(successes)}


def main():
    parser = argparse.ArgumentParser(
        prog="script/bench dataset", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help="parts to run; all when none is named")
    parser.add_argument("--rounds", type=int, default=1, help="clean, bad: runs of each contestant, in turn (default: 1)")
    parser.add_argument("--images", type=int, default=20_000, help="clean, bad: number of pictures (default: 20000)")
    parser.add_argument("--lines", type=int, default=1_000_000, help="long: URLs of the list (default: 1000000)")
    parser.add_argument("--per-host", type=int, default=200, help="hosts: pictures of each host (default: 200)")
    parser.add_argument("--calotype", type=Path, default=ROOT / ".build" / "release" / "calotype", help="the binary to measure")
    options = parser.parse_args()
    if not set(options.parts) <= set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}")
    bench = Bench(options)
    machine = {
        "cores": os.cpu_count(), "load at start": Path("/proc/loadavg").read_text().split()[0],
        "calotype": Dataset(options.calotype, []).version(), "images": options.images, "lines": options.lines,
    }
    parts, sections = {}, ["# dataset", "\n".join(f"- {key}: {value}" for key, value in machine.items())]
    for part in [part for part in PARTS if part in (options.parts or PARTS)]:
        parts[part], text = getattr(bench, part)()
        sections += [f"## {part}", text]
    report = "\n\n".join([*sections, "## Goals", "\n".join(bench.goals)]) + "\n"
    rounds.save(bench.data / "results" / time.strftime("dataset-%Y%m%d-%H%M%S"), machine, parts, report)
    print(report)
    sys.exit(any(goal.startswith("- MISSED") for goal in bench.goals))


if __name__ == "__main__":
    main()
