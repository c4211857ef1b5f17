"""Draws CPU against quality as an SVG: a panel for each size of the sources, a curve of libjpeg's scales, programs as points."""

from statistics import fmean

WIDTH, HEIGHT, LEFT, TOP, GAP = 270, 230, 46, 34, 50
COLOURS = {"ours": "#0b6e4f", "Pillow": "#b03a2e", "libvips": "#3a6ea5", "libjpeg": "#8a8a8a"}


def svg(rows: list[dict], names: list[str], box: int = 256) -> str:
    sizes = list(dict.fromkeys(row["megapixels"] for row in rows))
    points = [means([row for row in rows if row["megapixels"] == size and row["box"] == box], names) for size in sizes]
    scores = [score for panel in points for _, score in panel.values()]
    low, high = min(scores) - 3, max(scores) + 2
    height = TOP + HEIGHT + 92
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + len(sizes) * (WIDTH + GAP)} {height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (size, panel) in enumerate(zip(sizes, points)):
        parts.append(f'<g transform="translate({LEFT + number * (WIDTH + GAP)},{TOP})">')
        parts += [text(WIDTH / 2, -14, f"{size:g} megapixels within {box} px", "middle"), *draw(panel, low, high), "</g>"]
    keys = [f"{letter(index)} {name}" for index, name in enumerate(programs(names))]
    parts.append(text(LEFT, TOP + HEIGHT + 58, " · ".join(keys)))
    parts.append(text(LEFT, TOP + HEIGHT + 76, "Grey: libjpeg at M/8, then Lanczos-3. Up: mean SSIMULACRA2. Right: CPU time of a picture in ms."))
    return "\n".join([*parts, "</svg>"]) + "\n"


def means(rows: list[dict], names: list[str]) -> dict[str, tuple[float, float]]:
    """CPU time and score of each program over the kinds, if it took part in all."""
    found = {}
    for name in names:
        seen = [row["seen"][name] for row in rows if name in row["seen"]]
        if len(seen) == len(rows):
            found[name] = (fmean(one["ms"] for one in seen), fmean(one["score"] for one in seen))
    return found


def programs(names: list[str]) -> list[str]:
    return [name for name in names if "/" not in name]


def letter(index: int) -> str:
    return chr(ord("A") + index)


def draw(panel: dict, low: float, high: float) -> list[str]:
    most = 1.08 * max(cost for cost, _ in panel.values())
    across = lambda cost: cost / most * WIDTH
    up = lambda score: HEIGHT - (score - low) / (high - low) * HEIGHT
    parts = [f'<path d="M0 0V{HEIGHT}H{WIDTH}" fill="none" stroke="#444"/>']
    for score in range(int(low // 10 + 1) * 10, int(high) + 1, 10):
        parts += [f'<path d="M0 {up(score):.1f}H{WIDTH}" stroke="#ddd"/>', text(-6, up(score) + 4, f"{score}", "end")]
    for cost in (most / 4, most / 2, most * 3 / 4):
        parts.append(text(across(cost), HEIGHT + 16, f"{cost:.0f}", "middle"))
    scales = [(name, *point) for name, point in panel.items() if "/" in name]
    line = " ".join(f"{across(cost):.1f},{up(score):.1f}" for _, cost, score in scales)
    parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS["libjpeg"]}"/>')
    for name, cost, score in scales:
        parts += dot(across(cost), up(score), name.partition("/")[0], COLOURS["libjpeg"], 2)
    for index, name in enumerate(programs(list(panel))):
        colour = next(colour for word, colour in COLOURS.items() if name.startswith(word))
        parts += dot(across(panel[name][0]), up(panel[name][1]), letter(index), colour, 4)
    return parts


def dot(x: float, y: float, label: str, colour: str, radius: float) -> list[str]:
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>'
    return [circle, f'<text x="{x + 5:.1f}" y="{y - 4:.1f}" fill="{colour}">{label}</text>']


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'
