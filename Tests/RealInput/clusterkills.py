"""Makes a dataset on a Ray cluster of three nodes whose parts are killed; each line must be in exactly one shard in the end.

    Tests/RealInput/clusterkills.py PATH_TO_CALOTYPE [ROUNDS [SEED]]

Runs in the environment `ray` of servers/cache.py. It fills the scratch folder of one worker, kills a worker three times and another
one within a commit, an actor, a raylet and the driver, and stops another raylet, at moments that the seed chooses; seed and victims
are printed.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

from support import preload  # noqa: E402
from support.checks import Checks, eventually  # noqa: E402
from support.slowhosts import SlowHosts  # noqa: E402

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "src"
SHARDS, PER_SHARD, HOSTS, NODES = 250, 16, 20, 3
TAIL_AFTER = 150  # each host has about 200
RATE, CONNECTIONS, LEASE = 10, 4, 10
STORE = 75 << 20  # the smallest that Ray takes
LIMIT = 300  # seconds
# Before the cluster starts. Nodes are found dead sooner than in production; Ray must not end actors because the machine is full.
SETTINGS = {
    # On loopback alone: see local_cluster in calotype.ray.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0", "RAY_enable_metrics_collection": "0", "RAY_memory_monitor_refresh_ms": "0",
    "RAY_DEDUP_LOGS": "0", "RAY_health_check_initial_delay_ms": "1000", "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "3000", "RAY_health_check_failure_threshold": "5", "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip
ACTS = ["disk", "worker", "actor", "worker", "commit", "raylet", "driver", "worker", "stop"]
# The disk of the first worker can be full; the others can be killed before a call that names a file.
WORKER = """#!/bin/sh
export LD_PRELOAD={library} FAULT_NUMBER={number} FAULT_LASTS=on
if mkdir {scratch}/first 2>/dev/null; then
    export FAULT_NUMBER=1 FAULT_FOLDER={scratch}/journals FAULT_CALLS=open,write,pwrite,ftruncate,mkdir FAULT_ERROR=ENOSPC
    export FAULT_AFTER={scratch}/disk FAULT_LOG={scratch}/disk.log
else
    export FAULT_FOLDER={scratch}/set FAULT_CALLS=link,rename FAULT_ERROR=kill
    export FAULT_AFTER={scratch}/commit FAULT_LOG={scratch}/commit.log
