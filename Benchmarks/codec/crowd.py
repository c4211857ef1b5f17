"""How much anonymous memory a process has while it decodes many large pictures at once."""

import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.002


@dataclass
class Crowd:
    idle_bytes: int
    peak_bytes: int
    after_bytes: int
    wall: float
    summary: str


def measure(program: Path, pictures: list[Path], options: list[str]) -> Crowd:
    """Runs our codec on all pictures at once; idle is when its threads wait for the first one."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "paths.txt"
        listed.write_text("".join(f"{path}\n" for path in pictures))
        count = str(len(pictures))
        command = [program, listed, "-", "--threads", count, "--at-a-time", count, "--from-files", "--pause", *options]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            return watched(process)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def watched(process: subprocess.Popen) -> Crowd:
    if process.stdout.readline().strip() != "ready":
        raise SystemExit("the codec did not begin")
    time.sleep(0.2)
    idle = anonymous_bytes(process.pid)
    seen, ended = [idle], threading.Event()

    def watch():
        while not ended.wait(INTERVAL):
            seen.append(anonymous_bytes(process.pid))

    thread = threading.Thread(target=watch)
    thread.start()
    started = time.monotonic()
    process.stdin.write("\n")
    process.stdin.flush()
    summary = process.stdout.readline().strip()
    wall = time.monotonic() - started
    ended.set()
    thread.join()
    process.wait()
    return Crowd(idle, max(seen), [value for value in seen if value][-1], wall, summary)


def anonymous_bytes(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # it has ended
    return 0
