"""Compares a picture drawn in characters with the picture that it should be."""

import io

from PIL import Image

from support.tmux import Cell

# The part of a cell that a character's ink covers, for the characters that divide a cell.
COVER = {" ": 0.0, "\u2580": 0.5, "\u2584": 0.5, "\u2588": 1.0, "\u258c": 0.5, "\u2590": 0.5}
COVER |= {chr(0x2581 + n): (n + 1) / 8 for n in range(7)}
COVER |= {chr(0x2589 + n): (7 - n) / 8 for n in range(7)}
COVER |= {"\u2591": 0.25, "\u2592": 0.5, "\u2593": 0.75, "\u2594": 0.125, "\u2595": 0.125}
COVER |= {"\u2596": 0.25, "\u2597": 0.25, "\u2598": 0.25, "\u259d": 0.25, "\u259a": 0.5, "\u259e": 0.5}
COVER |= {"\u2599": 0.75, "\u259b": 0.75, "\u259c": 0.75, "\u259f": 0.75}


def mean_colour(cell: Cell, default=(0, 0, 0)) -> tuple[float, float, float]:
    cover = COVER.get(cell.text, 0.4)
    ink, ground = cell.ink or default, cell.ground or default
    return tuple(cover * i + (1 - cover) * g for i, g in zip(ink, ground))


def difference(cells: list[list[Cell]], picture: bytes) -> float:
    """Returns by how much the cells differ from the picture fitted into them: 0 to 255, the mean of all channels."""
    rows, columns = len(cells), len(cells[0])
    with Image.open(io.BytesIO(picture)) as image:
        rgba = image.convert("RGBA")
        black = Image.new("RGBA", rgba.size, (0, 0, 0, 255))
        small = Image.alpha_composite(black, rgba).convert("RGB").resize((columns, rows), Image.Resampling.BOX)
    total = 0.0
    for row in range(rows):
        for column in range(columns):
            shown, wanted = mean_colour(cells[row][column]), small.getpixel((column, row))
            total += sum(abs(a - b) for a, b in zip(shown, wanted))
    return total / (rows * columns * 3)
