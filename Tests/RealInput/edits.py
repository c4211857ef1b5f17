"""What `thumb` and `fetch` can change besides the size, where they read from, and what `info` says to programs."""

import os
import threading
from pathlib import Path

from PIL import Image, ImageCms, ImageStat

from support.checks import Checks
from support.command import Commands

RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (32, 192, 64)
COPYRIGHT = 0x8298


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    trial = Edits(checks, binary, scratch)
    trial.places()
    trial.turns_and_borders()
    trial.filters()
    trial.metadata()
    trial.bytes()
    trial.formats()
    trial.wrong_values()
    trial.pipes()
    trial.lists_of_files()
    trial.facts()


class Edits(Commands):
    def __init__(self, checks: Checks, binary: Path, scratch: Path):
        super().__init__(checks, binary, scratch, "")
        #: Red on the left, blue on the right, and detail between.
        self.halves = scratch / "halves.png"
        picture = Image.new("RGB", (200, 100), RED)
        picture.paste(BLUE, (100, 0, 200, 100))
        picture.paste(Image.effect_noise((40, 40), 90).convert("RGB"), (80, 30))
        picture.save(self.halves)

    def thumb(self, source: Path | str, *options, name: str = "out.png") -> Image.Image:
        """The picture that the command makes."""
        path = self.scratch / name
        self.expect(f"thumb {' '.join(map(str, options))}", self.run("thumb", source, "-o", path, *options), 0)
        with Image.open(path) as picture:
            picture.load()
            return picture

    def has_color(self, name: str, picture: Image.Image, at: tuple[int, int], color: tuple[int, int, int]):
        found = picture.convert("RGB").getpixel(at)
        self.checks.that(name, max(abs(a - b) for a, b in zip(found, color)) < 12, f"{found} and not {color}")

    def places(self):
        for place, color in {"west": RED, "northeast": BLUE, "0.95,0.5": BLUE, "0,1": RED}.items():
            picture = self.thumb(self.halves, "--fill", "40x100", "--gravity", place)
            self.checks.equal(f"--gravity {place}: size", picture.size, (40, 100))
            self.has_color(f"--gravity {place}: what is kept", picture, (20, 5), color)
        smart = self.thumb(self.halves, "--fill", "60x100", "--gravity", "smart")
        detail = ImageStat.Stat(smart.convert("L").crop((10, 30, 50, 70))).stddev[0]
        self.checks.that("--gravity smart keeps the detail", detail > 20, detail)

    def turns_and_borders(self):
        turned = self.thumb(self.halves, "--rotate", "90", "--fit", "50x100")
        self.checks.equal("--rotate 90: the box is for the turned image", turned.size, (50, 100))
        self.has_color("--rotate 90: left is now at the top", turned, (25, 5), RED)
        framed = self.scratch / "framed.png"
        picture = Image.new("RGB", (120, 90), (250, 250, 250))
        picture.paste(GREEN, (10, 20, 110, 70))
        picture.save(framed)
        self.checks.equal("--trim", self.thumb(framed, "--trim").size, (100, 50))
        self.checks.equal("--trim=0", self.thumb(framed, "--trim=0").size, (100, 50))
        clear = self.scratch / "clear.png"
        Image.new("RGBA", (40, 40), (0, 0, 0, 0)).save(clear)
        behind = self.thumb(clear, "--background", "20c040", name="behind.jpg")
        self.has_color("--background", behind, (20, 20), GREEN)

    def filters(self):
        def detail(*options) -> float:
            return ImageStat.Stat(self.thumb(self.halves, *options).convert("L").crop((80, 30, 120, 70))).stddev[0]
        plain, blurred, sharpened = detail(), detail("--blur", "3"), detail("--sharpen", "1")
        self.checks.that("--blur takes detail", blurred < plain / 2, (blurred, plain))
        self.checks.that("--sharpen adds contrast", sharpened > plain, (sharpened, plain))

    def metadata(self):
        source = self.scratch / "signed.jpg"
        exif = Image.Exif()
        exif[COPYRIGHT], exif[0x010F] = "me", "a camera"
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        Image.new("RGB", (64, 64), RED).save(source, exif=exif, icc_profile=profile)
        for keep, expected in {None: (None, None, False), "copyright": ("me", None, False), "icc": (None, None, True),
                               "all": ("me", "a camera", True), "copyright,icc": ("me", None, True)}.items():
            picture = self.thumb(source, "--size", "32", *(["--keep", keep] if keep else []), name="kept.jpg")
            found = picture.getexif()
            kept = (found.get(COPYRIGHT), found.get(0x010F), bool(picture.info.get("icc_profile")))
            self.checks.equal(f"--keep {keep}", kept, expected)

    def bytes(self):
        noise = self.scratch / "noise.png"
        Image.effect_noise((256, 256), 90).convert("RGB").save(noise)
        self.thumb(noise, "--max-bytes", "20k", name="small.jpg")
        size = (self.scratch / "small.jpg").stat().st_size
        self.checks.that("--max-bytes", 5_000 < size <= 20_000, size)
        done = self.run("thumb", noise, "-o", self.scratch / "tiny.jpg", "--max-bytes", "300")
        self.expect("--max-bytes that cannot be reached", done, 3, "too_many_bytes")
        self.checks.that("it leaves no file", not (self.scratch / "tiny.jpg").exists())

    def formats(self):
        writers = {line["format"]: line["writer"] for line in self.run("info", "formats", "--json").objects()}
        for name, kind in {"a.gif": "GIF", "a.tif": "TIFF", "a.tiff": "TIFF", "a.webp": "WEBP"}.items():
            self.checks.equal(f"thumb -o {name}", self.thumb(self.halves, "--size", "32", name=name).format, kind)
        heic = self.run("thumb", self.halves, "-o", self.scratch / "a.heic")
        if writers["heic"]:
            self.checks.equal("thumb -o a.heic", (heic.exit, (self.scratch / "a.heic").read_bytes()[4:8]), (0, b"ftyp"))
        else:
            self.expect("thumb -o a.heic without an encoder", heic, 3, "encode_failed")
        xl = self.scratch / "a.jxl"
        if writers["jxl"]:
            self.expect("thumb -o a.jxl", self.run("thumb", self.halves, "-o", xl, "--size", "64"), 0)
            back = self.thumb(xl, name="back.png")
            self.checks.equal("a.jxl: its size", max(back.size), 64)
            self.has_color("a.jxl: its left half", back, (5, 5), RED)
            alone = self.run("thumb", self.halves, "-o", self.scratch / "alone.jxl", "--isolate", "none")
            self.expect("thumb -o a.jxl without workers", alone, 3, "written only in worker processes")
        exact = self.thumb(self.halves, "--size", "64", name="exact.png")
        for asked in (True, False):
            picture = self.thumb(self.halves, "--size", "64", *["--lossless"][:asked], name="exact.webp")
            equal = picture.convert("RGB").tobytes() == exact.convert("RGB").tobytes()
            self.checks.equal(f"--lossless {asked}: WebP has the exact pixels", equal, asked)
            picture = self.thumb(self.halves, *["--progressive"][:asked], name="progressive.jpg")
            self.checks.equal(f"--progressive {asked}: JPEG is", bool(picture.info.get("progressive")), asked)
        folder = self.scratch / "formats"
        self.listed(self.halves)
        self.expect("fetch --format gif,tiff", self.fetch(folder, "--format", "gif,tiff", "--size", "16"), 0)
        self.checks.equal("its files", sorted(path.suffix for path in folder.iterdir()), [".gif", ".tiff"])

    def wrong_values(self):
        for option, value in {"--rotate": "45", "--background": "red", "--gravity": "2,0", "--trim": "300", "--keep": "icc,icc",
                              "--blur": "nan", "--sharpen": "-1", "--max-bytes": "x"}.items():
            done = self.run("thumb", self.halves, "-o", self.scratch / "never.png", f"{option}={value}")
            self.expect(f"{option}={value}", done, 2, option)
        done = self.run("thumb", self.halves, "-o", self.scratch / "never.png", "--gravity", "sideways")
        self.expect("--gravity sideways", done, 2, "a point such as 0.5,0.3", "northeast")
        self.checks.that("nothing is written for them", not (self.scratch / "never.png").exists())

    def pipes(self):
        with self.halves.open("rb") as source:
            done = self.run("thumb", "-", "-o", self.scratch / "stdin.png", "--size", "50", stdin=source)
        self.expect("thumb - reads standard input", done, 0)
        self.checks.equal("what it makes", Image.open(self.scratch / "stdin.png").size, (50, 25))
        empty = self.run("thumb", "-", "-o", self.scratch / "never.png")
        self.expect("thumb - without input", empty, 3, "standard input")
        pipe = self.scratch / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_bytes(self.halves.read_bytes()))
        writer.start()
        self.checks.equal("thumb reads a named pipe", self.thumb(pipe, "--size", "40").size, (40, 20))
        writer.join()
        self.checks.equal("thumb reads a file URL", self.thumb(f"file://{self.halves}", "--size", "40").size, (40, 20))

    def listed(self, *names):
        (self.scratch / "list.txt").write_text("".join(f"{name}\n" for name in names))

    def fetch(self, folder: Path, *options, allowed: bool = True):
        options = (*options, "--allow-files") if allowed else options
        return self.run("fetch", self.scratch / "list.txt", "-o", folder, "-q", "--report", "-", "--no-cache", *options)

    def lists_of_files(self):
        odd = self.scratch / "12:30.png"
        odd.write_bytes(self.halves.read_bytes())
        self.listed(odd, f"file://{self.halves}", self.scratch / "none.png", "file://elsewhere/a.png")
        codes = [None, None, "file_not_readable", "invalid_url"]
        done = self.fetch(self.scratch / "files", "--size", "40", "--rotate", "90", "--order", "input")
        self.checks.equal("fetch --allow-files", (done.exit, [line["code"] for line in done.objects()]), (1, codes), str(done))
        size = Image.open(self.scratch / "files" / "000000001.jpg").size
        self.checks.equal("fetch makes the same edits", size, (20, 40))
        done = self.fetch(self.scratch / "several", "--sizes", "40,20", "--rotate", "90")
        sizes = [Image.open(self.scratch / "several" / f"000000000-{side}.jpg").size for side in (40, 20)]
        self.checks.equal("and for several sizes", sizes, [(20, 40), (10, 20)])
        done = self.fetch(self.scratch / "refused", allowed=False)
        self.checks.equal("a list cannot name files otherwise", {line["status"] for line in done.objects()}, {"failed"})
        done = self.run("fetch", "--robot", "ada", "-o", self.scratch / "never", "--allow-files")
        self.expect("--allow-files with another source", done, 2, "--allow-files")

    def facts(self):
        done = self.run("info", "--json", self.halves, self.scratch / "none.png")
        self.checks.equal("info --json with a missing file: exit code", done.exit, 1, str(done))
        good, bad = done.objects()
        facts = {key: good[key] for key in ("code", "format", "width", "height", "orientation", "frames", "alpha", "bytes")}
        expected = {"code": None, "format": "png", "width": 200, "height": 100, "orientation": 1, "frames": 1, "alpha": False,
                    "bytes": self.halves.stat().st_size}
        self.checks.equal("info --json", facts, expected)
        self.checks.equal("info --json of a failure", (bad["code"], bad["width"]), ("file_not_readable", None))
        self.checks.equal("both have the same members", list(good), list(bad))
