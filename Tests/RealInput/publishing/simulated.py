"""What no real server here shows: `calotype publish` against the faults that `calotype origin` simulates."""

from pathlib import Path

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
