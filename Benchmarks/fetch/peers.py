"""The programs that are compared, each as a command line."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from servers.cache import environment as packages_of

FETCH = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Job:
    """One run: the URLs (and the same pictures as paths), where results go, and a scratch folder of its own."""

    urls: Path
    paths: Path
    output: Path
    scratch: Path

    @property
    def report(self) -> Path:
        return self.scratch / "report.jsonl"


class Calotype:
    name = "calotype fetch"

    def __init__(self, binary: Path, options: list[str]):
        self.binary, self.options = binary, options

    def command(self, job: Job) -> list:
        # Memory and CPU come from outside: the same ruler for all.
        return [
            self.binary, "fetch", job.urls, "--output", job.output, "--fit", "256x256", "--quality", "85",
            "--allow-private", "--report", job.report, "--quiet", *self.options,
        ]  # fmt: skip

    def version(self) -> str:
        return output_of([self.binary, "--version"])


class CachedCalotype(Calotype):
    """With a cache that outlives the run; `starts_empty` removes it first."""

    def __init__(self, binary: Path, options: list[str], cache: Path, starts_empty: bool):
        super().__init__(binary, [*options, "--cache", str(cache)])
        self.cache, self.starts_empty = cache, starts_empty

    def command(self, job: Job) -> list:
        if self.starts_empty:
            shutil.rmtree(self.cache, ignore_errors=True)
        return super().command(job)


class LibvipsLimit:
    """The C program; with `srgb` it converts to sRGB, which libvips charges for pictures without a profile too."""

    # libvips 8.14.1 has been seen to crash in this program about once in 15 runs: docs/decisions/0002.
    may_crash = True

    def __init__(self, folder: Path, srgb: bool = False, threads: int = 2):
        self.name = "C on libvips" + (" to sRGB" if srgb else "")
        self.options = [threads] + (["srgb"] if srgb else [])
        self.binary = folder / "vlimit"
        self._build()

    def command(self, job: Job) -> list:
        return [self.binary, job.paths, job.output, "256", "85", *self.options]

    def version(self) -> str:
        return output_of(["vips", "--version"])

    def _build(self):
        self.binary.parent.mkdir(parents=True, exist_ok=True)
        flags = output_of(["pkg-config", "--cflags", "--libs", "vips"]).split()
        subprocess.run(["cc", "-O2", FETCH / "vlimit.c", "-o", self.binary, "-pthread", *flags], check=True)


class CurlAndVipsthumbnail:
    name = "curl -Z, vipsthumbnail -P2"

    def command(self, job: Job) -> list:
        return [FETCH / "curl-vipsthumbnail", job.urls, job.output, job.scratch / "downloads"]

    def version(self) -> str:
        return output_of(["curl", "--version"]).splitlines()[0]


class AiohttpPyvips:
    """The script that people write who want it fast: aiohttp, and libvips of PyPI on two threads."""

    name = "aiohttp and pyvips"

    def command(self, job: Job) -> list:
        return [peer_python(), FETCH / "aiohttp_pyvips.py", job.urls, job.output, "256", "85"]

    def version(self) -> str:
        return f"{peer_version('aiohttp')}, {peer_version('pyvips-binary')}"


class Img2dataset:
    """img2dataset in files, with two processes and the shards that suit it best here."""

    name = "img2dataset"

    def command(self, job: Job) -> list:
        program = peer_python().with_name("img2dataset")
        shard = max(1, min(600, len(job.urls.read_text().splitlines()) // 4))
        return [
            program, f"--url_list={job.urls}", f"--output_folder={job.output / 'shards'}", "--input_format=txt",
            "--output_format=files", "--processes_count=2", "--thread_count=64", "--image_size=256", "--resize_mode=keep_ratio_largest",
            "--resize_only_if_bigger=True", "--encode_quality=85", f"--number_sample_per_shard={shard}", "--enable_wandb=False",
        ]  # fmt: skip

    def version(self) -> str:
        return peer_version("img2dataset")


def peer_python() -> Path:
    """Returns the Python that has the peers of PyPI: `script/bootstrap --bench` installs them."""
    return packages_of("peers") / "bin" / "python"


def peer_version(package: str) -> str:
    code = "import sys; from importlib.metadata import version; print(sys.argv[1], version(sys.argv[1]))"
    return output_of([peer_python(), "-c", code, package])


def environment(scratch: Path) -> dict[str, str]:
    """Returns the environment of a run: no state, cache or configuration of an earlier run or of the user."""
    homes = {name: str(scratch / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | homes | {"VIPS_WARNING": "1"}


def output_of(command: list) -> str:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout.strip()
