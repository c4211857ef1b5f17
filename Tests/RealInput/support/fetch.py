"""Runs `calotype fetch` as a user would, in a home of its own."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Finished:
    """What a run left behind."""

    exit: int
    error: str
    report: list[dict]

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

    def run(self, urls: list[str], *options: str, allow_private: bool = True, time_limit: float = 300) -> Finished:
        return self.run_list("".join(f"{url}\n" for url in urls).encode(), *options, allow_private=allow_private, time_limit=time_limit)

    def run_list(self, content: bytes, *options: str, allow_private: bool = True, time_limit: float = 300) -> Finished:
        """Runs the command over a list file of exactly these bytes."""
        command = self.command(self.write_list(content), *options, allow_private=allow_private)
        return self.finish(subprocess.run(command, env=self.environment(), capture_output=True, timeout=time_limit))

    def run_stdin(self, content: bytes, *options: str) -> Finished:
        command = self.command("-", *options)
        return self.finish(
            subprocess.run(command, env=self.environment(), input=content, capture_output=True, timeout=300)
        )

    def start(self, urls: list[str], *options: str) -> subprocess.Popen:
        """Starts the command and returns at once; `finish` reads what it left."""
        listed = self.write_list("".join(f"{url}\n" for url in urls).encode())
        command = self.command(listed, *options)
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
        whole = [self.binary, "fetch", listed, "--output", self.output, "--report", self.report, "--quiet"]
        return [str(part) for part in [*whole, *private, *options]]

    def environment(self) -> dict[str, str]:
        homes = {name: str(self.scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return os.environ | homes
