"""Kills `calotype publish` at random moments, and lets it resume: one post each time, with each medium once."""

import random
import time
from pathlib import Path

from publishing.plain import OriginServer
from publishing.trial import Trial, WrittenPost, finish
from support.checks import Checks
from support.cutting import CuttingProxy

ROUNDS = 200
# The server takes its time, so that a kill meets all stages and not the start of the process only.
PAUSES = "latency:20"
MOST_RESUMES = 5


def check(checks: Checks, binary: Path, scratch: Path, rounds: int = ROUNDS):
    OriginServer.binary = binary
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"  {rounds} kills at moments of seed {seed}", flush=True)
    with OriginServer(scratch / "server") as server, CuttingProxy(int(server.base.rsplit(":", 1)[1])) as proxy:
        trial = Kills(checks, binary, scratch, server, proxy, random.Random(seed))
        whole = trial.time_of_whole()
        for number in range(rounds):
            trial.round(number, whole)
        trial.tell()


class Kills(Trial):
    """Media go by tus and as plain files in turn; a round that holds is counted, one that does not is told."""

    name = "kills"
    photos = 3
    others = 0

    def __init__(self, checks, binary, scratch, server, proxy, chance: random.Random):
        super().__init__(checks, binary, scratch, server, proxy)
        self.chance, self.kind, self.held = chance, "tus", 0

    def target(self) -> list[str]:
        base = f"{self.server.base}/publish-faults/{PAUSES}"
        to = f"tus+{base}/tus/" if self.kind == "tus" else f"plain+{base}/inbox/"
        return ["--to", to, "--post-to", f"{base}/posts", "--settle", "key"]

    def says(self, post: dict, text: str) -> bool:
        return post["body"]["text"] == text

    def time_of_whole(self) -> float:
        """Returns how long a publication takes that nobody kills, in seconds."""
        post, started = self.begin("not killed"), time.monotonic()
        done = self.publish(post)
        self.checks.equal("not killed: exit code", done.exit, 0, str(done))
        return time.monotonic() - started

    def round(self, number: int, whole: float):
        self.kind = ("tus", "plain")[number % 2]
        post = self.begin(f"round {number + 1}")
        process = self.start_publish(post)
        time.sleep(self.chance.uniform(0, whole * 1.1))
        process.kill()
        done = finish(process)
        kills = 1
        while done.exit != 0 and kills <= MOST_RESUMES:
            done = self.publish(post, "--resume")
            if "nothing_to_resume" in done.error:
                # It was killed before anything was written down.
                done = self.publish(post)
            kills += 1
            if "already_published" in done.error:
                break
        self.judge(post, number)

    def judge(self, post: WrittenPost, number: int):
        posts, received = self.posts(post), self.server.received()
        held = [upload["sha256"] for upload in received["uploads"] if upload["complete"] and not upload["deleted"]]
        held += [medium["sha256"] for medium in received["media"] if not medium["deleted"]]
        counts = [held.count(digest) for digest in post.digests]
        told = [medium["sha256"] for found in posts for medium in found["body"]["media"]]
        if len(posts) == 1 and told == post.digests and counts == [1] * len(counts):
            self.held += 1
        else:
            self.checks.that(f"{self.case}, {self.kind}", False, f"{len(posts)} posts, each medium {counts} times: {told}")

    def tell(self):
        print(f"  {self.held} rounds ended with one post, and each medium once", flush=True)
        self.checks.that("every round ended with one post, and each medium once", self.checks.failed == 0)
