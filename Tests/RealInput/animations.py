"""Animations that Pillow wrote stay animations: frame by frame, with their times, in every face."""

import io
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageStat

from support.checks import Checks
from support.command import Commands
from support.serving import RunningServer, told_json

SIZE = (120, 90)
DELAYS = [40, 50, 100, 200, 70, 1000]
GROUND = (128, 128, 128, 255)


@dataclass
class Animation:
    frames: list[Image.Image]
    delays: list[int]
    # 0 for without end.
    plays: int


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    trial = Animations(checks, binary, scratch)
    trial.write_sources()
    trial.whole()
    trial.scaled()
    trial.cut_alike()
    trial.fetched()
    trial.wrong_formats()
    trial.damaged()
    trial.too_large()
    trial.served()


def drawn(is_clear: bool) -> list[Image.Image]:
    """Frames with two figures that move, on a ground that changes or is transparent."""
    frames = []
    for index in range(len(DELAYS)):
        frame = Image.new("RGBA", SIZE, (0, 0, 0, 0) if is_clear else (20 * index, 200 - 20 * index, 90, 255))
        draw = ImageDraw.Draw(frame)
        draw.ellipse((10 * index, 8 * index, 10 * index + 30, 8 * index + 30), fill=(255, 30 * index, 10, 255))
        draw.rectangle((60, 5 + 5 * index, 75, 20 + 5 * index), fill=(10, 10, 250, 255))
        frames.append(frame)
    return frames


def read(file) -> Animation:
    with Image.open(file) as image:
        frames, delays = [], []
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            frames.append(Image.alpha_composite(Image.new("RGBA", image.size, GROUND), image.convert("RGBA")).convert("RGB"))
            delays.append(int(image.info.get("duration", 0)))
        loops = image.info.get("loop")
        # In a GIF, the number says how often the animation is repeated.
        plays = loops + 1 if image.format == "GIF" and loops else 1 if image.format == "GIF" and loops is None else loops
    return Animation(frames, delays, plays)


def distance(one: Image.Image, other: Image.Image) -> float:
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean) if one.size == other.size else 255


