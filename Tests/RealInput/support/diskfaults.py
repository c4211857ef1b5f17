"""Runs `calotype fetch` over a cache on a disk that fails at its n-th call, for each n, and looks at what is left."""

import itertools
import random
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from support.fetch import Fetch

WRITES, READS, SYNCS = "write,pwrite", "read,pread", "fsync,fdatasync"


@dataclass(frozen=True)
class Fault:
    """A kind of call that fails once, or from then on; over an empty cache or over one that is full of answers."""

    calls: str
    error: str
    lasts: str = "once"
    start: str = "empty"

    def __str__(self) -> str:
        return f"{self.calls} {self.error} {self.lasts}, {self.start} cache"


KINDS = [
    Fault(WRITES, "ENOSPC", "on"), Fault(WRITES, "EIO"), Fault(WRITES, "EIO", "on"), Fault(WRITES, "short"),
    Fault(WRITES, "EINTR"), Fault("open", "EMFILE"), Fault("open", "EIO", "on"), Fault(READS, "EIO"),
    Fault(READS, "EIO", "on"), Fault(READS, "EINTR"), Fault(SYNCS, "EIO"), Fault(SYNCS, "EIO", "on"),
    Fault("ftruncate", "EIO"), Fault("unlink,rename", "EIO", "on"), Fault("mkdir", "ENOSPC", "on"),
]
FAULTS = KINDS + [Fault(kind.calls, kind.error, kind.lasts, "full") for kind in KINDS]


class DiskFaults:
    """The scenario: a run over a cache, with a fault; then a run without one over what the first left."""

    def __init__(self, binary: Path, scratch: Path, library: Path, urls: list[str], options: list[str]):
        self.binary, self.scratch, self.library, self.urls, self.options = binary, scratch, library, urls, options
        self.full = scratch / "full-cache"
        self.wanted = self.run(scratch / "reference", self.full)[1]
        self.kept = self.index(self.full)[1]

    def first_objections(self, fault: Fault, numbers) -> tuple[int, list[str]]:
        """Tries the numbers until no call is struck; returns how many were, and what was wrong, if anything."""
        struck = 0
        for number in numbers:
            found = self.objections(fault, number)
            if found is None:
                break
            struck += 1
            if found:
                return struck, [f"call {number}", *found]
        return struck, []

    def objections(self, fault: Fault, number: int) -> list[str] | None:
        """Lets call `number` fail and returns what is not as it should be; `None` when there was no such call."""
        folder = self.scratch / str(fault).replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        cache, log = folder / "cache", folder / "struck"
        folder.mkdir(parents=True)
        if fault.start == "full":
            shutil.copytree(self.full, cache)
        found = self.objections_to("with the fault", folder / "first", cache, self.variables(fault, number, cache, log))
        struck = log.read_text()
        if not struck:
            return None
        found += self.objections_to("after the fault", folder / "second", cache) + self.objections_to_index(cache)
        return found and [struck.splitlines()[0], *found]

    def can_fail(self) -> bool:
        """Whether a fault in the folder of the pictures is struck and told, so that silence about the cache means something."""
        folder = self.scratch / "judged"
        variables = self.variables(Fault(WRITES, "EIO", "on"), 1, folder / "output", self.scratch / "judged-log")
        return self.run(folder, folder / "cache", variables)[0].exit == 3

    def variables(self, fault: Fault, number: int, folder: Path, log: Path) -> dict[str, str]:
        log.touch()
        return {
            "LD_PRELOAD": str(self.library), "FAULT_FOLDER": str(folder.resolve()), "FAULT_CALLS": fault.calls,
            "FAULT_NUMBER": str(number), "FAULT_LASTS": fault.lasts, "FAULT_ERROR": fault.error, "FAULT_LOG": str(log),
        }

    def run(self, folder: Path, cache: Path, variables: dict[str, str] = {}):
        fetch = Fetch(self.binary, folder)
        fetch.variables = variables
        finished = fetch.run(self.urls, *self.options, "--cache", str(cache))
        return finished, {path.name: path.read_bytes() for path in fetch.files()}

    def objections_to(self, when: str, folder: Path, cache: Path, variables: dict[str, str] = {}) -> list[str]:
        finished, files = self.run(folder, cache, variables)
        if finished.exit != 0:
            return [f"{when}: exit code {finished.exit}, {finished.told()}"]
        return [] if files == self.wanted else [f"{when}: the pictures are not those of a run without a fault"]

    def objections_to_index(self, cache: Path) -> list[str]:
        try:
            verdict, kept = self.index(cache)
        except sqlite3.Error as error:
            return [f"the index cannot be read: {error}"]
        sound = [] if verdict == "ok" else [f"the index is not sound: {verdict}"]
        return sound if kept == self.kept else [*sound, f"{kept} entries are kept after the fault, not {self.kept}"]

    @staticmethod
    def index(cache: Path) -> tuple[str, int]:
        """Returns SQLite's verdict on the index, and the number of its entries."""
        connection = sqlite3.connect(cache / "index.db")
        try:
            verdict = connection.execute("PRAGMA integrity_check").fetchone()[0]
            return verdict, connection.execute("SELECT count(*) FROM entry").fetchone()[0]
        finally:
            connection.close()


def every_number():
    return itertools.count(1)


def some_numbers(seed: int):
    """The first two, then fewer and fewer; the seed says which."""
    chance, number = random.Random(seed), 1
    while True:
        yield number
        number += 1 + chance.randrange(number)
