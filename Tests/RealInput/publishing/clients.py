"""Clients of others that upload and post to `calotype origin`: what it takes is what they send."""

import hashlib
from pathlib import Path

from publishing.trial import write_paper, write_photo
from servers.cache import APPS, Unavailable, call, environment
from support.checks import Checks
from support.cutting import CuttingProxy
from support.origin import RunningOrigin

UPLOAD = 300_000
CHUNK = 50_000
TOKEN = "demo"  # that of the origin's Mastodon


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        python = environment("clients") / "bin" / "python"
    except Unavailable as error:
        return checks.skip("clients of others", str(error))
    with RunningOrigin(binary) as origin, CuttingProxy(int(origin.base.rsplit(":", 1)[1])) as proxy:
        trial = Clients(checks, python, scratch, origin, proxy)
        trial.tuspy("checksum")
        trial.tuspy("plain")
        trial.tuspy_cut()
        trial.mastodon()


class Clients:
    def __init__(self, checks: Checks, python: Path, scratch: Path, origin: RunningOrigin, proxy: CuttingProxy):
        self.checks, self.python, self.scratch, self.origin, self.proxy = checks, python, scratch, origin, proxy

    def tuspy(self, checksum: str, name: str = "tuspy"):
        path = self.scratch / f"{name}-{checksum}.pdf"
        write_paper(path, UPLOAD)
        self.run(f"{name}, {checksum}", "tuspy_upload.py", self.proxy.url(f"{self.origin.base}/tus/"), path, CHUNK, checksum)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found = [upload for upload in self.origin.json("/received")["uploads"] if upload["sha256"] == digest]
        self.checks.equal(f"{name}, {checksum}: uploads", [upload["complete"] for upload in found], [True], str(found))

    def tuspy_cut(self):
        faults = [self.proxy.cut(UPLOAD // 4) for _ in range(2)]
        self.tuspy("plain", "tuspy with cut connections")
        self.checks.that("tuspy: was cut", all(fault.happened.is_set() for fault in faults))

    def mastodon(self):
        paths = [self.scratch / f"photo {number}.jpg" for number in range(4)]
        for path in paths:
            write_photo(path)
        text = "Of another client"
        said = self.run("Mastodon.py", "mastodon_post.py", self.origin.base, TOKEN, text, *paths)
        self.checks.equal("Mastodon.py: one status for one key", len(set(said.split())), 1, said)
        received = self.origin.json("/received")["mastodon"]
        statuses = [status for status in received["statuses"] if status["text"] == text]
        self.checks.equal("Mastodon.py: statuses", len(statuses), 1)
        digests = {medium["id"]: medium["sha256"] for medium in received["media"]}
        wanted = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
        found = [digests.get(number) for number in statuses[0]["media_ids"]] if statuses else []
        self.checks.equal("Mastodon.py: media in their order", found, wanted)

    def run(self, name: str, app: str, *arguments) -> str:
        try:
            said = call(self.python, "-B", APPS / app, *arguments)
        except Unavailable as error:
            self.checks.that(f"{name}: succeeds", False, error)
            return ""
        self.checks.that(f"{name}: succeeds", True)
        return said
