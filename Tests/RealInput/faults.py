"""C libraries whose calls are watched or made to fail, by a library that is loaded before them."""

import json
import os
import random
import shutil
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image

import badinput
from support import diskfaults, preload
from support.checks import Checks
from support.diskfaults import DiskFaults, Fault
from support.faulty import Faulty
from support.fetch import Fetch
from support.serving import RunningServer


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
            an_upload_survives_a_full_disk(checks, binary, scratch / "upload")
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


def an_upload_survives_a_full_disk(checks: Checks, binary: Path, scratch: Path):
    """The app refuses what it cannot store, keeps what it has, and continues once there is room again."""
    scratch.mkdir()
    folder, log, full = scratch / "app", scratch / "faults.log", scratch / "disk-is-full"
    folder.mkdir()
    profiles = scratch / "config" / "calotype" / "profiles.json"
    profiles.parent.mkdir(parents=True)
    profiles.touch(mode=0o600)
    profiles.write_text('{"desk": {"to": "mastodon+http://127.0.0.1:65000", "token": "x", "allow_http": true}}')
    content = random.Random(7).randbytes(600_000)
    faults = {
        "LD_PRELOAD": str(preload.built("faults", scratch)), "FAULT_FOLDER": str(folder.resolve()), "FAULT_NUMBER": "1",
        "FAULT_CALLS": "write,pwrite,ftruncate,mkdir", "FAULT_LASTS": "on", "FAULT_ERROR": "ENOSPC", "FAULT_LOG": str(log),
        "FAULT_AFTER": str(full), "XDG_CONFIG_HOME": str(scratch / "config"),
    }
    options = ["--app", "--app-folder", folder, "--publish-profile", "desk"]
    with RunningServer(binary, scratch / "server", *options, environment=faults) as server:
        def call(method: str, path: str, body: bytes = b"", **fields):
            headers = {name.replace("_", "-"): str(value) for name, value in fields.items()}
            request = urllib.request.Request(
                server.url(path), data=body, method=method, headers={"Tus-Resumable": "1.0.0", "Origin": server.base} | headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return response.status, response.headers, response.read()
            except urllib.error.HTTPError as error:
                return error.code, error.headers, error.read()

        def append(upload: str, offset: int, body: bytes):
            return call("PATCH", upload, body, Upload_Offset=offset, Content_Type="application/offset+octet-stream")

        def offset(upload: str) -> int:
            return int(call("GET", upload)[1].get("Upload-Offset", -1))

        uploads = "/api/publish/uploads"
        status, headers, body = call("POST", uploads, Upload_Length=len(content))
        checks.equal("a full disk: an upload begins", status, 201, body)
        upload = headers["Location"]
        first = 200_000
        checks.equal("a full disk: the first part arrives", append(upload, 0, content[:first])[0], 204)
        post = json.dumps({"profile": "desk", "text": "Hello"}).encode()
        full.touch()
        for what, answer in [
            ("no more arrives", append(upload, first, content[first:])),
            ("no upload begins", call("POST", uploads, Upload_Length=10)),
            ("no whole file arrives", call("POST", "/api/publish/files?name=a.jpg", content)),
            ("no post begins", call("POST", "/api/publish/posts", post, Content_Type="application/json")),
        ]:
            checks.equal(f"a full disk: {what}", answer[0], 507, answer)
            checks.that(f"a full disk: {what}, with the reason", b"No space left" in answer[2], answer[2])
        checks.that("a full disk: it was one", log.exists() and log.read_text(), "no call failed")
        checks.equal("a full disk: what has arrived stays", offset(upload), first)
        full.unlink()
        left = sorted(path.name for path in (folder / "uploads").iterdir())
        name = upload.rsplit("/", 1)[-1]
        checks.equal("a full disk: nothing is left of what was refused", left, [name, f"{name}.json"])
        checks.equal("room again: the rest arrives", append(upload, first, content[first:])[0], 204)
        checks.that("room again: the file is whole", (folder / "files" / name).read_bytes() == content, name)


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
