"""Pictures out of Debian packages, without installing the packages.

`apt-get download` needs no root; `dpkg-deb -x` unpacks into a folder of ours. What is there already is not fetched again.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

RASTER_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def unpacked(package: str, folder: Path) -> Path:
    """Returns the folder that holds the files of `package`, fetching and unpacking it once."""
    target = folder / package
    if target.exists():
        return target
    staging = folder / f"{package}.part"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    print(f"packages: fetching {package}", file=sys.stderr, flush=True)
    # The sandbox user of apt cannot write into a private folder; saying so up front saves a warning.
    options = ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
    subprocess.run(["apt-get", "-q", *options, "download", package], cwd=staging, check=True, stdout=subprocess.DEVNULL)
    (archive,) = staging.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, staging / "root"], check=True)
    # The rename comes last, so that an interrupted unpacking is done anew.
    (staging / "root").rename(target)
    shutil.rmtree(staging)
    return target


def available(packages: list[str], folder: Path) -> dict[str, Path]:
    """Returns the unpacked folder of each package that can be had; names those that cannot on standard error."""
    found = {}
    for package in packages:
        try:
            found[package] = unpacked(package, folder)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"packages: {package} cannot be had ({error})", file=sys.stderr)
    return found


def pictures(root: Path) -> list[Path]:
    """Returns the raster pictures below `root` in a stable order, without symbolic links."""
    return sorted(
        path
        for path in root.rglob("*")
        if path.suffix.lower() in RASTER_SUFFIXES and path.is_file() and not path.is_symlink()
    )
