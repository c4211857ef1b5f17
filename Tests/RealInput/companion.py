"""The Python package in `python/`: its tests with the real command, and its types.

    Tests/RealInput/companion.py PATH_TO_CALOTYPE
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

PACKAGE = Path(__file__).resolve().parents[2] / "python"
LIMIT = 600  # seconds


def check(checks: Checks, binary: Path, scratch: Path):
    try:
        python = environment("python") / "bin" / "python"
    except Unavailable as reason:
        checks.skip("the Python package", str(reason))
        return
    run(checks, "the package's tests pass", python, "pytest", "-q", "-p", "no:cacheprovider", binary=binary)
    run(checks, "the package's types are right", python, "mypy", "--cache-dir", scratch / "mypy", binary=binary)


def run(checks: Checks, what: str, python: Path, module: str, *arguments, binary: Path):
    done = subprocess.run(
        [python, "-m", module, *arguments], cwd=PACKAGE, timeout=LIMIT, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "CALOTYPE_BINARY": str(binary), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    checks.that(what, done.returncode == 0, done.stdout[-2000:])


if __name__ == "__main__":
    found = Checks()
    with tempfile.TemporaryDirectory(prefix="calotype-companion-") as folder:
        check(found, Path(sys.argv[1]).resolve(), Path(folder))
    print(found.summary())
    sys.exit(1 if found.failed else 0)