fi
exec {binary} "$@"
"""


class Trial:
    """A cluster, a driver, and what is done to them."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: SlowHosts, seed: int):
        self.checks, self.binary, self.scratch, self.origin = checks, binary, scratch, origin
        self.chance = random.Random(seed)
        self.folder = scratch / "set"
        #: When limits of hosts need not hold.
        self.kills: list[tuple[float, float]] = []

    def run(self):
        from ray.cluster_utils import Cluster

        urls = [self.origin.url(number) for number in range(SHARDS * PER_SHARD - 3)]
        (self.scratch / "urls.txt").write_text("\n".join(urls))
        self.calotype(
            "dataset", "plan", self.scratch / "urls.txt", self.folder, "--number-sample-per-shard", PER_SHARD, "--image-size", 64,
            "--tail-after", TAIL_AFTER, "--rate-per-host", RATE, "--per-host", CONNECTIONS, "--allow-private", "--no-exif",
        )  # fmt: skip
        worker = self.scratch / "calotype"
        # A commit names three files and the statistics.
        worker.write_text(WORKER.format(
            library=preload.built("faults", self.scratch), scratch=self.scratch, binary=self.binary, number=self.chance.randint(1, 5)
        ))
        worker.chmod(0o755)
        os.environ["CALOTYPE_BINARY"] = str(worker)
        # Ray writes the address of a cluster there, and makes the folder only for clusters that have no other.
        (Path(tempfile.gettempdir()) / "ray").mkdir(exist_ok=True)
        loopback = {"object_store_memory": STORE, "node_ip_address": "127.0.0.1"}
        self.cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False, "temp_dir": str(self.scratch / "ray"), **loopback},
        )
        self.node = {"num_cpus": 1, "wait": False, **loopback}
        try:
            self.nodes = [self.cluster.add_node(**self.node) for _ in range(NODES)]
            self.cluster.wait_for_nodes(60)
            self.driver = self.start()
            for number, act in enumerate(ACTS):
                share = (number + self.chance.uniform(0.3, 1)) / (len(ACTS) + 1)
                if not eventually(lambda: self.done >= share * SHARDS or self.driver.poll() is not None, LIMIT, 0.01):
                    break
                self.act(act)
            code = self.driver.wait(LIMIT)
            self.checks.equal("the driver ends", code, 0, (self.scratch / "driver.err").read_text()[-2000:])
        finally:
            self.end()
        self.check(urls)

    @property
    def done(self) -> int:
        return sum(name.endswith("_stats.json") for name in os.listdir(self.folder))

    @property
    def tail(self) -> int:
        """The number of shards for large hosts."""
        return int(re.search(r"^tail-shards (\d+)$", (self.folder / ".calotype" / "plan" / "manifest").read_text(), re.MULTILINE)[1])

    def start(self) -> subprocess.Popen:
        with open(self.scratch / "driver.err", "a") as errors, open(self.scratch / "driver.out", "a") as out:
            return subprocess.Popen(
                [sys.executable, "-m", "calotype.ray", self.folder, "--address", self.cluster.address, "--slots", "8",
                 "--progress", "json", "--scratch", self.scratch / "journals"],
                stdout=out, stderr=errors, stdin=subprocess.DEVNULL,
            )  # fmt: skip

    def workers(self) -> list[tuple[int, int]]:
        """The workers of this trial and their actors, by number."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                state, parent = (path / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if words[1:3] == [b"worker", str(self.folder).encode()] and state != "Z":
                found.append((int(path.name), int(parent)))
        return sorted(found)

    def act(self, what: str):
        """Fills a disk or kills something, and says what."""
        victim = None
        if what in ("disk", "commit"):
            trigger, log = self.scratch / what, self.scratch / f"{what}.log"
            trigger.touch()
            struck = eventually(lambda: log.exists() and log.read_text(), LIMIT / 5, 0.01)
            trigger.unlink(missing_ok=True)
            self.checks.that(f"a call fails: {what}", struck, "no call failed")
            victim = log.read_text().splitlines()[0] if struck else None
        elif what == "driver":
            victim = self.driver.pid
            self.driver.kill()
            self.driver.wait()
            self.driver = self.start()
        elif what in ("worker", "actor"):
            workers = self.workers()
            if workers:
                victim = self.chance.choice(workers)[what == "actor"]
                if victim > 1:
                    os.kill(victim, signal.SIGKILL)
        elif what in ("raylet", "stop"):
            node = self.nodes.pop(self.chance.randrange(len(self.nodes)))
            victim = node.all_processes["raylet"][0].process.pid
            if what == "stop":
                os.kill(victim, signal.SIGSTOP)
                self.stopped = (node, victim)
            else:
                self.cluster.remove_node(node, allow_graceful=False)
            self.nodes.append(self.cluster.add_node(**self.node))
        if what == "driver":
            # The next one does not know what workers of the last one may still send.
            now = time.monotonic()
            self.kills.append((now, now + LEASE + 2))
        print(f"  {what} {victim} at {self.done} shards", flush=True)

    def end(self):
        if getattr(self, "driver", None) and self.driver.poll() is None:
            self.driver.kill()
            self.driver.wait()
        if hasattr(self, "stopped"):
            os.kill(self.stopped[1], signal.SIGCONT)
        self.cluster.shutdown()
        # A worker whose raylet was stopped or killed ends with its lease or its actor.
        self.checks.that("no worker is left", eventually(lambda: not self.workers(), 60, 0.1), self.workers())

    def check(self, urls: list[str]):
        self.calotype("dataset", "gc", self.folder, "--older-than", 0)
        self.calotype("dataset", "verify", self.folder)
        # A worker that starts removes what killed ones have left on this machine's disk.
        self.calotype("worker", self.folder, "--scratch", self.scratch / "journals")
        self.checks.equal("no journal is left", os.listdir(self.scratch / "journals"), [])
        rows = []
        for path in sorted(self.folder.glob("*.jsonl")):
            rows += [json.loads(line) for line in path.read_text().splitlines()]
        self.checks.equal("each line is in one shard", Counter(row["url"] for row in rows), Counter(urls))
        planned = []
        for path in sorted((self.folder / ".calotype" / "plan").glob("*.jsonl")):
            planned += [json.loads(line)["url"] for line in path.read_text().splitlines()]
        hosts = Counter(url.split("/")[2] for url in planned[: len(planned) - self.tail * PER_SHARD])
        self.checks.that("large hosts have a tail", self.tail > 0 and max(hosts.values()) <= TAIL_AFTER, (self.tail, hosts))
        numbers = {url: number for number, url in enumerate(urls)}
        digits = len(str(PER_SHARD - 1))
        wrong = []
        for number, row in enumerate(rows):
            shard, place = divmod(number, PER_SHARD)
            url = planned[number]
            status, digest = self.origin.expected(numbers[url])
            key = f"{shard * 10**digits + place:0{digits + 5}}"
            if (row["url"], row["key"], row["status"], row["sha256"] or "") != (url, key, status, digest):
                wrong.append((number, row))
        self.checks.equal("keys, hashes and statuses are those of the plan", wrong[:3], [])
        left = sorted(name for name in os.listdir(self.folder / ".calotype") if not name.endswith(".commit"))
        self.checks.equal("nothing is left besides the plan", left, ["locks", "plan", "settings"])
        self.checks.equal("no other file", len(os.listdir(self.folder)), 5 * SHARDS + 1)
        logs = self.origin.logs
        # While the origin stood, it did not see that requests had ended.
        kills = [(begin, end + self.origin.longest_lag) for begin, end in self.kills]
        at_once = {host: log.most_at_once(kills) for host, log in logs.items()}
        self.checks.that("no host had more requests at a time", max(at_once.values()) <= CONNECTIONS, at_once)
        window = 10
        rates = {host: log.most_within(window, self.kills) for host, log in logs.items()}
        # Each node may begin with one, and a busy machine delivers requests late: those in flight, and all while the origin stood.
        most = RATE * (window + self.origin.longest_lag) * 1.05 + NODES + CONNECTIONS
        self.checks.that("no host had more requests a second", max(rates.values()) <= most, rates)
        print(f"  {sum(len(log.spans) for log in logs.values())} requests, at once {max(at_once.values())} of {CONNECTIONS}, "
              f"in {window} s {max(rates.values())} of {most:.0f}", flush=True)  # fmt: skip

    def calotype(self, *arguments):
        done = subprocess.run(
            [self.binary, *map(str, arguments)], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL
        )
        self.checks.equal(f"calotype {' '.join(map(str, arguments[:2]))}: exit code", done.returncode, 0, done.stderr[-1000:])


def picture(binary: Path) -> bytes:
    """A small JPEG from the test server."""
    origin = subprocess.Popen([binary, "origin", "--count", "12"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = origin.stdout.readline().rsplit(" ", 1)[-1].strip()
        with urllib.request.urlopen(f"{address}/list.txt", timeout=60) as response:
            urls = [url.replace("/pictures/", "/small/") for url in response.read().decode().split() if url.endswith(".jpg")]
        for url in urls:
            with urllib.request.urlopen(url, timeout=60) as response:
                body = response.read()
            if body.startswith(b"\xff\xd8"):
                return body
        raise RuntimeError(f"no JPEG in {urls}")
    finally:
        origin.terminate()
        origin.wait()


def main(arguments: list[str]) -> int:
    if not arguments or not Path(arguments[0]).is_file():
        print(__doc__, file=sys.stderr)
        return 2
    binary = Path(arguments[0]).resolve()
    rounds = int(arguments[1]) if len(arguments) > 1 else 1
    first = int(arguments[2]) if len(arguments) > 2 else random.SystemRandom().randrange(1 << 32)
    os.environ.update(SETTINGS, PYTHONPATH=str(PACKAGE), CALOTYPE_BINARY=str(binary))
    checks = Checks()
    small = picture(binary)
    for seed in range(first, first + rounds):
        print(f"seed {seed}", flush=True)
        # Sockets of Ray need a short path.
        scratch = Path(tempfile.mkdtemp(prefix="calo-", dir="/tmp"))
        try:
            with SlowHosts(small, HOSTS) as origin:
                Trial(checks, binary, scratch, origin, seed).run()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        if checks.failed:
            break
    print(checks.summary(), flush=True)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
