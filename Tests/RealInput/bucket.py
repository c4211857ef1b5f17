"""Datasets in a bucket: runs that are killed in the midst of uploads lose and repeat nothing, and nothing is ever partial or replaced."""

import hashlib
import json
import signal
import subprocess
import urllib.parse
from collections import Counter
from pathlib import Path

from dataset import metadata
from publishing.trial import BAD_SECRET, finish
from servers.cache import Unavailable
from servers.moto import Moto
from servers.s3 import BUCKET, S3Server
from servers.swift import SwiftS3
from support import drawn
from support.checks import Checks, eventually
from support.command import Commands, Done
from support.cutting import CuttingProxy
from support.nginx import Nginx

KILLS = (1_000, 40_000, 90_000, 150_000, 200_000)  # bytes sent; all shards together have more
SHARD = 10
PARTS = 16 << 20  # bytes; larger files are sent in parts
REACHED = 60  # seconds until a fault must have happened


def check(checks: Checks, binary: Path, scratch: Path):
    photos = drawn.pictures(binary)
    with Nginx(photos) as nginx:
        names = sorted(path.name for path in photos.iterdir())
        urls = [f"{nginx.url(name)}?{number}" for number in range(5) for name in names]
        for kind in (Moto, SwiftS3):
            try:
                with kind(scratch / kind.__name__ / "server") as server:
                    with CuttingProxy(urllib.parse.urlsplit(server.base).port) as proxy:
                        BucketTrial(checks, binary, scratch / kind.__name__, server, proxy, urls).cases()
            except Unavailable as error:
                checks.skip(f"datasets in {kind.title}", str(error))


