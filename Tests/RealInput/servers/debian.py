"""Programs out of Debian packages, without installing the packages.

apt works on folders of ours, with sources of ours: no root is needed, the system's package lists are neither used nor
changed, and what the system has is not fetched again. Everything of a set is unpacked into one folder.
"""

import functools
import os
import shutil
from pathlib import Path

from servers.cache import FOLDER, Unavailable, call, locked

MIRROR = "http://deb.debian.org"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# The loader of programs belongs to the C library: a second one beside the system's crashes whatever meets it.
NEVER = ("libc6_", "libc-bin_")


def unpacked(name: str, packages: list[str]) -> Path:
    """Returns the folder that holds the files of `packages` and of what they need and the system lacks."""
    target = FOLDER / f"{name}-{codename()}"
    with locked(target):
        if not target.exists():
            staging = target.with_name(f"{target.name}.part")
            shutil.rmtree(staging, ignore_errors=True)
            (staging / "archives" / "partial").mkdir(parents=True)
            fetch(staging / "archives", packages)
            for archive in sorted((staging / "archives").glob("*.deb")):
                if not archive.name.startswith(NEVER):
                    call("dpkg-deb", "-x", archive, staging / "root")
            # The rename comes last, so that an interrupted unpacking is done anew.
            (staging / "root").rename(target)
            shutil.rmtree(staging)
    return target


def fetch(archives: Path, packages: list[str]):
    with locked(FOLDER / "apt"):
        folder = FOLDER / "apt"
        options = settings(folder) + ["-o", f"Dir::Cache::archives={archives}/"]
        call("apt-get", *options, "update")
        # What is named here is wanted in our folder though the system may have it as well.
        wishes = ["--yes", "--download-only", "--no-install-recommends", "--reinstall"]
        call("apt-get", *options, *wishes, "install", *packages)


def library_path(root: Path) -> str:
    """Returns where the loader finds the libraries below `root`."""
    return ":".join(str(path) for folder in ("lib", "usr/lib") for path in (root / folder).glob("*-linux-gnu*"))


def settings(folder: Path) -> list[str]:
    """Returns the options that keep apt to `folder`."""
    for name in ("lists/partial", "empty", "cache"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    release = codename()
    suites = [f"debian {release}", f"debian {release}-updates", f"debian-security {release}-security"]
    lines = [f"deb [signed-by={KEYS}] {MIRROR}/{suite} main" for suite in [*suites, f"debian {release}-backports"]]
    (folder / "sources.list").write_text("\n".join(lines) + "\n")
    places = {
        "Dir::Etc::sourcelist": folder / "sources.list", "Dir::Etc::sourceparts": folder / "empty",
        "Dir::Etc::preferences": folder / "empty" / "none", "Dir::Etc::preferencesparts": folder / "empty",
        "Dir::State::lists": folder / "lists", "Dir::State::extended_states": folder / "states",
        "Dir::Cache": folder / "cache", "Dir::Log": folder / "cache",
        # Nothing is installed, so nobody needs to be kept out.
        "Debug::NoLocking": "true", "Acquire::Languages": "none", "Acquire::Retries": "2",
        "Acquire::GzipIndexes": "true", "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "",
    }
    if os.geteuid() == 0:
        # The sandbox user of apt cannot write into a private folder.
        places["APT::Sandbox::User"] = "root"
    return ["-q", *(part for name, value in places.items() for part in ("-o", f"{name}={value}"))]


@functools.cache
def codename() -> str:
    """Returns the name of the Debian release that runs."""
    about = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    if about.get("ID") != "debian" or not KEYS.exists():
        raise Unavailable(f"its packages are Debian's, and this is {about.get('PRETTY_NAME')}")
    return about["VERSION_CODENAME"]
