"""What every destination must do, whatever its protocol: all of a post, once, through cuts, kills and second thoughts."""

import base64
import hashlib
import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from servers.server import Server
from support.checks import Checks, eventually
from support.command import Commands, Done
from support.cutting import CuttingProxy

SIDE = 160  # pixels; a picture of noise has about 20 KB
REACHED = 30  # seconds until a fault must have happened
BAD_SECRET = "not-the-right-secret-4711"


@dataclass
class WrittenPost:
    """A post on disk: the file that describes it, and the digests of its media in their order."""

    path: Path
    text: str
    digests: list[str]
    size: int  # bytes of all media


class Trial(Commands):
    """The cases against one server, by way of a proxy; a subclass knows what its destination is called and tells how its
    server names things."""

    name = ""
    photos = 3
    others = 1
    paper_size = 6000  # bytes of what is no picture

    def __init__(self, checks: Checks, binary: Path, scratch: Path, server: Server, proxy: CuttingProxy):
        super().__init__(checks, binary, scratch, "")
        self.server, self.proxy, self.case = server, proxy, ""
        self.secrets = server.facts()["environment"]

    # What a destination knows.

    def target(self) -> list[str]:
        """Returns the options that name the destination."""
        return ["--to", self.proxy.url(self.server.facts()["to"])]

    def media_of(self, post: dict) -> list[str]:
        """Returns the digests of the media of a post of the server, in the order of the post."""
        raise NotImplementedError

    def says(self, post: dict, text: str) -> bool:
        """Tells whether a post of the server is the one with this text."""
        return text in json.dumps(post)

    def unfinished(self) -> list[str]:
        """Returns what the server keeps of uploads that did not end."""
        return []

    def allowed_counts(self) -> list[int]:
        """Returns how often the server may have a medium of a post that is published."""
        return [1]

    def secret_names(self) -> list[str]:
        """Returns the variables that hold what nobody may read."""
        return []

    # The cases.

    def whole(self):
        post = self.begin("a post")
        done = self.publish(post)
        self.expect_published(post, done)
        again = self.publish(post)
        self.checks.that(f"{self.case}: a second run does not succeed silently", again.exit in (0, 3), again)
        self.expect_once(post, "after a second run")
        self.expect_no_secrets(done, again)

    def cut(self):
        """Connections are reset in the midst of media, three times."""
        post = self.begin("cut connections")
        faults = [self.proxy.cut(post.size * part // 100) for part in (20, 30, 30)]
        done = self.publish(post)
        self.checks.that(f"{self.case}: they were cut", all(fault.happened.is_set() for fault in faults), done)
        self.expect_published(post, done)

    def killed(self):
        post = self.begin("kill -9")
        process = self.start_held(post, post.size // 2)
        process.kill()
        finish(process)
        self.expect_no_post(post, "killed")
        self.expect_published(post, self.publish(post, "--resume"))

    def answer_lost(self, start: str, case: str = "a lost answer"):
        """The post is made, and nobody hears of it; `start` is how its request begins."""
        post = self.begin(case)
        fault = self.proxy.lose_answer(start)
        done = self.publish(post)
        if done.exit != 0:
            done = self.publish(post, "--resume")
        self.checks.that(f"{self.case}: it was lost", fault.happened.is_set(), done)
        self.expect_published(post, done)

    def interrupted(self):
        """Ctrl-C in the midst of media: the server is left as it was."""
        before = self.state()
        post = self.begin("Ctrl-C")
        process = self.start_held(post, post.size // 2)
        process.send_signal(signal.SIGINT)
        done = finish(process)
        self.checks.equal(f"{self.case}: exit code", done.exit, 130, str(done))
        self.expect_left_as(before, done)
        self.expect_no_post(post, "interrupted")

    def collected(self):
        """kill -9 in the midst of media, and nobody resumes: what is left is removed on wish."""
        before = self.state()
        post = self.begin("gc")
        process = self.start_held(post, post.size // 2)
        process.kill()
        finish(process)
        done = finish(self.start("publish", "gc", "--unfinished", "--journal", self.journal))
        self.checks.equal(f"{self.case}: exit code", done.exit, 0, str(done))
        self.expect_left_as(before, done)

    def refused(self):
        """The secret is not right."""
        post = self.begin("a bad secret")
        wrong = {name: BAD_SECRET for name in self.secret_names()}
        done = self.publish(post, **wrong)
        self.checks.equal(f"{self.case}: exit code", done.exit, 3, str(done))
        self.checks.that(f"{self.case}: says why", any(word in done.error for word in ("auth", "http_40")), done)
        self.expect_no_post(post, "refused")
        self.expect_no_secrets(done)

    # Their parts.

    def begin(self, case: str) -> WrittenPost:
        """Writes a post of its own for a case."""
        self.case = f"{self.name}, {case}"
        folder = self.scratch / case.replace(" ", "-")
        folder.mkdir(parents=True)
        self.journal = folder / "journal"
        return written_post(folder, f"Text of {case} at {self.name}", self.photos, self.others, self.paper_size)

    def publish(self, post: WrittenPost, *options: str, **variables: str) -> Done:
        process = self.start_publish(post, *options, **variables)
        return finish(process)

    def start_publish(self, post: WrittenPost, *options: str, **variables: str) -> subprocess.Popen:
        options = (*self.target(), "--journal", self.journal, *options)
        return self.start("publish", post.path, *options, **variables)

    def environment(self, api: str | None = None, **variables: str) -> dict[str, str]:
        return super().environment(api, **(self.secrets | variables))

    def start_held(self, post: WrittenPost, count: int) -> subprocess.Popen:
        """Starts to publish and returns when one of its connections does not go on."""
        fault = self.proxy.hold(count)
        process = self.start_publish(post)
        eventually(lambda: fault.happened.is_set() or process.poll() is not None, REACHED)
        self.checks.that(f"{self.case}: in the midst of it", fault.happened.is_set(), "the fault did not come about")
        return process

    def posts(self, post: WrittenPost) -> list[dict]:
        return [found for found in self.server.posts() if self.says(found, post.text)]

    def state(self) -> list[list[str]]:
        """Returns all that the server holds: media, posts, and what is unfinished."""
        media = sorted(f"{file.name} {file.sha256}" for file in self.server.files())
        return [media, [str(post["id"]) for post in self.server.posts()], self.unfinished()]

    def expect_published(self, post: WrittenPost, done: Done):
        self.checks.equal(f"{self.case}: exit code", done.exit, 0, str(done))
        self.expect_once(post, "at the end")

    def expect_once(self, post: WrittenPost, when: str):
        """Checks that there is one post with all media in their order, and each medium once."""
        found = self.posts(post)
        self.checks.equal(f"{self.case}: posts {when}", len(found), 1)
        if found:
            self.checks.equal(f"{self.case}: its media {when}", self.media_of(found[0]), post.digests)
        held = [file.sha256 for file in self.server.files()]
        counts = [held.count(digest) for digest in post.digests]
        wanted = self.allowed_counts()
        good = all(count in wanted for count in counts)
        self.checks.that(f"{self.case}: the server has each {wanted} times {when}", good, counts)
        self.checks.equal(f"{self.case}: unfinished {when}", self.unfinished(), [])

    def expect_left_as(self, before: list[list[str]], done: Done):
        """Checks that the server holds nothing that it did not hold before."""
        eventually(lambda: self.state() == before, 5)
        left = [sorted(set(now) - set(then)) for now, then in zip(self.state(), before)]
        self.checks.equal(f"{self.case}: what is left", left, [[], [], []], str(done))

    def expect_no_post(self, post: WrittenPost, when: str):
        self.checks.equal(f"{self.case}: posts when {when}", len(self.posts(post)), 0)

    def expect_no_secrets(self, *runs: Done):
        """Checks that what was printed and what was written does not tell a secret."""
        texts = {f"run {number + 1}": (done.out + done.error).encode() for number, done in enumerate(runs)}
        paths = [path for path in self.journal.rglob("*") if path.is_file()] if self.journal.exists() else []
        texts |= {str(path.relative_to(self.journal)): path.read_bytes() for path in paths}
        words = [BAD_SECRET, *(self.secrets[name] for name in self.secret_names())]
        user = self.secrets.get("CALOTYPE_USER", "")
        words += [base64.b64encode(f"{user}:{word}".encode()).decode() for word in words]
        told = [name for name, text in texts.items() if any(word.encode() in text for word in words)]
        self.checks.equal(f"{self.case}: where a secret is told", told, [])


def finish(process: subprocess.Popen) -> Done:
    """Waits for the end of a run; one that takes too long is killed, and tells so by its exit code."""
    try:
        out, error = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
    return Done(process.returncode, out.decode(errors="replace"), error.decode(errors="replace"))


def written_post(folder: Path, text: str, photos: int, others: int, paper_size: int) -> WrittenPost:
    names = [f"photo {number}.jpg" for number in range(photos)] + [f"paper-{number}.pdf" for number in range(others)]
    for name in names:
        if name.endswith(".jpg"):
            write_photo(folder / name)
        else:
            write_paper(folder / name, paper_size)
    media = [{"file": name, "alt": f"What {name} shows"} for name in names]
    path = folder / "POST.json"
    path.write_text(json.dumps({"text": text, "media": media, "visibility": "public", "language": "en"}))
    contents = [(folder / name).read_bytes() for name in names]
    digests = [hashlib.sha256(content).hexdigest() for content in contents]
    return WrittenPost(path, text, digests, sum(map(len, contents)))


def write_photo(path: Path):
    """Writes a picture of noise: no two are alike."""
    Image.frombytes("RGB", (SIDE, SIDE), os.urandom(SIDE * SIDE * 3)).save(path, quality=80)


def write_paper(path: Path, size: int):
    """Writes a file that is no picture, by its first bytes a PDF."""
    path.write_bytes(b"%PDF-1.4\n% " + os.urandom(size // 2).hex().encode() + b"\n%%EOF\n")
