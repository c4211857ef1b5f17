"""Publishing where something is not as it should be: servers that answer with a page to sign in, store late, or name files as they are
told, and a journal whose disk is full."""

import base64
import itertools
import json
import shutil
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from publishing.trial import finish, write_photo, written_post
from support import preload
from support.checks import Checks
from support.command import Commands

PATIENCE = 60  # seconds until what must happen has happened


class OddServer(ThreadingHTTPServer):
    """`/files/` stores as it should, `/late/` only after it was asked to remove what it has received; `/sign-in/` answers anything with a
    page; `/tus/` is a tus server that names complete uploads as it is told; `/posts` takes posts, each key once."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), OddRequest)
        self.base = f"http://127.0.0.1:{self.server_address[1]}"
        self.files: dict[str, bytes] = {}
        self.uploads: list[dict] = []
        self.posts: dict[str, bytes] = {}
        # A file to make when a post arrives, before it is answered.
        self.trigger: Path | None = None
        self.received, self.removed, self.stored = threading.Event(), threading.Event(), threading.Event()

    def __enter__(self) -> "OddServer":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def handle_error(self, *_):
        """Says nothing of a client that has gone."""

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class OddRequest(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OddServer

    def log_message(self, *_):
        pass

    def answer(self, status: int, body: bytes = b"", length: int | None = None, **fields: str):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if status != 204:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind = self.path.split("/")[1]
        {"files": self.store, "late": self.late, "sign-in": self.sign_in, "tus": self.tus, "posts": self.take}[kind](body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = do_OPTIONS = handle_any

    def sign_in(self, _):
        self.answer(200, b"<!doctype html><title>Sign in</title>", Content_Type="text/html")

    def store(self, body: bytes):
        files = self.server.files
        if self.command == "PUT":
            files[self.path] = body
            self.answer(201)
        elif self.path not in files:
            self.answer(404)
        elif self.command == "DELETE":
            del files[self.path]
            self.answer(204)
        else:
            self.answer(200, length=len(files[self.path]))

    def take(self, body: bytes):
        key = self.headers["Idempotency-Key"]
        self.server.posts[key] = body
        if self.server.trigger:
            self.server.trigger.touch()
        self.answer(201, json.dumps({"id": key, "url": f"{self.server.base}/posts/{key}"}).encode(), Content_Type="application/json")

    def late(self, body: bytes):
        server = self.server
        if self.command == "PUT":
            server.received.set()
            server.removed.wait(PATIENCE)
            server.files[self.path] = body
            server.stored.set()
        elif self.command == "DELETE" and not server.removed.is_set():
            server.removed.set()
            self.answer(404)
        else:
            server.stored.wait(PATIENCE)
            self.store(body)

    def tus(self, body: bytes):
        uploads = self.server.uploads
        if self.command == "OPTIONS":
            return self.answer(204, Tus_Version="1.0.0", Tus_Extension="creation,termination")
        if self.command == "POST":
            pairs = dict(pair.split(" ") for pair in self.headers["Upload-Metadata"].split(","))
            name = base64.b64decode(pairs["filename"]).decode()
            uploads.append({"name": name, "length": int(self.headers["Upload-Length"]), "bytes": b""})
            return self.answer(201, Location=f"/tus/{len(uploads)}", Tus_Resumable="1.0.0")
        upload = uploads[int(self.path.split("/")[-1]) - 1]
        if self.command == "PATCH":
            upload["bytes"] += body
            if len(upload["bytes"]) == upload["length"]:
                self.server.files[upload["name"]] = upload["bytes"]
        self.answer(204, Upload_Offset=str(len(upload["bytes"])), Tus_Resumable="1.0.0")


def check(checks: Checks, binary: Path, scratch: Path):
    for case in (stored_late, not_stored, not_published, named_alike, full_disk):
        with OddServer() as server:
            case(checks, Commands(checks, binary, scratch / case.__name__, ""), server)


def publish(commands: Commands, server: OddServer, to: str, post_to: str, *options):
    post = written_post(commands.scratch, "Hello", 1, 0, 0)
    journal = commands.scratch / "journal"
    return commands.start("publish", post.path, "--to", to, "--post-to", f"{server.base}{post_to}", "--journal", journal, *options)


def stored_late(checks: Checks, commands: Commands, server: OddServer):
    process = publish(commands, server, f"plain+{server.base}/late/", "/files/post")
    checks.that("stored late: it was received", server.received.wait(PATIENCE))
    process.send_signal(signal.SIGINT)
    done = finish(process)
    checks.equal("stored late: exit code", done.exit, 130, str(done))
    checks.that("stored late: it was stored after the first DELETE", server.stored.is_set())
    checks.equal("stored late: what is left", list(server.files), [], str(done))
    checks.that("stored late: says so", "nothing is left on the server" in done.error, done)


def not_stored(checks: Checks, commands: Commands, server: OddServer):
    done = finish(publish(commands, server, f"plain+{server.base}/sign-in/", "/sign-in/posts"))
    checks.that("a page to a PUT: is no success", done.exit in (1, 3) and "not_stored" in done.error, done)
    checks.equal("a page to a PUT: nothing is told to be published", done.out, "")


def not_published(checks: Checks, commands: Commands, server: OddServer):
    done = finish(publish(commands, server, f"plain+{server.base}/files/", "/sign-in/posts"))
    checks.equal("a page to the post: exit code", done.exit, 1, str(done))
    checks.that("a page to the post: says why", "outcome_unknown" in done.error and "web page" in done.error, done)


def named_alike(checks: Checks, commands: Commands, server: OddServer):
    for name in ("a", "b"):
        (commands.scratch / name).mkdir()
        write_photo(commands.scratch / name / "IMG_1.jpg")
    post = commands.scratch / "post.json"
    post.write_text('{"media": [{"file": "a/IMG_1.jpg"}, {"file": "b/IMG_1.jpg"}]}')
    # What becomes of the post does not matter here.
    finish(commands.start(
        "publish", post, "--to", f"tus+{server.base}/tus/", "--post-to", f"{server.base}/sign-in/posts",
        "--journal", commands.scratch / "journal",
    ))
    wanted = sorted((commands.scratch / name / "IMG_1.jpg").read_bytes() for name in ("a", "b"))
    checks.equal("two files of one name: both are there", sorted(server.files.values()) == wanted, True, sorted(server.files))


def full_disk(checks: Checks, commands: Commands, server: OddServer):
    """The journal's disk is full from the n-th write on, for each n; what is said of the post is true each time."""
    if not shutil.which("cc"):
        return checks.skip("a full disk under the journal", "there is no C compiler")
    library = preload.built("faults", commands.scratch)
    post = written_post(commands.scratch, "Hello", 2, 0, 0)
    target = ("--to", f"plain+{server.base}/files/", "--post-to", f"{server.base}/posts", "--settle", "key")
    objections = []

    def attempt(name: str, number: int, **more: str):
        """Publishes with a fault and continues without; returns the first ending, or `None` if no write failed."""
        server.posts.clear()
        journal, log = commands.scratch / f"journal-{name}", commands.scratch / f"struck-{name}"
        log.touch()
        fault = {
            "LD_PRELOAD": str(library), "FAULT_FOLDER": str(journal), "FAULT_CALLS": "write,pwrite", "FAULT_NUMBER": str(number),
            "FAULT_LASTS": "on", "FAULT_ERROR": "ENOSPC", "FAULT_LOG": str(log), **more,
        }
        done = finish(commands.start("publish", post.path, *target, "--journal", journal, **fault))
        if not log.read_text():
            return None
        ending, words = (len(server.posts), done.exit), ("not published" in done.error, "published_not_recorded" in done.error)
        if ending not in ((0, 1), (0, 3), (1, 0), (1, 4)) or done.exit == 4 and words != (False, True):
            objections.append(f"write {name}: {len(server.posts)} posts, {done}")
        resumed = finish(commands.start("publish", post.path, *target, "--journal", journal, "--resume"))
        if "nothing_to_resume" in resumed.error:
            resumed = finish(commands.start("publish", post.path, *target, "--journal", journal))
        if resumed.exit != 0 or len(server.posts) != 1:
            objections.append(f"after write {name}: {len(server.posts)} posts, {resumed}")
        return ending

    for number in itertools.count(1):
        if attempt(str(number), number) is None:
            break
    # Changes share transactions, so the number of writes before the post differs from run to run.
    server.trigger = commands.scratch / "posted"
    ending = attempt("once posted", 1, FAULT_AFTER=str(server.trigger))
    server.trigger = None
    checks.equal("a full disk under the journal: what is not as it should be", objections, [])
    checks.equal("a full disk under the journal once the post is sent: published and not recorded", ending, (1, 4))
