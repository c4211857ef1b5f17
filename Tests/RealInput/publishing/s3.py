"""Publishing to S3: a mock that knows conditions, and OpenStack Swift, which checks signatures."""

import hashlib

from publishing.trial import Trial
from servers.s3 import BUCKET


class S3Trial(Trial):
    """One file is large enough for an upload in parts."""

    name = "S3"
    paper_size = 20 << 20

    def cases(self):
        self.whole()
        self.cut()
        self.killed()
        self.answer_lost(f"PUT /{BUCKET}/posts/")
        self.interrupted()
        self.collected()
        self.refused()

    def media_of(self, post: dict) -> list[str]:
        contents = [self.server.content(medium["key"]) for medium in post["body"]["media"]]
        return [hashlib.sha256(content).hexdigest() for content in contents]

    def says(self, post: dict, text: str) -> bool:
        return post["body"]["text"] == text

    def unfinished(self) -> list[str]:
        return sorted(self.server.unfinished())

    def secret_names(self) -> list[str]:
        return ["CALOTYPE_SECRET_KEY"]


class MotoTrial(S3Trial):
    """What only a server can show that knows If-None-Match; it takes any signature."""

    name = "S3 (moto)"

    def cases(self):
        self.whole()
        self.answer_lost(f"PUT /{BUCKET}/posts/")
