"""A few photos of the size that a page shows, so that no check waits for large ones to be drawn."""

from pathlib import Path

from PIL import Image, ImageDraw

SIZES = [(900, 600), (600, 900), (800, 800), (1000, 500)]


def drawn(folder: Path, count: int = 12) -> Path:
    folder.mkdir(parents=True)
    for number in range(count):
        size = SIZES[number % len(SIZES)]
        slope = Image.linear_gradient("L").resize(size)
        photo = Image.merge("RGB", [slope.rotate(90 * turn).resize(size) for turn in range(number, number + 3)])
        draw = ImageDraw.Draw(photo)
        draw.ellipse((60, 40, 360, 340), fill=((number * 47) % 256, (number * 101) % 256, 90))
        draw.rectangle((300, 250, 540, 480), fill=(230, (number * 61) % 256, (number * 29) % 256))
        photo.save(folder / f"photo-{number:02}.jpg", quality=85)
    return folder
