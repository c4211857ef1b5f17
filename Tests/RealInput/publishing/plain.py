"""Publishing to `calotype origin`, which takes files and posts as they come and keeps count of them."""

from pathlib import Path

from publishing.trial import Trial
from servers.server import Server, StoredFile
from support.origin import RunningOrigin


class OriginServer(Server):
    """The origin of the binary under test."""

    title = "calotype origin"
    binary = Path()
    _origin: RunningOrigin | None = None

    def install(self):
        pass

    def launch(self):
        self._origin = RunningOrigin(self.binary)
        self.base = self._origin.base

    def __exit__(self, *_):
        if self._origin:
            self._origin.__exit__()

    def facts(self) -> dict:
        return {"to": f"plain+{self.base}/inbox/", "post_to": f"{self.base}/posts", "environment": {}}

    def received(self) -> dict:
        return self._origin.json("/received")

    def files(self) -> list[StoredFile]:
        # One that was never whole has no digest.
        media = [medium for medium in self.received()["media"] if medium.get("sha256") and not medium["deleted"]]
        return [StoredFile(medium["path"], medium["length"], medium["sha256"]) for medium in media]

    def posts(self) -> list[dict]:
        return self._origin.json("/posts")


class PlainTrial(Trial):
    name = "plain"

    def cases(self):
        self.whole()
        self.cut()
        self.killed()
        self.answer_lost("POST /posts")
        self.interrupted()
        self.collected()

    def target(self) -> list[str]:
        return [*super().target(), "--post-to", self.proxy.url(self.server.facts()["post_to"]), "--settle", "key"]

    def media_of(self, post: dict) -> list[str]:
        held = {file.name: file.sha256 for file in self.server.files()}
        names = [medium["url"].removeprefix(f"http://127.0.0.1:{self.proxy.port}") for medium in post["body"]["media"]]
        return [held.get(name, f"nothing at {name}") for name in names]

    def says(self, post: dict, text: str) -> bool:
        return post["body"]["text"] == text
