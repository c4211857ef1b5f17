"""Pages of documents and frames of animations, written by Pillow: the server gives the one that is asked for."""

import io
from pathlib import Path

from PIL import Image

from support.checks import Checks
from support.serving import RunningServer, told_json

COLOURS = [(220, 40, 40), (40, 180, 40), (40, 40, 220), (230, 210, 40), (20, 20, 20)]
SIZE = (120, 90)
# By file: how Pillow writes it. Pages may have sizes of their own; the frames of an animation may be no more than what changed.
FILES = {
    "document.tif": {"compression": "tiff_lzw"},
    "document-jpeg.tif": {"compression": "jpeg"},
    "animation.gif": {"duration": 100, "loop": 0},
    "animation.webp": {"duration": 100, "loop": 0, "lossless": True},
    "animation-lossy.webp": {"duration": 100, "quality": 90},
}


def check(checks: Checks, binary: Path, scratch: Path):
    folder = scratch / "pictures"
    folder.mkdir(parents=True)
    for name, options in FILES.items():
        write(folder / name, options)
    for isolation in ("slow", "none"):
        with RunningServer(binary, scratch / isolation, "--local-root", folder, "--isolate", isolation) as server:
            for name in FILES:
                check_file(checks, f"{name}, --isolate {isolation}", server, name)


def write(path: Path, options: dict):
    """Writes a picture whose frames are grounds of different colours, with a square of white that moves."""
    frames = []
    for number, colour in enumerate(COLOURS):
        width, height = SIZE
        if path.suffix == ".tif":
            width += 10 * number
        frame = Image.new("RGB", (width, height), colour)
        frame.paste((255, 255, 255), (8 * number, 8 * number, 8 * number + 16, 8 * number + 16))
        frames.append(frame)
    frames[0].save(path, save_all=True, append_images=frames[1:], **options)


def check_file(checks: Checks, subject: str, server: RunningServer, name: str):
    wrong = []
    for number, colour in enumerate(COLOURS):
        answer = server.get(path(name, number))
        if answer.status != 200:
            wrong.append((number, str(answer)))
            continue
        with Image.open(io.BytesIO(answer.body)) as made:
            wanted = (SIZE[0] + (10 * number if name.endswith(".tif") else 0), SIZE[1])
            ground, square = made.convert("RGB").getpixel((wanted[0] - 6, 45)), made.convert("RGB").getpixel((8 * number + 8,) * 2)
            if made.size != wanted or not is_near(ground, colour) or not is_near(square, (255, 255, 255)):
                wrong.append((number, made.size, ground, square))
    checks.equal(f"{subject}: each frame is the one that was asked for", wrong, [])
    first = server.get(path(name, None))
    checks.that(f"{subject}: the first one where none is named", first.body == server.get(path(name, 0)).body, first)
    beyond = server.get(path(name, len(COLOURS)), "--header", "Accept: application/json")
    checks.equal(f"{subject}: one that is not there is refused", (beyond.status, told_json(beyond).get("code")), (422, "invalid_request"), str(beyond))
    about = told_json(server.get(f"/info/unsafe/plain/local:///{name}"))
    checks.equal(f"{subject}: /info counts them", about.get("frames"), len(COLOURS), str(about))


def path(name: str, number: int | None) -> str:
    page = "" if number is None else f"/page:{number}"
    return f"/unsafe/rs:fit:0:0{page}/plain/local:///{name}@png"


def is_near(one, other) -> bool:
    return all(abs(a - b) < 24 for a, b in zip(one, other))
