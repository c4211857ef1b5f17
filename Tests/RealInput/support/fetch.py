"""Runs `calotype fetch` as a user would, in a home of its own."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIME_LIMIT = 300
CRASH_LIMIT = 8_000  # characters


@dataclass
class Finished:
    """What a run left behind."""

    exit: int
    error: str
    report: list[dict]

    def told(self) -> str:
        """Returns what the command said, for a failed check: the end of it, or the beginning of a crash.

        A crash tells its cause in its first lines, and hundreds of lines of registers and images follow.
        """
        is_crash = self.exit < 0 or "*** Signal" in self.error
        return f"\n{self.error[:CRASH_LIMIT]}" if is_crash else self.error[-500:]

    def codes(self) -> list[str]:
        """Returns status or failure code by index."""
        ordered = sorted(self.report, key=lambda entry: entry["index"])
        return [entry["code"] if entry["status"] == "failed" else entry["status"] for entry in ordered]


class Fetch:
    """The command with a scratch folder: `output` is where pictures go, lists and report lie beside it."""

    def __init__(self, binary: Path, scratch: Path, output: Path | None = None):
        self.binary, self.scratch = binary, scratch
        scratch.mkdir(parents=True, exist_ok=True)
        self.output = output or scratch / "output"
        self.report = scratch / "report.jsonl"
        self.variables: dict[str, str] = {}

    def run(self, urls: list[str], *options: str, allow_private: bool = True) -> Finished:
        return self.run_list(listing(urls), *options, allow_private=allow_private)

    def run_list(self, content: bytes, *options: str, allow_private: bool = True) -> Finished:
        """Runs the command over a list file of exactly these bytes."""
        command = self.command(self.write_list(content), *options, allow_private=allow_private)
        return self.run_command(command)

    def run_stdin(self, content: bytes, *options: str) -> Finished:
        return self.run_command(self.command("-", *options), input=content)

    def run_command(self, command: list[str], input: bytes = b"") -> Finished:
        """Runs to the end; a run that takes longer than any should is killed and told by its exit code."""
        try:
            done = subprocess.run(command, env=self.environment(), input=input, capture_output=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            return Finished(-9, f"killed after {TIME_LIMIT} s", self.read_report())
        return self.finish(done)

    def start(self, urls: list[str], *options: str) -> subprocess.Popen:
        """Starts the command and returns at once; `finish` reads what it left."""
        command = self.command(self.write_list(listing(urls)), *options)
        return subprocess.Popen(
            command, env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def finish(self, process) -> Finished:
        error = process.stderr if isinstance(process.stderr, bytes) else process.stderr.read()
        return Finished(process.returncode, error.decode(errors="replace"), self.read_report())

    def files(self) -> list[Path]:
        """Returns everything that lies below the output folder."""
        return sorted(path for path in self.output.rglob("*")) if self.output.exists() else []

    def read_report(self) -> list[dict]:
        if not self.report.exists():
            return []
        return [json.loads(line) for line in self.report.read_text().splitlines()]

    def write_list(self, content: bytes) -> Path:
        path = self.scratch / "list.txt"
        path.write_bytes(content)
        return path

    def command(self, listed, *options: str, allow_private: bool = True) -> list[str]:
        private = ["--allow-private"] if allow_private else []
        whole = [self.binary, "fetch", listed, "--output", self.output, "--report", self.report]
        return [str(part) for part in [*whole, *private, *options]]

    def environment(self) -> dict[str, str]:
        homes = {name: str(self.scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return os.environ | homes | self.variables


def listing(urls: list[str]) -> bytes:
    return "".join(f"{url}\n" for url in urls).encode()
