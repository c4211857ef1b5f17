"""PNG with 16 bits a sample: what ImageMagick writes with 16 comes out with the same samples."""

import itertools
import random
import struct
import subprocess
from pathlib import Path

from support.checks import Checks

COLOURS = {"gray": 1, "rgb": 3, "rgba": 4}


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir()
    depth = Depth(checks, binary, scratch)
    depth.exact()
    depth.edits()
    depth.refusals()


class Depth:
    def __init__(self, checks: Checks, binary: Path, scratch: Path):
        self.checks, self.binary, self.scratch = checks, binary, scratch
        self.random = random.Random(16)

    def exact(self):
        """Each sample is kept, and each of 8 bits becomes the same part of the range."""
        for end, (colour, channels) in itertools.product(("png", "tiff"), COLOURS.items()):
            samples = list(range(65_536)) * channels
            self.random.shuffle(samples)
            source = self.written(f"{colour}.{end}", colour, 256, 256, samples)
            made = self.thumb(source, "--depth", "16")
            self.checks.equal(f"16 bits of {colour} in {end}", read(made, colour) == samples, True)
        for colour, channels in COLOURS.items():
            samples = [self.random.randrange(256) * 257 for _ in range(channels * 900)]
            source = self.written(f"shallow-{colour}.png", colour, 30, 30, samples, depth=8)
            made = self.thumb(source, "--depth", "16")
            self.checks.equal(f"8 bits of {colour} as 16", read(made, colour) == samples, True)
            plain = self.thumb(self.scratch / f"{colour}.png", name=f"plain-{colour}.png")
            levels = {sample % 257 for sample in read(plain, colour)}
            self.checks.equal(f"16 bits of {colour} become 8 unless 16 are wanted", levels, {0})

    def edits(self):
        """A result with 16 bits looks like the one with 8, and is finer."""
        steps = [level * 65_535 // 359 for level in range(360)]
        ramp = [sample for row in range(240) for column in range(360) for sample in (steps[column], steps[row], steps[-1 - column], 65_535 - 128 * row)]
        source = self.written("ramp.png", "rgba", 360, 240, ramp)
        for options in (
            ["--fit", "90x90"], ["--fit", "90x90", "--linear"], ["--fill", "50x70", "--gravity", "smart"], ["--rotate", "90"],
            ["--background", "20c0ff"], ["--background", "808080"], ["--trim", "20"], ["--fill", "80x40", "--gravity", "southeast"],
        ):
            name = " ".join(options)
            deep = read(self.thumb(source, *options, "--depth", "16"), "rgba")
            plain = read(self.thumb(source, *options), "rgba")
            worst = max(abs(one - other) for one, other in zip(deep, plain, strict=True))
            # Three levels of 8 bits: libvips rounds between its steps.
            self.checks.that(f"{name}: 16 bits look like 8", worst < 3 * 257, worst)
            between = sum(sample % 257 != 0 for sample in deep) / len(deep)
            self.checks.that(f"{name}: most samples lie between the levels of 8 bits", between > 0.6, between)

    def refusals(self):
        source = self.scratch / "rgb.png"
        for options, wanted in (
            (["--blur", "2"], "16 bits per sample and blurring, which supports only 8"),
            (["--sharpen", "2"], "16 bits per sample and sharpening, which supports only 8"),
            (["--format", "jpeg"], "--depth 16 works only for PNG; add --format png"),
        ):
            done = self.run(source, self.scratch / "refused", "--format", "png", *options, "--depth", "16")
            self.checks.that(f"16 bits with {options[0]}: refused", wanted in done.stderr, done.stderr)
            self.checks.equal(f"16 bits with {options[0]}: no file", (self.scratch / "refused").exists(), False)

    def written(self, name: str, colour: str, width: int, height: int, samples: list[int], depth: int = 16) -> Path:
        path = self.scratch / name
        raw = ["-size", f"{width}x{height}", "-depth", "16", "-endian", "MSB", f"{colour}:-"]
        subprocess.run(["convert", *raw, "-depth", str(depth), path], input=struct.pack(f">{len(samples)}H", *samples), check=True)
        return path

    def thumb(self, source: Path, *options: str, name: str = "made.png") -> Path:
        path = self.scratch / name
        done = self.run(source, path, *options)
        self.checks.equal(f"{source.name} {' '.join(options)}: exit code", done.returncode, 0)
        return path

    def run(self, source: Path, to: Path, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.binary, "thumb", source, "-o", to, *options], capture_output=True, text=True)


def read(path: Path, colour: str) -> list[int]:
    command = ["convert", path, "-depth", "16", "-endian", "MSB", f"{colour}:-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return list(struct.unpack(f">{len(raw) // 2}H", raw))
