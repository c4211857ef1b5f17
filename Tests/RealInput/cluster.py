"""A dataset on a Ray cluster of three nodes, parts of which are killed: see clusterkills.py.

    Tests/RealInput/cluster.py PATH_TO_CALOTYPE [ROUNDS [SEED]]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Nothing is written beside the sources.
sys.dont_write_bytecode = True

from servers.cache import Unavailable, environment  # noqa: E402
from support.checks import Checks  # noqa: E402

TRIAL = Path(__file__).resolve().parent / "clusterkills.py"
LIMIT = 900  # seconds for a round
SEED = 21


def check(checks: Checks, binary: Path, scratch: Path):
    try:
        python = environment("ray") / "bin" / "python"
    except Unavailable as reason:
        checks.skip("a cluster", str(reason))
        return
    # Ray prints hundreds of lines of a node that dies to standard error: they are shown only if the trial fails.
    with tempfile.TemporaryFile("w+") as errors:
        done = subprocess.run(
            [python, TRIAL, binary, "1", str(SEED)], stdout=subprocess.PIPE, stderr=errors, text=True, timeout=LIMIT
        )
        errors.seek(0)
        shown = done.stdout[-2000:] + errors.read()[-2000:]
    print(done.stdout, flush=True)
    checks.that("a cluster makes each sample once, whatever is killed", done.returncode == 0, shown)


if __name__ == "__main__":
    try:
        found = environment("ray") / "bin" / "python"
    except Unavailable as reason:
        sys.exit(f"the environment cannot be made: {reason}")
    os.execv(found, [str(found), str(TRIAL), *sys.argv[1:]])
