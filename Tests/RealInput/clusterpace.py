"""Compares real runs on a Ray cluster with those that `python/simulate` predicts, where the limits of hosts count.

    Tests/RealInput/clusterpace.py PATH_TO_CALOTYPE [NODES...]

Runs in the environment `ray` of servers/cache.py, with one and with three nodes unless others are named. The origin waits before
each response and records what it receives; times are those between its first and its last request.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

PYTHON = Path(__file__).resolve().parents[2] / "python"
sys.path[:0] = [str(PYTHON / "src"), str(PYTHON)]

from clusterkills import SETTINGS, picture  # noqa: E402
from simulate import Setting, simulate  # noqa: E402
from support.checks import Checks  # noqa: E402
from support.slowhosts import SlowHosts  # noqa: E402

HOSTS, RATE, CONNECTIONS, PER_SHARD, SLOTS = 20, 10, 4, 16, 24
WAIT = (0.05, 0.1)
SHARES = (0.25, 0.5, 0.75, 1.0)
TOLERANCE = 0.15
LIMIT = 300  # seconds
#: What a list is like, its number of URLs, and the power with which the share of a host falls with its rank.
LISTS = [("hosts of one size", 4000, 0.0), ("hosts of many sizes", 2400, 0.8)]


def compare(checks: Checks, binary: Path, scratch: Path, small: bytes, nodes: int):
    for what, count, power in LISTS:
        real, peak = measure(checks, binary, scratch / f"{nodes}-{count}", small, nodes, count, power)
        setting = Setting(
            nodes=nodes, urls=count, hosts=HOSTS, zipf=power, dead=0, rate=RATE, connections=CONNECTIONS, shard=PER_SHARD,
            slots=SLOTS, latency=sum(WAIT) / 2, loss=0, step=0.5,
        )  # fmt: skip
        result = simulate(setting)
        predicted = [result.time_of(share) for share in SHARES]
        print(f"  {nodes} nodes, {what}: real {shown(real)} s, simulated {shown(predicted)} s, "
              f"no less than {setting.bound:.1f} s; {peak:.2f} of a host's rate", flush=True)  # fmt: skip
        error = predicted[-1] / real[-1] - 1
        checks.that(f"{nodes} nodes, {what}: the simulation agrees", abs(error) <= TOLERANCE, f"{error:+.0%}")


def shown(times: list[float]) -> str:
    return " ".join(f"{time:.1f}" for time in times)


def measure(checks: Checks, binary: Path, scratch: Path, small: bytes, nodes: int, count: int, power: float):
    """Returns when shares of the requests had ended, and the highest rate that a host saw, as a share of its limit."""
    scratch.mkdir()
    with SlowHosts(small, HOSTS, WAIT) as origin:
        chance = random.Random(1)
        addresses = spread(origin.addresses, count, power)
        chance.shuffle(addresses)
        urls = [f"http://{address}:{origin.port}/{number * 50}.jpg" for number, address in enumerate(addresses)]
        (scratch / "urls.txt").write_text("\n".join(urls))
        plan = [binary, "dataset", "plan", scratch / "urls.txt", scratch / "set", "--number-sample-per-shard", str(PER_SHARD),
                "--image-size", "64", "--rate-per-host", str(RATE), "--per-host", str(CONNECTIONS), "--allow-private",
                "--no-exif"]  # fmt: skip
        subprocess.run(plan, check=True, stdout=subprocess.DEVNULL, timeout=LIMIT)
        done = subprocess.run(
            [sys.executable, "-m", "calotype.ray", scratch / "set", "--local", str(nodes), "--slots", str(SLOTS),
             "--progress", "none", "--scratch", scratch / "journals"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
        )  # fmt: skip
        checks.equal(f"{nodes} nodes: the driver ends", done.returncode, 0, done.stderr[-2000:])
        spans = sorted(span for log in origin.logs.values() for span in log.spans)
        checks.equal(f"{nodes} nodes: each URL is requested once", len(spans), count)
        ends = sorted(end for _, end in spans)
        peak = max(log.most_within(10, []) for log in origin.logs.values()) / (10 * RATE)
        return [ends[int(share * (len(ends) - 1))] - spans[0][0] for share in SHARES], peak


def spread(addresses: list[str], count: int, power: float) -> list[str]:
    """The hosts of the URLs: that of rank r has a share in proportion to r to the power of minus `power`."""
    weights = [(rank + 1) ** -power for rank in range(len(addresses))]
    whole = sum(weights)
    found, due = [], 0.0
    for address, weight in zip(addresses, weights):
        due += count * weight / whole
        found += [address] * (round(due) - len(found))
    return found


def main(arguments: list[str]) -> int:
    if not arguments or not Path(arguments[0]).is_file():
        print(__doc__, file=sys.stderr)
        return 2
    binary = Path(arguments[0]).resolve()
    os.environ.update(SETTINGS, PYTHONPATH=str(PYTHON / "src"), CALOTYPE_BINARY=str(binary))
    (Path(tempfile.gettempdir()) / "ray").mkdir(exist_ok=True)
    checks = Checks()
    small = picture(binary)
    scratch = Path(tempfile.mkdtemp(prefix="calo-", dir="/tmp"))
    try:
        for nodes in [int(number) for number in arguments[1:]] or [1, 3]:
            compare(checks, binary, scratch, small, nodes)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(checks.summary(), flush=True)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
