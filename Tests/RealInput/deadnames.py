"""Names that hang or do not exist beside good ones: they hold up nobody but themselves, and the report tells what they waited for.

The names are this trial's own: a library in front of the system's `getaddrinfo` answers those that end in `.name.test`.
"""

import subprocess
from pathlib import Path

from PIL import Image

from support.checks import Checks, eventually
from support.fetch import Fetch
from support.origin import RunningOrigin

NAMES_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

// hangN.name.test is asked for until the file GONE is there, noneN.name.test does not exist, and others are this machine.
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    lookup real = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
    size_t length = name ? strlen(name) : 0;
    if (length < 10 || strcmp(name + length - 10, ".name.test") != 0) return real(name, service, hints, result);
    if (strncmp(name, "none", 4) == 0) return EAI_NONAME;
    if (strncmp(name, "hang", 4) == 0) {
        while (access(getenv("GONE"), F_OK) != 0) usleep(10000);
        return EAI_AGAIN;
    }
    return real("127.0.0.1", service, hints, result);
}
"""
HANGING, UNKNOWN, GOOD = 20, 20, 40
PER_NAME = 3


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    library = scratch / "names.so"
    (scratch / "names.c").write_text(NAMES_SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, scratch / "names.c", "-ldl"], check=True)
    pictures = scratch / "pictures"
    pictures.mkdir()
    for n in range(GOOD):
        Image.new("RGB", (40, 30), (n, 120, 200)).save(pictures / f"{n}.png")
    with RunningOrigin(binary, "--images", str(pictures)) as origin:
        port = origin.base.rsplit(":", 1)[1]
        fetch = Fetch(binary, scratch / "fetch")
        fetch.variables = {"LD_PRELOAD": str(library), "GONE": str(scratch / "gone")}
        dead = [f"http://{kind}{n}.name.test:{port}/{i}.jpg" for i in range(PER_NAME)
                for kind, count in (("hang", HANGING), ("none", UNKNOWN)) for n in range(count)]
        paths = [url.split("/", 3)[3] for url in origin.get("/list.txt").decode().split()]
        good = [f"http://good{n}.name.test:{port}/{path}" for n, path in enumerate(paths)]
        # Half as many connections as names that hang; no limit of time ends a name before this trial does.
        process = fetch.start([*dead, *good], "--concurrency", str(HANGING // 2), "--retries", "0", "--timeout", "600")
        told = eventually(lambda: process.poll() is not None or origin.asked("/pictures") >= GOOD, 200)
        checks.that("good pictures are loaded while names hang", told and process.poll() is None, origin.asked("/pictures"))
        (scratch / "gone").touch()
        process.wait(timeout=120)
        done = fetch.finish(process)
        rows = {row["index"]: row for row in done.report}
        failed, loaded = [rows[i] for i in range(len(dead))], [rows[i] for i in range(len(dead), len(rows))]
        checks.equal("each good picture is there", {row["status"] for row in loaded}, {"ok"}, done.told())
        checks.equal("each dead name has its error", {row["code"] for row in failed} - {"timeout_connect"}, {"dns_failed"}, done.told())
        hanging = [row for row in failed if "//hang" in row["url"]]
        waits = [(row["ms"]["queue"], row["ms"]["dns"]) for row in hanging]
        checks.that("the wait for a name is told as dns, not as queue", all(queue < dns for queue, dns in waits), waits)
