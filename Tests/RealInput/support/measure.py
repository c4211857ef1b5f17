"""Runs a command and tells what it and its children cost.

Wall time is that of the process, from start to exit. CPU time is user + system of the process and of all children
that it waited for, as wait4 tells. Memory is sampled from /proc: the kernel's own high-water mark where there is one
process, the largest sum of proportional set sizes (shared pages counted once) where there are several.
"""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

HIGH_WATER_INTERVAL = 0.05
# Summing a set size walks the page tables: often enough to see a peak, rarely enough not to cost a core.
SUM_INTERVAL = 0.25


@dataclass
class Cost:
    """What one run of a command took."""

    exit: int
    wall: float
    cpu: float
    peak_bytes: int
    timed_out: bool = False


class MemoryWatch:
    """Samples the memory of a process tree on a thread, until it is left."""

    def __init__(self, pid: int, time_limit: float):
        self._pid, self._time_limit = pid, time_limit
        self.peak_bytes, self.timed_out = 0, False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "MemoryWatch":
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _watch(self):
        started = summed = time.monotonic()
        while not self._stop.wait(HIGH_WATER_INTERVAL):
            now = time.monotonic()
            self.peak_bytes = max(self.peak_bytes, high_water_bytes(self._pid))
            if now - summed >= SUM_INTERVAL:
                summed = now
                tree = process_tree(self._pid)
                if len(tree) > 1:
                    self.peak_bytes = max(self.peak_bytes, sum(map(proportional_bytes, tree)))
            if now - started > self._time_limit and not self.timed_out:
                self.timed_out = True
                os.killpg(self._pid, signal.SIGKILL)


def run(command: list, environment: dict[str, str], log: Path, time_limit: float = 900) -> Cost:
    """Runs `command` with its output in `log`; kills it and its children after `time_limit` seconds."""
    with open(log, "wb") as output:
        started = time.monotonic()
        # A session of its own, so that a time-out ends its children as well, and only those.
        process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )
        with MemoryWatch(process.pid, time_limit) as memory:
            # Leaves the process a zombie, so that its id cannot become another's while the watch may still kill it.
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            wall = time.monotonic() - started
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(process.returncode, wall, cpu, memory.peak_bytes, memory.timed_out)


def process_tree(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        try:
            for children in Path(f"/proc/{current}/task").glob("*/children"):
                waiting += map(int, children.read_text().split())
        except OSError:
            pass  # it ended while we looked
    return found


def high_water_bytes(pid: int) -> int:
    return field_bytes(Path(f"/proc/{pid}/status"), "VmHWM:")


def proportional_bytes(pid: int) -> int:
    return field_bytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def field_bytes(path: Path, name: str) -> int:
    try:
        for line in path.read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # it ended while we looked
    return 0
