"""BMP, ICO, PNM, TGA, PSD and JPEG 2000 in many kinds: each comes out with the pixels that it was made from, or that Pillow reads."""

import io
import itertools
import subprocess
from pathlib import Path

from PIL import Image, ImageChops, ImageCms

from support import drawn
from support.checks import Checks
from support.fetch import Fetch
from support.nginx import Nginx

SIZES = [(1, 1), (3, 5), (16, 16), (33, 20), (64, 47), (130, 90)]
LEAST = 40
#: The largest difference of a sample; JPEG 2000 decoders round differently, and so does taking white out of a PSD.
MOST = {"bmp": 0, "ico": 0, "pnm": 0, "tga": 0, "psd": 1, "jp2": 3}
#: A file's ending, its content, and the picture in it if Pillow does not read that.
File = tuple[str, bytes, Image.Image | None]


def check(checks: Checks, binary: Path, scratch: Path):
    folder = scratch / "files"
    folder.mkdir(parents=True)
    with Image.open(sorted(drawn.pictures(binary).iterdir())[0]) as opened:
        picture = opened.convert("RGBA")
    colours(checks, binary, scratch / "colours", picture.convert("RGB"))
    made = kinds(picture)
    with Nginx(folder) as nginx:
        for name, files in made.items():
            paths = write(folder, name, files)
            checks.that(f"{name}: at least {LEAST} files", len(paths) >= LEAST, len(paths))
            fetch = Fetch(binary, scratch / name)
            done = fetch.run([nginx.url(path.name) for path in paths], "--format", "png")
            checks.equal(f"{name}: all are read", done.exit, 0, done.told())
            objections = [
                f"{path.name}: {objection}"
                for path, (_, _, wanted), result in zip(paths, files, sorted(fetch.files()))
                if (objection := differs(path, wanted, result, MOST[name]))
            ]
            checks.equal(f"{name}: the pixels are those that were written", objections, [])


def colours(checks: Checks, binary: Path, scratch: Path, picture: Image.Image):
    """A PSD has the colours of a TIFF with the same inks, or with the same profile."""
    scratch.mkdir()
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # In this profile, red is green.
    picture.info["icc_profile"] = srgb.replace(b"rXYZ", b"____").replace(b"gXYZ", b"rXYZ").replace(b"____", b"gXYZ")
    for name, options in {"inks": ["-colorspace", "CMYK"], "a profile": []}.items():
        results = []
        for end in ("psd", "tiff"):
            path = scratch / f"{name}.{end}"
            path.write_bytes(document(picture, end, *options))
            results.append(scratch / f"{name}.{end}.png")
            subprocess.run([binary, "thumb", path, "-o", results[-1]], check=True, capture_output=True)
        checks.equal(f"psd: {name} like a TIFF", differs(results[1], None, results[0], 0), "")
        checks.that(f"psd: {name} count", bool(differs(results[0], picture, results[0], 16)), "nothing was converted")


def write(folder: Path, name: str, files: list[File]) -> list[Path]:
    paths = []
    for number, (end, content, _) in enumerate(files):
        paths.append(folder / f"{name}-{number:03}.{end}")
        paths[-1].write_bytes(content)
    return paths


def kinds(picture: Image.Image) -> dict[str, list[File]]:
    """The files of each format."""
    opaque = picture.copy()
    opaque.putalpha(255)
    glass = picture.copy()
    glass.putalpha(Image.linear_gradient("L").resize(picture.size))
    sized = [opaque.resize(size) for size in SIZES]
    clear = [glass.resize(size) for size in SIZES]

    def saved(image: Image.Image, format: str, **options) -> bytes:
        file = io.BytesIO()
        image.save(file, format, **options)
        return file.getvalue()

    modes = ["1", "L", "RGB", "P"]
    bmp = [("bmp", saved(converted(image, mode), "BMP")) for image, mode in itertools.product(sized, modes)]
    bmp += [("bmp", saved(image, "BMP")) for image in sized + clear]
    bmp += [("bmp", os2(converted(image, "RGB"))) for image in sized]
    ico = [
        ("ico", saved(image.resize((side, side)), "ICO", sizes=[(side, side), (8, 8)], bitmap_format=format))
        for image, side, format in itertools.product(clear[-2:] + sized[-2:], [16, 24, 32, 48, 64, 256], ["bmp", "png"])
    ]
    pnm = [("ppm", saved(converted(image, mode), "PPM")) for image, mode in itertools.product(sized, ["1", "L", "RGB"])]
    pnm += [("pnm", text(converted(image, mode), mode)) for image, mode in itertools.product(sized, ["1", "L", "RGB"])]
    pnm += [("pgm", saved(image.convert("L").convert("I").point(lambda sample: sample * 257), "PPM")) for image in sized]
    jp2 = [
        ("j2k" if bare else "jp2", saved(converted(image, mode), "JPEG2000", no_jp2=bare, irreversible=lossy))
        for image, mode, bare, lossy in itertools.product(sized[2:], ["L", "RGB"], [False, True], [False, True])
    ]
    jp2 += [("jp2", saved(image.convert(mode), "JPEG2000")) for image, mode in itertools.product(clear[2:], ["LA", "RGBA"])]
    jp2 += [("jp2", saved(converted(sized[-1], "RGB"), "JPEG2000", tile_size=(side, side))) for side in (32, 64)]
    layouts = [{}, {"compression": "tga_rle"}, {"orientation": 1}]
    tga = [
        ("tga", saved(converted(image, mode), "TGA", **layout))
        for image, mode, layout in itertools.product(sized[1:], ["L", "RGB", "P"], layouts)
    ]
    tga += [("tga", saved(image.convert(mode), "TGA", **layout)) for image, mode, layout in itertools.product(clear, ["RGBA", "LA"], layouts)]
    made = {"bmp": bmp, "ico": ico, "pnm": pnm, "tga": tga, "jp2": jp2}
    return {name: [(*file, None) for file in files] for name, files in made.items()} | {"psd": documents(sized, clear)}


