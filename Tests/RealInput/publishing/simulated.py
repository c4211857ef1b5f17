"""What no real server here shows: `calotype publish` against the faults that `calotype origin` simulates."""

import hashlib
from pathlib import Path

from PIL import Image

from publishing.plain import OriginServer
from publishing.trial import Trial, WrittenPost
from support.checks import Checks
from support.cutting import CuttingProxy

TOKEN = "demo"  # that of the origin's Mastodon
MASTODON = [
    "202:1", "not-ready:2", "503:2@media", "429:1:1@media", "429:1:1@statuses", "lost-answer@statuses",
    "no-keys,lost-answer@statuses", "no-v2",
]
TUS = ["409", "locked:2", "expired", "gone", "rewind", "cut:50", "lost-answer@PATCH", "lost-answer@posts", "503:1@PATCH", "absolute"]
PLAIN = ["503:2@PUT", "429:1:1@PUT", "cut:50@PUT", "lost-answer@PUT", "lost-answer@posts", "503:1@posts"]


def check(checks: Checks, binary: Path, scratch: Path):
    OriginServer.binary = binary
    with OriginServer(scratch / "server") as server, CuttingProxy(int(server.base.rsplit(":", 1)[1])) as proxy:
        trial = Simulated(checks, binary, scratch, server, proxy)
        for kind, faults in (("mastodon", MASTODON), ("tus", TUS), ("plain", PLAIN)):
            for fault in faults:
                trial.faulty(kind, fault)
        for options in ([], ["--keep-metadata"]):
            trial.located(*options)
        trial.fatal("mastodon", "processing-failed")
        trial.fatal("tus", "early-413@PATCH")


class Simulated(Trial):
    """Each fault has a post of its own; the counts of the origin tell what came of it."""

    name = "simulated"
    photos = 2
    others = 0

    def faulty(self, kind: str, fault: str):
        """A fault that passes: the post is published all the same."""
        self.choose(kind, fault)
        post = self.begin(f"{kind} {fault}")
        done = self.publish(post)
        self.checks.equal(f"{self.case}: exit code", done.exit, 0, str(done))
        self.expect_one_post(post)

    def fatal(self, kind: str, fault: str):
        """A fault that does not: the post is not published."""
        self.choose(kind, fault)
        post = self.begin(f"{kind} {fault}")
        done = self.publish(post)
        self.checks.that(f"{self.case}: exit code", done.exit in (1, 3), done)
        self.checks.equal(f"{self.case}: posts", len(self.found(post.text)), 0)

    def located(self, *options: str):
        """A photo that tells where it was made: it is sent without that unless told otherwise, and both say so."""
        self.choose("plain", "503:1@posts")
        post = self.begin(f"a place {' '.join(options)}".strip())
        photo = post.path.with_name("photo 0.jpg")
        write_position(photo)
        dry = self.publish(post, "--dry-run", *options)
        done = self.publish(post, *options)
        self.checks.equal(f"{self.case}: exit codes", (dry.exit, done.exit), (0, 0), f"{dry} {done}")
        told = ["GPS position" in text for text in (dry.out, done.error)]
        self.checks.equal(f"{self.case}: what is told", told, [not options] * 2, f"{dry} {done}")
        wanted = hashlib.sha256(photo.read_bytes()).hexdigest()
        found = self.found(post.text)
        is_same = bool(found) and found[0][0] == wanted
        self.checks.equal(f"{self.case}: the photo is sent as it is", is_same, bool(options), f"{found} {done}")
        self.checks.equal(f"{self.case}: the other", [digests[1:] for digests in found], [post.digests[1:]])

    def choose(self, kind: str, fault: str):
        self.kind, self.fault = kind, fault
        self.secrets = {"CALOTYPE_TOKEN": TOKEN} if kind == "mastodon" else {}

    def target(self) -> list[str]:
        base = f"{self.server.base}/publish-faults/{self.fault}"
        if self.kind == "mastodon":
            return ["--to", f"mastodon+{base}"]
        folder = "tus" if self.kind == "tus" else "inbox"
        return ["--to", f"{self.kind}+{base}/{folder}/", "--post-to", f"{base}/posts", "--settle", "key"]

    def expect_one_post(self, post: WrittenPost):
        self.checks.equal(f"{self.case}: posts and their media", self.found(post.text), [post.digests])

    def found(self, text: str) -> list[list[str]]:
        """Returns the digests of the media of each post with this text."""
        received = self.server.received()
        if self.kind != "mastodon":
            bodies = [post["body"] for post in received["posts"] if post["body"]["text"] == text]
            return [[medium["sha256"] for medium in body["media"]] for body in bodies]
        digests = {medium["id"]: medium["sha256"] for medium in received["mastodon"]["media"]}
        statuses = [status for status in received["mastodon"]["statuses"] if status["text"] == text]
        return [[digests[number] for number in status["media_ids"]] for status in statuses]


def write_position(path: Path):
    """Gives the photo at `path` a camera and a position."""
    exif = Image.Exif()
    exif[0x010F] = "Camera Works"
    exif[0x8825] = {1: "N", 2: (48.0, 51.0, 29.5), 3: "E", 4: (2.0, 17.0, 40.2)}
    with Image.open(path) as photo:
        pixels = photo.copy()
    pixels.save(path, quality=80, exif=exif.tobytes())
