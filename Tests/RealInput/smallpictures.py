"""Small pictures (at most 16 KiB) of many forms: for `script/soak codec` and `script/soak reads`.

  smallpictures.py FOLDER     writes them, list.txt with the paths of those that a program may decode itself, and workers.txt with
                              those that only worker processes decode
"""

import io
import random
import struct
import subprocess
import sys
import zlib
from pathlib import Path

from PIL import Image, ImageCms, ImageDraw, ImageFilter

MOST_BYTES = 16 * 1024
SIZE = (76, 53)
# Left, top, step across, step down of each pass (PNG specification, 8.2).
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def drawn(mode: str = "RGB", size: tuple[int, int] = SIZE) -> Image.Image:
    """Returns a picture with edges, slopes and grain; the same each time."""
    rng = random.Random(1)
    grain = Image.frombytes("RGB", size, rng.randbytes(size[0] * size[1] * 3))
    picture = grain.filter(ImageFilter.GaussianBlur(2))
    draw = ImageDraw.Draw(picture)
    for _ in range(8):
        left, top = rng.randrange(size[0]), rng.randrange(size[1])
        draw.ellipse((left, top, left + size[0] // 4, top + size[1] // 4), fill=tuple(rng.randbytes(3)))
    if mode in ("RGBA", "LA"):
        picture = picture.convert(mode)
        picture.putalpha(Image.linear_gradient("L").resize(size))
    return picture.quantize(48) if mode == "P" else picture.convert(mode)


def saved(picture: Image.Image, format: str, **options) -> bytes:
    out = io.BytesIO()
    picture.save(out, format, **options)
    return out.getvalue()


def profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif.tobytes()


def cjpeg(*options: str) -> bytes:
    """Returns a JPEG of libjpeg-turbo's own program, for what Pillow cannot write."""
    return subprocess.run(["cjpeg", *options], input=saved(drawn(), "PPM"), capture_output=True, check=True).stdout


def jpegs() -> dict[str, bytes]:
    picture = drawn()
    return {
        "420": saved(picture, "JPEG", quality=90),
        "422": saved(picture, "JPEG", quality=80, subsampling=1),
        "444": saved(picture, "JPEG", quality=70, subsampling=0),
        "grey": saved(drawn("L"), "JPEG"),
        "progressive": saved(picture, "JPEG", progressive=True),
        "progressive-444": saved(picture, "JPEG", progressive=True, subsampling=0, optimize=True),
        "restart": cjpeg("-restart", "1"),
        "410": cjpeg("-sample", "4x2"),
        "arithmetic": cjpeg("-arithmetic"),
        "turned": saved(picture, "JPEG", exif=turned(6)),
        "mirrored-progressive": saved(picture, "JPEG", exif=turned(5), progressive=True),
        "profile": saved(picture, "JPEG", icc_profile=profile()),
        "cmyk": saved(picture.convert("CMYK"), "JPEG", quality=60),
        "one-pixel": saved(drawn(size=(1, 1)), "JPEG"),
    }


def pngs() -> dict[str, bytes]:
    return {
        "rgb": saved(drawn(), "PNG"),
        "rgba": saved(drawn("RGBA", (40, 40)), "PNG"),
        "grey": saved(drawn("L"), "PNG"),
        "grey-alpha": saved(drawn("LA"), "PNG"),
        "palette": saved(drawn("P"), "PNG"),
        "palette-alpha": saved(drawn("P"), "PNG", transparency=bytes(range(0, 240, 5))),
        "bits": saved(drawn("1"), "PNG"),
        "key": saved(drawn(size=(30, 30)), "PNG", transparency=(200, 10, 30)),
        "sixteen": saved(drawn("L", (40, 30)).convert("I").point(lambda value: value * 257), "PNG"),
        "profile": saved(drawn(size=(40, 30)), "PNG", icc_profile=profile()),
        "stored": saved(drawn(size=(40, 30)), "PNG", compress_level=0),
        "interlaced": interlaced(drawn(size=(33, 29))),
        "animated": saved(moving("RGB")[0], "PNG", save_all=True, append_images=moving("RGB")[1:], duration=40),
        "animated-over": saved(
            moving("RGBA")[0], "PNG", save_all=True, append_images=moving("RGBA")[1:], duration=[40, 80, 120], disposal=2, blend=1
        ),
        "one-pixel": saved(drawn(size=(1, 1)), "PNG"),
    }


def interlaced(picture: Image.Image) -> bytes:
    """Returns an Adam7 PNG, which Pillow cannot write."""
    width, height = picture.size
    rows = b""
    for left, top, across, down in ADAM7:
        for y in range(top, height, down):
            line = b"".join(bytes(picture.getpixel((x, y))) for x in range(left, width, across))
            rows += b"\0" + line if line else b""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def webps() -> dict[str, bytes]:
    picture, clear = drawn(), drawn("RGBA")
    others = [picture.rotate(120), picture.rotate(240)]
    return {
        "lossy": saved(picture, "WEBP", quality=85),
        "lossy-low": saved(picture, "WEBP", quality=5),
        "lossy-odd": saved(drawn(size=(61, 37)), "WEBP", quality=60),
        "lossy-alpha": saved(clear, "WEBP", quality=75),
        "lossy-alpha-low": saved(clear, "WEBP", quality=40, alpha_quality=20),
        "lossless": saved(picture, "WEBP", lossless=True),
        "lossless-alpha": saved(clear, "WEBP", lossless=True, exact=True),
        "lossless-palette": saved(drawn("P").convert("RGB"), "WEBP", lossless=True, method=6),
        "turned": saved(picture, "WEBP", exif=turned(8)),
        "profile": saved(picture, "WEBP", icc_profile=profile()),
        "animated": saved(picture, "WEBP", save_all=True, append_images=others, quality=30),
        "one-pixel": saved(drawn(size=(1, 1)), "WEBP"),
    }


def gifs() -> dict[str, bytes]:
    clear = moving("RGBA")
    return {
        "still": saved(drawn("P"), "GIF"),
        "animated": saved(moving("RGB")[0], "GIF", save_all=True, append_images=moving("RGB")[1:], duration=40, loop=0),
        "animated-clear": saved(clear[0], "GIF", save_all=True, append_images=clear[1:], duration=[40, 80, 120], disposal=2),
    }


def moving(mode: str) -> list[Image.Image]:
    """Returns frames of which only a part changes."""
    frames = [drawn(mode, (40, 30)) for _ in range(3)]
    for index, frame in enumerate(frames):
        frame.paste(frame.crop((0, 0, 12, 10)), (8 * index + 4, 9 * index))
    return frames


def bmps() -> dict[str, bytes]:
    modes = {"rgb": "RGB", "rgba": "RGBA", "grey": "L", "palette": "P", "bits": "1"}
    return {name: saved(drawn(mode, (47, 31)), "BMP") for name, mode in modes.items()} | {"runs": runs()}


def runs() -> bytes:
    """Returns a compressed bitmap, which Pillow cannot write: runs, literals, a move, and ends of rows."""
    palette = bytes(value for level in range(256) for value in (level, level, 255 - level, 0))
    rows = b"\x09\x30\x00\x05\x01\x02\x03\x04\x05\x00\x00\x00" * 12 + b"\x00\x02\x03\x01\x08\x70\x00\x01"
    header = struct.pack("<IiiHHIIiiII", 40, 14, 14, 1, 8, 1, len(rows), 0, 0, 0, 0)
    start = 14 + len(header) + len(palette)
    return struct.pack("<2sIII", b"BM", start + len(rows), 0, start) + header + palette + rows


def icons() -> dict[str, bytes]:
    picture = drawn("RGBA", (48, 48))
    return {
        name: saved(picture, "ICO", sizes=[(16, 16), (32, 32)], bitmap_format=name) for name in ("bmp", "png")
    }


def targas() -> dict[str, bytes]:
    modes = {"rgb": "RGB", "rgba": "RGBA", "grey": "L", "palette": "P"}
    plain = {name: saved(drawn(mode, (47, 31)), "TGA") for name, mode in modes.items()}
    return plain | {f"{name}-runs": saved(drawn(mode, (47, 31)), "TGA", compression="tga_rle") for name, mode in modes.items()}


def documents() -> dict[str, bytes]:
    """Returns Photoshop documents, which ImageMagick writes."""
    kinds = {
        "rgb": ("RGB", ["-compress", "None"]),
        "runs": ("RGB", ["-compress", "RLE"]),
        "clear": ("RGBA", []),
        "deep": ("RGBA", ["-depth", "16"]),
        "inks": ("RGB", ["-colorspace", "CMYK"]),
        "palette": ("RGB", ["-type", "Palette", "-colors", "16"]),
        "bits": ("RGB", ["-type", "bilevel"]),
        "profile": ("RGB", []),
    }

    def document(name: str, mode: str, options: list[str]) -> bytes:
        picture = saved(drawn(mode, (29, 19)), "PNG", **({"icc_profile": profile()} if name == "profile" else {}))
        return subprocess.run(["convert", "png:-", *options, "psd:-"], input=picture, capture_output=True, check=True).stdout

    return {name: document(name, mode, options) for name, (mode, options) in kinds.items()}


def netpbms() -> dict[str, bytes]:
    binary = {mode: saved(drawn(mode, (37, 21)), "PPM") for mode in ("RGB", "L", "1")}
    text = " ".join(str(sample) for pixel in drawn(size=(19, 11)).getdata() for sample in pixel)
    return binary | {"text": f"P3 19 11 255\n{text}\n".encode()}


def drawings() -> dict[str, bytes]:
    """Returns vector graphics with shapes, gradients, styles and references."""
    parts = {
        "shapes": '<rect width="40" height="20" rx="3" fill="#c40"/><circle cx="30" cy="25" r="9" fill="none" stroke="blue" stroke-width="2"/>'
        '<path d="M2 2 C 20 5 30 30 58 38 L 10 39 Z" fill-rule="evenodd" opacity=".5"/>',
        "styled": "<style>/* all */ .a, rect:hover { fill: #08f; stroke: url(#g) } #b { opacity: 40% }</style>"
        '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1"/></linearGradient></defs>'
        '<g class="a" transform="rotate(10 20 20)"><rect id="b" width="30" height="30" style="fill:url(#g);stroke-width:1.5px"/></g>',
        "uses": '<defs><g id="one"><ellipse rx="5" ry="3"/></g><clipPath id="cut"><rect width="30" height="40"/></clipPath></defs>'
        '<use href="#one" x="20" y="20"/><use xlink:href="#one" x="40" clip-path="url(#cut)"/><script>alert(1)</script>'
        '<a href="https://example.org/"><polygon points="1,1 9,1 5,9" onclick="f()"/></a><!-- the end --><![CDATA[ ]]>',
    }
    frame = '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40" width="60">{}</svg>\n'
    return {name: frame.format(part).encode() for name, part in parts.items()}


def wavelets() -> dict[str, bytes]:
    """Returns JPEG 2000, as a file with boxes and as a bare stream."""
    return {
        "boxes": saved(drawn(size=(40, 30)), "JPEG2000"),
        "alpha": saved(drawn("RGBA", (40, 30)), "JPEG2000", irreversible=True, quality_layers=[20]),
        "grey": saved(drawn("L"), "JPEG2000", no_jp2=True),
    }


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {"jpg": jpegs(), "png": pngs(), "webp": webps(), "gif": gifs(), "bmp": bmps(), "ico": icons(), "ppm": netpbms()}
    write(folder, "list.txt", kinds | {"tga": targas(), "psd": documents()})
    write(folder, "workers.txt", {"svg": drawings(), "jp2": wavelets()})


def write(folder: Path, listed: str, kinds: dict[str, dict[str, bytes]]):
    paths = []
    for ending, made in kinds.items():
        for name, data in made.items():
            if len(data) > MOST_BYTES:
                raise SystemExit(f"{name}.{ending} has {len(data)} bytes, more than {MOST_BYTES}")
            path = folder / f"{name}.{ending}"
            path.write_bytes(data)
            paths.append(path)
    (folder / listed).write_text("".join(f"{path}\n" for path in paths))
    print(f"{listed}: {len(paths)} small pictures, {sum(path.stat().st_size for path in paths)} bytes")


if __name__ == "__main__":
    main()