def documents(sized: list[Image.Image], clear: list[Image.Image]) -> list[File]:
    """Photoshop documents by ImageMagick, of which Pillow reads some."""
    read = [["-compress", "None"], ["-compress", "RLE"], ["-colorspace", "Gray"], ["-type", "Palette", "-colors", "16"]]
    files = [("psd", document(converted(image, "RGB"), "psd", *options), None) for image, options in itertools.product(sized, read)]
    deep = ["-depth", "16"]
    for image, options, end in itertools.product(sized, [[], deep], ["psd", "psb"]):
        files.append((end, document(image, end, *options), image))
    for image, options in itertools.product(clear, [[], deep]):
        files.append(("psd", document(on_white(image), "psd", *options), image))
    return files


def document(image: Image.Image, end: str, *options: str) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return subprocess.run(["convert", "png:-", *options, f"{end}:-"], input=file.getvalue(), capture_output=True, check=True).stdout


def on_white(image: Image.Image) -> Image.Image:
    """The same alpha, with the colours on white, as Photoshop stores them; ImageMagick does not."""
    alpha = image.getchannel("A")
    drawn = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    drawn.putalpha(alpha)
    return drawn


def converted(image: Image.Image, mode: str) -> Image.Image:
    return image.convert("RGB").convert(mode)


def os2(image: Image.Image) -> bytes:
    """A bitmap with the short header of OS/2."""
    width, height = image.size
    rows = [image.crop((0, y, width, y + 1)).tobytes("raw", "BGR") for y in reversed(range(height))]
    pixels = b"".join(row + bytes(-len(row) % 4) for row in rows)
    numbers = [12, width, height, 1, 24]
    header = b"".join(number.to_bytes(4 if place == 0 else 2, "little") for place, number in enumerate(numbers))
    start = 14 + len(header)
    return b"BM" + (start + len(pixels)).to_bytes(4, "little") + bytes(4) + start.to_bytes(4, "little") + header + pixels


def text(image: Image.Image, mode: str) -> bytes:
    """The same samples as decimal numbers."""
    width, height = image.size
    samples = [sample for pixel in image.getdata() for sample in (pixel if isinstance(pixel, tuple) else (pixel,))]
    if mode == "1":
        samples = [0 if sample else 1 for sample in samples]
    numbers = " ".join(map(str, samples))
    most = "" if mode == "1" else " 255"
    return f"P{['1', 'L', 'RGB'].index(mode) + 1}\n# drawn\n{width} {height}{most}\n{numbers}\n".encode()


def differs(source: Path, picture: Image.Image | None, result: Path, most: int) -> str:
    """Says how a result differs from a picture, or from what Pillow reads; empty if it does not."""
    with picture or Image.open(source) as one, Image.open(result) as other:
        wanted = one.point(lambda sample: sample / 257).convert("L") if one.mode.startswith("I") else one
        wanted, found = wanted.convert("RGBA"), other.convert("RGBA")
        if wanted.size != found.size:
            return f"{found.size}, wanted {wanted.size}"
        # The colour of a transparent pixel does not count.
        wanted, found = (Image.alpha_composite(Image.new("RGBA", image.size, "grey"), image) for image in (wanted, found))
        largest = max(high for _, high in ImageChops.difference(wanted, found).getextrema())
        return f"a sample differs by {largest}" if largest > most else ""