class Animations(Commands):
    def __init__(self, checks: Checks, binary: Path, scratch: Path):
        super().__init__(checks, binary, scratch, "")
        self.folder = scratch / "sources"
        self.folder.mkdir()
        self.sources: dict[str, Path] = {}

    def write_sources(self):
        ways = {
            "plain.gif": (False, {"loop": 3, "disposal": 1}), "clear.gif": (True, {"loop": 0, "disposal": 2}),
            "once.gif": (False, {}),
            "plain.webp": (False, {"loop": 3, "lossless": True}), "clear.webp": (True, {"loop": 0, "lossless": True}),
            "lossy.webp": (False, {"loop": 2, "quality": 90}),
            "plain.png": (False, {"loop": 3, "disposal": 0, "blend": 0}), "clear.png": (True, {"loop": 0, "disposal": 1, "blend": 0}),
            "over.png": (True, {"loop": 0, "disposal": 2, "blend": 1}),
        }
        for name, (is_clear, options) in ways.items():
            frames = drawn(is_clear)
            self.sources[name] = self.folder / name
            frames[0].save(self.sources[name], save_all=True, append_images=frames[1:], duration=DELAYS, **options)

    def make(self, name: str, source: Path, target: str, *options) -> Animation | None:
        path = self.scratch / target
        done = self.run("thumb", source, "-o", path, "--animate", *options)
        return read(path) if self.checks.equal(f"{name}: exit code", done.exit, 0, str(done)) else None

    def whole(self):
        for name, path in self.sources.items():
            wanted = read(path)
            for ending, options in (("gif", ()), ("webp", ("--lossless",))):
                title = f"{name} as {ending}"
                made = self.make(title, path, f"{name}.{ending}", *options)
                if made is None:
                    continue
                self.checks.equal(f"{title}: delays", made.delays, wanted.delays)
                self.checks.equal(f"{title}: how often it is shown", made.plays, wanted.plays)
                worst = max(distance(*pair) for pair in zip(made.frames, wanted.frames, strict=False))
                # A GIF has 256 colours.
                most = 3 if ending == "gif" and name == "lossy.webp" else 0
                self.checks.that(f"{title}: the frames are the source's", len(made.frames) == len(DELAYS) and worst <= most, worst)
            said = subprocess.run(["gifsicle", "--info", self.scratch / f"{name}.gif"], capture_output=True, text=True, check=False)
            self.checks.that(
                f"{name} as gif: gifsicle reads it without a complaint",
                said.returncode == 0 and not said.stderr and f"{len(DELAYS)} images" in said.stdout, said,
            )

    def scaled(self):
        for name in ("plain.gif", "clear.webp", "over.png"):
            wanted = read(self.sources[name])
            made = self.make(f"{name} at half its size", self.sources[name], f"half-{name}.webp", "--fit", "60x60", "--lossless")
            if made is None:
                continue
            pairs = zip(made.frames, wanted.frames, strict=False)
            worst = max(distance(one, other.resize((60, 45), Image.Resampling.BOX)) for one, other in pairs)
            self.checks.that(f"{name} at half its size: the frames are the source's", len(made.frames) == len(DELAYS) and worst < 3, worst)
            self.checks.equal(f"{name} at half its size: delays", made.delays, DELAYS)

    def cut_alike(self):
        """The second frame has no border; the third draws the eye elsewhere."""
        frames = [Image.new("RGB", (100, 60), "white") for _ in range(3)]
        frames[0].paste((200, 0, 0), (10, 10, 50, 40))
        frames[1].paste((0, 0, 200), (0, 0, 100, 60))
        frames[2].paste(Image.effect_noise((30, 30), 120).convert("RGB"), (65, 20))
        path = self.folder / "border.png"
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=100)
        made = self.make("a border of the first frame", path, "trimmed.webp", "--trim", "--lossless")
        if made is not None:
            worst = max(distance(one, other.crop((10, 10, 50, 40))) for one, other in zip(made.frames, frames, strict=True))
            self.checks.equal("a border of the first frame is cut off each", (made.frames[0].size, worst), ((40, 30), 0))
        made = self.make("what draws the eye", path, "eyed.webp", "--fill", "30x60", "--gravity", "smart", "--lossless")
        if made is not None:
            # The red area is in the left half, the noise in the right one.
            red = made.frames[0].getpixel((15, 25))
            self.checks.that("the first frame decides what draws the eye", red[0] > 150 > red[1], red)
            white = made.frames[2].getpixel((15, 30))
            self.checks.equal("the others follow it", (white, len(made.frames)), ((255, 255, 255), 3))

    def fetched(self):
        still = self.folder / "still.jpg"
        Image.new("RGB", SIZE, (90, 90, 20)).save(still)
        listed = self.scratch / "list.txt"
        listed.write_text(f"{self.sources['plain.gif']}\n{still}\n")
        done = self.run(
            "fetch", listed, "--allow-files", "-o", self.scratch / "fetched", "--animate", "--format", "gif,webp,jpeg", "--size", "50",
        )
        self.checks.equal("fetch --animate: exit code", done.exit, 0, str(done))
        found = {path.name: len(read(path).frames) for path in (self.scratch / "fetched").rglob("0*") if path.is_file()}
        self.checks.equal(
            "fetch --animate keeps frames where the format has them", found,
            {
                "000000000.gif": 6, "000000000.webp": 6, "000000000.jpg": 1,
                "000000001.gif": 1, "000000001.webp": 1, "000000001.jpg": 1,
            }, str(done),
        )

    def wrong_formats(self):
        done = self.run("thumb", self.sources["plain.gif"], "-o", self.scratch / "still.jpg", "--animate")
        self.expect("thumb --animate as JPEG", done, 2, "--animate needs a format that can be animated")
        done = self.run("fetch", self.scratch / "list.txt", "-o", self.scratch / "unfetched", "--animate")
        self.expect("fetch --animate without a format", done, 2, "add --format webp, gif or original")

    def damaged(self):
        whole = self.sources["plain.gif"].read_bytes()
        cut = self.folder / "cut.gif"
        cut.write_bytes(whole[: len(whole) * 2 // 3])
        done = self.run("thumb", cut, "-o", self.scratch / "cut.gif", "--animate")
        self.expect("an animation that ends early", done, 3, "truncated_image")
        done = self.run("thumb", cut, "-o", self.scratch / "cut.gif", "--animate", "--allow-truncated")
        self.expect("an animation that ends early, allowed", done, 0, "part of the image is missing")
        swapped = bytearray(self.sources["plain.png"].read_bytes())
        place = swapped.index(b"fdAT")
        swapped[place + 7] ^= 1
        (self.folder / "swapped.png").write_bytes(swapped)
        done = self.run("thumb", self.folder / "swapped.png", "-o", self.scratch / "swapped.webp", "--animate")
        self.expect("a PNG with frames out of order", done, 3, "corrupt_image")

    def too_large(self):
        """A few kilobytes whose frames are thousands of megapixels."""
        screen = b"GIF89a" + struct.pack("<HH", 3000, 3000) + b"\x80\x00\x00" + bytes(3) + b"\xff" * 3
        frame = b"\x21\xf9\x04\x00\x0a\x00\x00\x00" + b"\x2c" + struct.pack("<HHHH", 0, 0, 1, 1) + b"\x00" + b"\x02\x02\x44\x01\x00"
        bomb = self.folder / "bomb.gif"
        bomb.write_bytes(screen + frame * 1000 + b"\x3b")
        done = self.run("thumb", bomb, "-o", self.scratch / "bomb.gif", "--animate", "--size", "10")
        self.expect("frames of 9,000 megapixels", done, 3, "too_many_pixels", "1000 frames of 3000x3000 pixels")
        done = self.run("thumb", bomb, "-o", self.scratch / "bomb.png", "--size", "10")
        self.expect("their first frame alone", done, 0)

    def served(self):
        files = (
            "--local-root", self.folder, "--max-animation-frames", "4", "--auto-webp", "--auto-avif", "--allow-security-options",
            "--isolate", "slow",
        )
        with RunningServer(self.binary, self.scratch / "server", *files) as server:
            cases = {
                "a GIF": ("plain.gif", "", (), "image/gif", 4), "an animated PNG": ("over.png", "", (), "image/webp", 4),
                "a GIF for a browser with WebP": ("plain.gif", "", ("image/webp,*/*",), "image/webp", 4),
                "a GIF for a browser with AVIF": ("plain.gif", "", ("image/avif,image/webp,*/*",), "image/gif", 4),
                "a JPEG for a browser with AVIF": ("still.jpg", "", ("image/avif,image/webp,*/*",), "image/avif", 1),
                "a GIF as PNG": ("plain.gif", "/f:png", (), "image/png", 1),
                "two frames of a GIF": ("plain.gif", "/maf:2", (), "image/gif", 2),
                "all from the third frame on": ("plain.gif", "/maf:50/pg:2", (), "image/gif", 4),
                "one frame of a PNG": ("plain.png", "/maf:1/pg:3/f:png", (), "image/png", 1),
            }
            for name, (file, options, accept, kind, count) in cases.items():
                path = f"/unsafe/rs:fit:40:40{options}/plain/local:///{file}"
                answer = server.get(path, *(part for value in accept for part in ("--header", f"Accept: {value}")))
                if not self.checks.equal(f"the server gives {name}", (answer.status, answer.headers.get("content-type")), (200, kind), str(answer)):
                    continue
                # Pillow reads no AVIF.
                if kind != "image/avif":
                    made = read(io.BytesIO(answer.body))
                    self.checks.equal(f"{name}: frames", (len(made.frames), made.frames[0].size), (count, (40, 30)))
            beyond = server.get("/unsafe/maf:9/pg:6/plain/local:///plain.gif", "--header", "Accept: application/json")
            self.checks.equal("a first frame that is not there", (beyond.status, told_json(beyond).get("code")), (422, "invalid_request"))
