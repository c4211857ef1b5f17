"""C libraries whose calls are watched or made to fail, by a library that is loaded before them."""

import re
import shutil
from pathlib import Path

import badinput
from support import preload
from support.checks import Checks
from support.faulty import Faulty
from support.fetch import Fetch


def check(checks: Checks, binary: Path, scratch: Path):
    if not shutil.which("cc"):
        checks.skip("faults in C libraries", "there is no C compiler")
        return
    folder = scratch / "origin"
    folder.mkdir(parents=True)
    badinput.draw_pictures(folder)
    with Faulty(folder) as faulty:
        resamplers_are_made_one_at_a_time(checks, Fetch(binary, scratch / "resamplers"), faulty)


def resamplers_are_made_one_at_a_time(checks: Checks, fetch: Fetch, faulty: Faulty):
    """liborc, with which libvips compiles them, gives memory for code to two threads at once before version 0.4.34."""
    fetch.preloaded = preload.built("resamplers", fetch.scratch)
    urls = [faulty.url(f"file/{number}/good.jpg") for number in range(40)]
    finished = fetch.run(urls, *badinput.FIT)
    name = "two threads never make or free a resampler at once"
    if finished.exit == 0 and not re.search(r"^resamplers: \d+ calls$", finished.error, re.MULTILINE):
        checks.skip(name, "this libvips does without liborc")
        return
    checks.equal(name, (finished.exit, set(finished.codes())), (0, {"ok"}), finished.told())
