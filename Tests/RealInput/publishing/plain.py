"""Publishing to `calotype origin`, which takes files and posts as they come and keeps count of them."""

from pathlib import Path

from publishing.trial import Trial, finish
from servers.server import Server, StoredFile
from support.command import Done
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
        self.spelled_otherwise()
        self.never_begun()

    def spelled_otherwise(self):
        """The answer to the post is lost, and the next runs name the post, its media and the server in other ways."""
        post = self.begin("other spellings")
        fault = self.proxy.lose_answer("POST /posts")
        options = [option if option != "key" else "ask" for option in self.target()]
        lost = self.publish_as(post.path, options)
        self.checks.that(f"{self.case}: the answer was lost", fault.happened.is_set() and lost.exit == 1, lost)
        link = self.scratch / "link"
        link.symlink_to(post.path.parent)
        copy = self.scratch / "copied post.json"
        copy.write_text(post.path.read_text().replace('"file": "', f'"file": "{link}/./'))
        named = [option.replace("127.0.0.1", "localhost").replace("/inbox/", "/inbox//.") + ("/" if "/inbox/" in option else "")
                 for option in options]
        for path, spelled in ((f"{post.path.parent}/./POST.json", options), (link / "POST.json", options), (copy, options), (post.path, named)):
            done = self.publish_as(path, spelled)
            self.checks.that(f"{self.case}: {path}, {spelled[1]}: known", "publish_unfinished" in done.error, done)
            done = self.publish_as(path, spelled, "--resume")
            self.checks.that(f"{self.case}: {path}, {spelled[1]}: not known whether", "outcome_unknown" in done.error, done)
        found = self.publish_as(copy, [option if option != "ask" else "key" for option in named], "--resume")
        self.expect_published(post, found)

    def publish_as(self, path, target: list[str], *options: str) -> Done:
        return finish(self.start("publish", path, *target, "--journal", self.journal, *options))

    def never_begun(self):
        """A resume of what was never begun sends nothing, and says so."""
        before = self.state()
        post = self.begin("never begun")
        done = self.publish(post, "--resume")
        self.checks.equal(f"{self.case}: exit code", done.exit, 3, str(done))
        self.checks.that(f"{self.case}: says so", "nothing_to_resume" in done.error, done)
        self.checks.equal(f"{self.case}: the server", self.state(), before)

    def target(self) -> list[str]:
        return [*super().target(), "--post-to", self.proxy.url(self.server.facts()["post_to"]), "--settle", "key"]

    def media_of(self, post: dict) -> list[str]:
        held = {file.name: file.sha256 for file in self.server.files()}
        names = [medium["url"].removeprefix(f"http://127.0.0.1:{self.proxy.port}") for medium in post["body"]["media"]]
        return [held.get(name, f"nothing at {name}") for name in names]

    def says(self, post: dict, text: str) -> bool:
        return post["body"]["text"] == text
