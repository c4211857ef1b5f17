"""Publishing to snac2, which ignores Idempotency-Key: after a lost answer the client has to look for its post."""

import signal

from publishing.trial import Trial, finish


class MastodonTrial(Trial):
    """Four pictures, the most that a status may have."""

    name = "Mastodon"
    photos = 4
    others = 0

    def cases(self):
        self.whole()
        self.cut()
        self.killed()
        self.answer_lost("POST /api/v1/statuses")
        self.interrupted()
        self.refused()

    def media_of(self, post: dict) -> list[str]:
        return [medium.sha256 for medium in self.server.media_of(post)]

    def says(self, post: dict, text: str) -> bool:
        return post["text"] == text

    def allowed_counts(self) -> list[int]:
        # Nothing tells whether an upload has arrived whose answer was lost, and so it is sent again; servers drop what no
        # status has.
        return [1, 2]

    def secret_names(self) -> list[str]:
        return ["CALOTYPE_TOKEN"]

    def interrupted(self):
        """This server does not delete media when asked to: only the post must not be there."""
        post = self.begin("Ctrl-C")
        process = self.start_held(post, post.size // 2)
        process.send_signal(signal.SIGINT)
        done = finish(process)
        self.checks.equal(f"{self.case}: exit code", done.exit, 130, str(done))
        self.expect_no_post(post, "interrupted")
