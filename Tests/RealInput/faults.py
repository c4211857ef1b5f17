"""C libraries whose calls are watched or made to fail, by a library that is loaded before them."""

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image

import badinput
from support import diskfaults, preload
from support.checks import Checks
from support.diskfaults import DiskFaults, Fault
from support.faulty import Faulty
from support.fetch import Fetch


def check(checks: Checks, binary: Path, scratch: Path, thorough: bool = False):
    """Tries some of the calls that can fail, or all of them, which takes minutes."""
    if not shutil.which("cc"):
        checks.skip("faults in C libraries", "there is no C compiler")
        return
    folder = scratch / "origin"
    folder.mkdir(parents=True)
    badinput.draw_pictures(folder)
    Image.new("RGB", (640, 480), (10, 200, 30)).save(folder / "flat.png")
    with Faulty(folder) as faulty:
        if not thorough:
            a_full_disk_ends_a_run(checks, binary, scratch / "full", faulty)
        the_cache_survives_a_bad_disk(checks, binary, scratch / "disk", faulty, thorough)


def a_full_disk_ends_a_run(checks: Checks, binary: Path, scratch: Path, faulty: Faulty):
    """A disk, a quota or a read-only system that takes no picture takes none of the others either: nothing is waited for."""
    scratch.mkdir()
    library = preload.built("faults", scratch)
    for error in ("ENOSPC", "EDQUOT", "EROFS"):
        fetch = Fetch(binary, scratch / error)
        log = scratch / f"{error}.log"
        log.touch()
        fetch.variables = {
            "LD_PRELOAD": str(library), "FAULT_FOLDER": str(fetch.output.resolve()), "FAULT_CALLS": "write",
            "FAULT_NUMBER": "1", "FAULT_LASTS": "on", "FAULT_ERROR": error, "FAULT_LOG": str(log),
        }
        # The one that hangs would hold the run for hours.
        urls = [faulty.url("file/1/good.jpg"), faulty.url("hang/x.jpg")]
        finished = fetch.run(urls, *badinput.FIT, "--timeout", "10000")
        checks.equal(f"{error}: exit code", finished.exit, 3, finished.told())
        checks.that(f"{error}: says why, and how to go on", "stopped: 000000000.jpg" in finished.error, finished.told())
        checks.equal(f"{error}: what becomes of the URLs", finished.codes(), ["storage_failed", "cancelled"])


def the_cache_survives_a_bad_disk(checks: Checks, binary: Path, scratch: Path, faulty: Faulty, thorough: bool):
    scratch.mkdir()
    # As PNG the one is kept in a file of its own, the other in the index.
    urls = [faulty.url(f"file/{number}/{name}") for number in range(2) for name in ("good.jpg", "flat.png")]
    library = preload.built("faults", scratch)
    disk = DiskFaults(binary, scratch, library, urls, ["--fit", "320x240", "--format", "png"])
    checks.that("faults are struck", disk.can_fail(), "a run whose pictures cannot be written says that all is well")
    # Other calls in each run; the seed repeats them.
    seed = int(os.environ.get("CALOTYPE_SEED", time.time()))
    print(f"  CALOTYPE_SEED={seed}", flush=True)

    def outcome(fault: Fault):
        numbers = diskfaults.every_number() if thorough else diskfaults.some_numbers(seed)
        return fault, *disk.first_objections(fault, numbers)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for fault, struck, objections in pool.map(outcome, diskfaults.FAULTS):
            name = f"no request fails and the cache is sound after: {fault} ({struck} calls)"
            checks.that(name, not objections, "\n".join(objections))
