"""C libraries whose calls are watched or made to fail, by a library that is loaded before them."""

import os
import re
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
            resamplers_are_made_one_at_a_time(checks, Fetch(binary, scratch / "resamplers"), faulty)
        the_cache_survives_a_bad_disk(checks, binary, scratch / "disk", faulty, thorough)


def resamplers_are_made_one_at_a_time(checks: Checks, fetch: Fetch, faulty: Faulty):
    """liborc, with which libvips compiles them, gives memory for code to two threads at once before version 0.4.34."""
    fetch.variables = {"LD_PRELOAD": str(preload.built("resamplers", fetch.scratch))}
    urls = [faulty.url(f"file/{number}/good.jpg") for number in range(40)]
    finished = fetch.run(urls, *badinput.FIT)
    name = "two threads never make or free a resampler at once"
    if finished.exit == 0 and not re.search(r"^resamplers: \d+ calls$", finished.error, re.MULTILINE):
        checks.skip(name, "this libvips does without liborc")
        return
    checks.equal(name, (finished.exit, set(finished.codes())), (0, {"ok"}), finished.told())


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
