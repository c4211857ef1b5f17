"""The help of every command: it fits 80 columns, and each of its examples works as it is printed."""

import os
import re
import signal
import subprocess
import textwrap
from pathlib import Path

from PIL import Image

from support.checks import Checks
from support.command import TIME_LIMIT, Commands
from support.origin import RunningOrigin

WIDTH = 80
# What an example needs that only a real service has; each still gets past its arguments.
EXPECTED_FAILURES = {
    "apps show 1234567890": "no_such_app",
    "apps show com.example.camera": "no_such_app",
    "https://example.com/feed.json": "http_404",
    "publish settle": "the journal has no publication",
    "calotype wall": "needs a terminal",
    "s3://pictures/cats": "needs keys",
}
SERVERS = ("calotype serve", "calotype origin")


def check(checks: Checks, binary: Path, scratch: Path):
    with RunningOrigin(binary) as origin:
        trial = HelpTexts(checks, binary, scratch, origin)
        pages = trial.pages()
        trial.widths(pages)
        examples = [example for page in pages.values() for example in commands(page)]
        checks.that("help has examples", len(examples) > 30, len(examples))
        for example in examples:
            trial.example(example)


def commands(page: str) -> list[str]:
    """The command lines of a help page, each in one piece."""
    start = page.find("\nExamples:\n")
    if start < 0:
        return []
    section = page[start + len("\nExamples:\n"):].split("\nExit codes:")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    return re.sub(r" \\\n +", " ", "\n".join(lines)).splitlines()


class HelpTexts(Commands):
    def __init__(self, checks: Checks, binary: Path, scratch: Path, origin: RunningOrigin):
        super().__init__(checks, binary, scratch, origin.base)
        urls = origin.get("/list.txt").decode().split()[:3]
        self.folder = scratch / "work"
        (self.folder / "holiday").mkdir(parents=True)
        for name in ("photo.heic", "boats.jpg", "holiday/a.jpg"):
            Image.effect_noise((64, 48), 90).convert("RGB").save(self.folder / name, "JPEG")
        (self.folder / "urls.txt").write_text("\n".join(urls))
        (self.folder / "access.txt").write_text("\n".join(url for url in urls if "jpg" in url))
        (self.folder / "post.json").write_text('{"text": "A day out", "media": [{"file": "boats.jpg"}]}')
        self.picture = urls[0]
        programs = scratch / "programs"
        programs.mkdir()
        (programs / "calotype").symlink_to(binary.resolve())
        (programs / "jq").write_text("#!/bin/sh\nexec cat\n")
        (programs / "jq").chmod(0o755)
        profiles = scratch / "config" / "calotype" / "profiles.json"
        profiles.parent.mkdir(parents=True)
        profiles.touch(mode=0o600)
        profiles.write_text(f'{{"blog": {{"to": "mastodon+{origin.base}", "token": "demo"}}}}')
        self.variables = {
            "PATH": f"{programs}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(scratch / "config"),
            "CALOTYPE_KEY": "ab", "CALOTYPE_SALT": "cd", "CALOTYPE_BIND": "127.0.0.1:0",
        }

    def pages(self) -> dict[str, str]:
        """The help of the program and of each command, by name."""
        program = self.run("help").out
        listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +[A-Z]", program.split("\nCommands:\n")[1].split("\n\n")[0], re.MULTILINE)
        self.checks.that("help lists all commands", {"fetch", "publish gc", "sign"} <= set(listed), listed)
        families = {name.split()[0] for name in listed if " " in name}
        names = listed + sorted(families - set(listed))
        return {"": program} | {name: self.run("help", *name.split()).out for name in names}

    def widths(self, pages: dict[str, str]):
        for name, page in pages.items():
            self.checks.that(f"help {name}: is there", page.startswith("calotype"), page[:80])
            wide = [line for line in page.splitlines() if len(line) > WIDTH]
            self.checks.equal(f"help {name}: lines wider than {WIDTH} columns", wide, [])

    def example(self, line: str):
        """Runs the example with this machine in place of the web."""
        here = self.here(line)
        serves = any(line.endswith(server) or server + " " in line for server in SERVERS)
        code, error = self.serve(here) if serves else self.finish(here)
        reason = next((reason for part, reason in EXPECTED_FAILURES.items() if part in line), None)
        told = textwrap.shorten(error, 400)
        if reason:
            self.checks.that(f"{line}: fails with {reason}", reason in error, (code, told))
        else:
            self.checks.equal(f"{line}: exit code", code, 143 if code == 143 and serves else 0, told)
        self.checks.that(f"{line}: accepts its arguments", "--help'." not in error, told)

    def here(self, line: str) -> str:
        pictures = re.sub(r"https://example\.com/[a-z]+\.(jpg|png|webp)", lambda _: self.picture, line)
        if "calotype sign" in line:
            pictures = line
        local = re.sub(r"https://example\.(com|org)|http://127\.0\.0\.1:8080", self.base, pictures)
        local = local.replace("/files/", "/tus/").replace("/var/cache/calotype", str(self.scratch / "served"))
        local = local.replace("CALOTYPE_BIND=:8080 CALOTYPE_KEY=... CALOTYPE_SALT=...", "CALOTYPE_BIND=127.0.0.1:0")
        local = local.replace("CALOTYPE_TOKEN=...", "CALOTYPE_TOKEN=demo")
        if "calotype origin" in line:
            return local + " --port 0"
        if re.search("calotype dataset (verify|stats|gc)", line):
            return local
        if "--image-size 224" in line:
            # Another example has filled the folder, with other options.
            local = local.replace(" shards", " shards-224")
        if "calotype fetch" in line or "calotype dataset" in line:
            # Icons are drawn when they are requested, which takes an unoptimised build a second each.
            local += " --allow-private" + (" --limit 2" if "--apps" in line else "")
        return local

    def shell(self, line: str) -> dict:
        return {
            "args": ["bash", "-o", "pipefail", "-c", line], "cwd": self.folder, "env": self.environment(**self.variables),
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
        }

    def finish(self, line: str) -> tuple[int, str]:
        done = subprocess.run(**self.shell(line), timeout=TIME_LIMIT)
        return done.returncode, done.stderr

    def serve(self, line: str) -> tuple[int, str]:
        """Starts a server, and ends it when it says that it listens."""
        # bash replaces itself with a single command, so the signal reaches the server.
        process = subprocess.Popen(**self.shell(re.sub(r"calotype (serve|origin)", r"exec calotype \1", line)))
        listens = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=TIME_LIMIT)
        self.checks.that(f"{line}: listens", listens.startswith("listening on "), (listens, error[-400:]))
        return process.returncode, error