class BucketTrial(Commands):
    """The cases against one server, by way of a proxy."""

    def __init__(self, checks: Checks, binary: Path, scratch: Path, server: S3Server, proxy: CuttingProxy, urls: list[str]):
        super().__init__(checks, binary, scratch, "")
        self.server, self.proxy, self.urls = server, proxy, urls
        self.list = scratch / "urls.txt"
        self.list.write_text("\n".join(urls))

    def cases(self):
        self.killed()
        self.in_parts(signal.SIGKILL)
        self.in_parts(signal.SIGINT)
        self.sliced()
        self.in_the_way()
        self.refused()

    def environment(self, api: str | None = None, **variables: str) -> dict[str, str]:
        facts = self.server.facts()["environment"] | {"AWS_ENDPOINT_URL_S3": self.proxy.url(self.server.base)}
        return super().environment(api, **(facts | variables))

    def dataset(self, prefix: str, *options, work: str = "", **variables: str) -> subprocess.Popen:
        return self.start(
            "dataset", self.list, f"s3://{BUCKET}/{prefix}", "--allow-private", "--quiet", "--number-sample-per-shard", SHARD,
            "--work", self.scratch / f"work-{work or prefix}", *options, **variables,
        )

    def killed(self):
        """kill -9 when an upload has come so far; after each, every shard with statistics is whole."""
        name = f"{self.server.title}, kill -9"
        for count in KILLS:
            self.held(f"{name} after {count} bytes", "killed", signal.SIGKILL, count)
            self.expect_whole(f"{name} after {count} bytes", "killed")
        self.expect_finished(name, "killed", finish(self.dataset("killed")))
        objects = self.server.objects()
        again = finish(self.dataset("killed"))
        self.checks.equal(f"{name}: a further run", again.exit, 0, str(again))
        self.checks.equal(f"{name}: the objects after it", self.server.objects(), objects)
        found = self.run("dataset", "stats", self.scratch / "work-killed", "--json")
        self.checks.equal(f"{name}: what stats says", json.loads(found.out or "{}").get("successes"), len(self.urls), str(found))

    def in_parts(self, number: signal.Signals):
        """A signal while a shard is uploaded in parts; one object is larger than what fits into one request."""
        prefix = f"parts-{number.name.lower()}"
        name = f"{self.server.title}, {number.name} amid parts"
        options = ("--resize-mode", "no", "--encode-format", "png", "--number-sample-per-shard", "1000")
        self.held(name, prefix, number, 9 << 20, *options)
        self.checks.equal(f"{name}: objects then", [key for key in self.server.objects() if key.startswith(prefix)], [])
        sent = self.proxy.sent
        self.expect_finished(name, prefix, finish(self.dataset(prefix, *options)))
        sizes = [path.stat().st_size for path in self.copy(prefix).glob("*.tar")]
        self.checks.that(f"{name}: it was sent in parts", max(sizes) > PARTS, sizes)
        print(f"  {name}: {(self.proxy.sent - sent) / sum(sizes):.2f} of the tar was sent afterwards", flush=True)

    def held(self, name: str, prefix: str, number: signal.Signals, count: int, *options):
        """Sends a signal to a run when it has sent `count` bytes and the server receives no more on that connection."""
        fault = self.proxy.hold(count)
        process = self.dataset(prefix, *options)
        eventually(lambda: fault.happened.is_set() or process.poll() is not None, REACHED)
        self.checks.that(f"{name}: in the midst of it", fault.happened.is_set(), "the fault did not come about")
        process.send_signal(number)
        done = finish(process)
        self.checks.equal(f"{name}: exit code", done.exit, 130 if number == signal.SIGINT else -number, str(done))

    def sliced(self):
        """Two machines share a prefix, each with a work folder of its own."""
        name = f"{self.server.title}, two slices"
        running = [self.dataset("sliced", "--slice", f"{number}/2", work=f"sliced-{number}") for number in (1, 2)]
        codes = [finish(process).exit for process in running]
        self.checks.equal(f"{name}: exit codes", codes, [0, 0])
        whole, sliced = ({tar.name: tar.read_bytes() for tar in self.copy(prefix).glob("*.tar")} for prefix in ("killed", "sliced"))
        self.checks.that(f"{name}: the tars of a whole run", sliced == whole, (sorted(sliced), sorted(whole)))

    def in_the_way(self):
        """An object has the name of a shard in the middle; when it is gone, the same command continues."""
        name, path = f"{self.server.title}, an object in the way", f"/{BUCKET}/way/00003.tar"
        self.server.call("PUT", path, body=b"other")
        done = finish(self.dataset("way"))
        self.checks.that(f"{name}: it is named", done.exit == 2 and "/way/00003.tar exists" in done.error, done)
        self.checks.equal(f"{name}: it is as it was", self.server.content("way/00003.tar"), b"other")
        self.server.call("DELETE", path)
        self.expect_finished(name, "way", finish(self.dataset("way")))

    def refused(self):
        name = self.server.title
        other = self.scratch / "others.txt"
        other.write_text("\n".join(reversed(self.urls)))
        objects = self.server.objects()
        line = ["--allow-private", "--quiet", "--number-sample-per-shard", SHARD]
        done = finish(self.start("dataset", other, f"s3://{BUCKET}/killed", *line, "--work", self.scratch / "work-other"))
        self.checks.that(f"{name}: another dataset is refused", done.exit == 2 and "nothing was overwritten" in done.error, done)
        self.checks.equal(f"{name}: the objects are as they were", self.server.objects(), objects)
        done = finish(self.start("dataset", other, f"s3://{BUCKET}/other", *line, "--work", self.scratch / "work-killed"))
        self.checks.that(f"{name}: another address is refused", done.exit == 2 and "is the work folder of" in done.error, done)
        done = finish(self.start("dataset", other, "s3://not-there/other", *line))
        self.checks.that(f"{name}: a bucket that does not exist", done.exit == 2 and "create the bucket" in done.error, done)
        if name != Moto.title:  # It takes any signature.
            done = finish(self.dataset("secret", CALOTYPE_SECRET_KEY=BAD_SECRET))
            self.checks.that(f"{name}: a bad secret", done.exit == 2 and "SignatureDoesNotMatch" in done.error, done)
            self.checks.that(f"{name}: it is not told", BAD_SECRET not in done.error, done)
        for address in ("s3://", "s3:///killed", "gs://pictures/killed"):
            done = finish(self.start("dataset", other, address, *line))
            self.checks.that(f"{name}: {address}", done.exit == 2 and "is neither a folder" in done.error, done)
        for command in ("verify", "gc"):
            done = finish(self.start("dataset", command, f"s3://{BUCKET}/killed"))
            self.checks.that(f"{name}: {command} needs a folder", done.exit == 2 and len(done.error.splitlines()) == 1, done)

    def copy(self, prefix: str) -> Path:
        """Returns a folder with the objects below a prefix."""
        folder = self.scratch / f"copy-{prefix}"
        folder.mkdir(exist_ok=True)
        for key in self.server.objects():
            if key.startswith(f"{prefix}/") and not (folder / key.split("/")[1]).exists():
                (folder / key.split("/")[1]).write_bytes(self.server.content(key))
        return folder

    def expect_whole(self, name: str, prefix: str):
        """Checks that each object is whole, by the statistics of its shard or by itself."""
        folder = self.copy(prefix)
        for stats in folder.glob("*_stats.json"):
            files = {file["name"]: file["sha256"] for file in json.loads(stats.read_text())["files"]}
            found = {file: digest(folder / file) for file in files}
            self.checks.equal(f"{name}: {stats.name} is true", found, files)
        broken = [tar.name for tar in folder.glob("*.tar") if subprocess.run(["tar", "tf", tar], capture_output=True).returncode]
        self.checks.equal(f"{name}: each tar is whole", broken, [])

    def expect_finished(self, name: str, prefix: str, done: Done):
        self.checks.equal(f"{name}: exit code", done.exit, 0, str(done))
        self.expect_whole(name, prefix)
        folder = self.copy(prefix)
        found = self.run("dataset", "verify", folder)
        self.checks.equal(f"{name}: the downloaded dataset is valid", (found.exit, found.error), (0, ""), str(found))
        rows = metadata(folder)
        self.checks.equal(f"{name}: each URL once, in order", [row["url"] for row in rows], self.urls)
        self.checks.equal(f"{name}: each key once", set(Counter(row["key"] for row in rows).values()), {1})
        self.checks.equal(f"{name}: uploads that did not end", self.server.unfinished(), [])
        left = [path.suffix for path in (self.scratch / f"work-{prefix}").iterdir() if path.is_file()]
        self.checks.equal(f"{name}: what stays in the work folder", set(left), {".json", ".jsonl"})


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "missing"
