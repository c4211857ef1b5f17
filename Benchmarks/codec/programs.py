"""The contestants of `script/bench codec`, each as a command line; see also fetch/peers.py."""

from dataclasses import dataclass, field
from pathlib import Path

from peers import FETCH, Job, output_of, peer_python, peer_version


@dataclass
class Ours:
    """The codec of Calotype alone, without network and without cache, in one process."""

    program: Path
    name: str
    options: list = field(default_factory=list)

    def command(self, job: Job) -> list:
        return [self.program, job.paths, job.output, "--quality", "85", *self.options]

    def version(self) -> str:
        return "this tree"


class PillowDraft:
    """PyPI's Pillow with `draft` and Lanczos-3, in processes, since its work on pixels is only partly parallel in threads."""

    def __init__(self, processes: int = 2):
        self.name, self.processes = "Pillow draft", processes

    def command(self, job: Job) -> list:
        return [peer_python(), FETCH / "pillow_thumbs.py", job.paths, job.output, "256", "85", self.processes]

    def version(self) -> str:
        return peer_version("pillow")


class PyVips:
    """PyPI's libvips: `thumbnail_buffer`, or shrink-on-load and then a resize as sharp calls it."""

    def __init__(self, way: str = "thumbnail"):
        self.name, self.way = "libvips of PyPI" + (", sharp's way" if way == "sharp" else ""), way

    def command(self, job: Job) -> list:
        return [peer_python(), FETCH / "pyvips_thumbs.py", job.paths, job.output, "256", "85", self.way]

    def version(self) -> str:
        return peer_version("pyvips-binary")


@dataclass
class OneFile:
    """A program that makes a 256 px JPEG of one file; `words` may hold {path} and {output}."""

    name: str
    words: list

    def command(self, job: Job) -> list:
        path, output = job.paths.read_text().strip(), job.output / "000000000.jpg"
        return [str(word).format(path=path, output=output, list=job.paths, folder=job.output) for word in self.words]
