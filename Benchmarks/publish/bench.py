"""`script/bench publish`: posts to a tus server on loopback, beside curl.

Parts:
  speed   20 photos of 5 MB and their post, beside `curl --parallel` PUTs of the same bytes to the same server
          (goal: at most 1.2 times curl's wall time); then the same bytes as files that are no pictures
  memory  the publisher's peak memory for those photos, and for one file of 2 GB (goal: under 40 MB)
  cut     three photos, each cut at 10, 50 and 99 % of its bytes: what was sent beyond their size (goal: at most a piece of
          8 MiB for each cut)

Kills at random moments are a soak: `script/soak publish`.
"""

import argparse
import io
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests" / "RealInput"))

from PIL import Image  # noqa: E402
from support import measure  # noqa: E402
from support.cutting import CuttingProxy  # noqa: E402
from support.origin import RunningOrigin  # noqa: E402

PARTS = ["speed", "memory", "cut"]
PHOTOS, PHOTO_BYTES = 20, 5_000_000
PIECE = 8 << 20
WIDTH, HEIGHT = 4000, 3000


class Bench:
    def __init__(self, binary: Path, scratch: Path, rounds: int):
        self.binary, self.scratch, self.rounds, self.runs = binary, scratch, rounds, 0
        homes = {name: str(scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        self.environment = dict(os.environ) | homes
        self.rows: list[dict] = []
        self.photos = [scratch / f"photo-{number}.jpg" for number in range(PHOTOS)]

    def prepare(self):
        for number, path in enumerate(self.photos):
            path.write_bytes(photo(number))

    # Parts.

    def speed(self):
        print(f"{PHOTOS} photos, {sum(path.stat().st_size for path in self.photos) / 1e6:.1f} MB in all", flush=True)
        self.compare("photos", self.photos)
        files = [self.scratch / f"file-{number}.bin" for number in range(PHOTOS)]
        for file, path in zip(files, self.photos):
            file.write_bytes(b"no picture" + path.read_bytes())
        self.compare("the same bytes as files that are no pictures", files)

    def compare(self, what: str, files: list[Path]):
        walls, ratios = {"calotype": [], "curl": []}, []
        for _ in range(self.rounds):
            with RunningOrigin(self.binary) as origin:
                ours = self.publish(files, origin.base)
            with RunningOrigin(self.binary) as origin:
                curls = self.curl(files, origin.base)
            walls["calotype"].append(ours)
            walls["curl"].append(curls)
            ratios.append(ours.wall / curls.wall)
        for name, costs in walls.items():
            print(
                f"  {what}: {name}: wall {median(costs, 'wall') * 1000:.0f} ms, CPU {median(costs, 'cpu') * 1000:.0f} ms",
                flush=True,
            )
            figures = {"wall": median(costs, "wall"), "cpu": median(costs, "cpu"), "peak": median(costs, "peak_bytes") / 1e6}
            self.rows.append({"what": what, "program": name} | figures)
        ratio = statistics.median(ratios)
        print(f"  {what}: {ratio:.2f} times curl's wall time (median of {self.rounds} pairs)  {verdict(ratio <= 1.2)}")

    def memory(self):
        with RunningOrigin(self.binary) as origin:
            self.tell_memory(f"{PHOTOS} photos of 5 MB", self.publish(self.photos, origin.base))
        film = self.scratch / "film.bin"
        with open(film, "wb") as file:
            file.write(b"no picture")
            file.truncate(2_000_000_000)
        with RunningOrigin(self.binary, "--receive-limit", "3GB") as origin:
            self.tell_memory("one file of 2 GB", self.publish([film], f"{origin.base}/publish-faults/latency:0"))
        film.unlink()

    def tell_memory(self, what: str, cost: measure.Cost):
        print(f"  {what}: peak {cost.peak_bytes / 1e6:.1f} MB  {verdict(cost.peak_bytes < 40e6)}", flush=True)

    def cut(self):
        files = self.photos[:3]
        for percent in (10, 50, 99):
            with RunningOrigin(self.binary) as origin, CuttingProxy(int(origin.base.rsplit(":", 1)[1])) as proxy:
                base = proxy.url(origin.base)
                cost = self.publish(files, f"{base}/publish-faults/cut:{percent}@PATCH", to_post=base)
                received = origin.json("/received")
                size = sum(path.stat().st_size for path in files)
                taken = sum(upload["bytes_received"] for upload in received["uploads"])
                posts, hang_ups = len(received["posts"]), sum(upload["hang_ups"] for upload in received["uploads"])
                beyond = proxy.sent - size
                print(
                    f"  cut at {percent} %: {hang_ups} cuts, the server took {taken - size} bytes beyond the files' {size}, "
                    f"{beyond} were sent beyond (heads of requests included), {posts} post, exit {cost.exit}  "
                    f"{verdict(beyond <= hang_ups * PIECE and posts == 1 and hang_ups == len(files))}",
                    flush=True,
                )

    # Commands.

    def publish(self, files: list[Path], base: str, to_post: str | None = None) -> measure.Cost:
        self.runs += 1
        post = self.scratch / "POST.json"
        post.write_text(json.dumps({"text": f"Run {self.runs}", "media": [{"file": str(file)} for file in files]}))
        command = [self.binary, "publish", post, "--to", f"tus+{base}/tus/", "--post-to", f"{to_post or base}/posts"]
        return self.run([*command, "--settle", "key"])

    def curl(self, files: list[Path], base: str) -> measure.Cost:
        command = ["curl", "--silent", "--show-error", "--fail", "--parallel"]
        for file in files:
            command += ["--upload-file", file, "--output", os.devnull, f"{base}/inbox/{file.name}"]
        return self.run(command)

    def run(self, command: list) -> measure.Cost:
        log = self.scratch / "log.txt"
        cost = measure.run(command, self.environment, log, time_limit=300)
        if cost.exit:
            sys.exit(f"{command[0]} ended with {cost.exit}:\n{log.read_text()}")
        return cost


def photo(number: int) -> bytes:
    """A JPEG of 12 megapixels and just 5 MB: smooth colours with noise, as a camera's."""
    noise = Image.effect_noise((WIDTH, HEIGHT), 60)
    ramp = Image.linear_gradient("L").resize((WIDTH, HEIGHT)).rotate(90 * (number % 4))
    picture = Image.merge("RGB", [Image.blend(ramp, noise, part) for part in (0.2, 0.25, 0.3)])
    low, high, best = 30, 97, b""
    while low <= high:
        quality = (low + high) // 2
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=quality)
        if len(data.getvalue()) <= PHOTO_BYTES:
            low, best = quality + 1, data.getvalue()
        else:
            high = quality - 1
    return best


def median(costs: list[measure.Cost], name: str) -> float:
    return statistics.median(getattr(cost, name) for cost in costs)


def verdict(holds: bool) -> str:
    return "held" if holds else "MISSED"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calotype", type=Path, required=True, help="the release build")
    parser.add_argument("--rounds", type=int, default=7, help="pairs of runs (7)")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all unless named")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory(prefix="calotype-bench-publish-") as scratch:
        bench = Bench(arguments.calotype.resolve(), Path(scratch), arguments.rounds)
        bench.prepare()
        for part in arguments.parts or PARTS:
            print(part, flush=True)
            getattr(bench, part)()
    path = ROOT / "Benchmarks" / ".data" / "results" / time.strftime("publish-%Y%m%d-%H%M%S.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"rows": bench.rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
