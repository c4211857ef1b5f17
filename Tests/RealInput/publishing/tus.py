"""Publishing to tuspyserver."""

from publishing.trial import Trial
from servers.server import stored


class TusTrial(Trial):
    name = "tus"

    def cases(self):
        self.whole()
        self.cut()
        self.killed()
        self.answer_lost("POST /posts")
        self.interrupted()
        self.collected()

    def target(self) -> list[str]:
        return [*super().target(), "--post-to", self.proxy.url(self.server.post_url), "--settle", "key"]

    def media_of(self, post: dict) -> list[str]:
        names = [medium["url"].rsplit("/", 1)[-1] for medium in post["body"]["media"]]
        return [stored(name, (self.server.scratch / "uploads" / name).read_bytes()).sha256 for name in names]

    def says(self, post: dict, text: str) -> bool:
        return post["body"]["text"] == text

    def unfinished(self) -> list[str]:
        # When the answer to a creation is lost, an upload without bytes stays until it expires.
        return sorted(upload.name for upload, is_complete in self.server.uploads() if not is_complete and upload.size)
