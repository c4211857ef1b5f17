"""The tables of `script/bench quality`, and which goals were held."""

from statistics import fmean

BASE, DRAFT = "libvips", "Pillow draft"
OURS, FASTEST = "ours balanced", "ours fast"
MOST_BELOW = 0.01
# A mean over a hundred pictures is not known better than this.
TIE = {"ssim": 0.00005, "psnr": 0.005}
WORST_SHOWN = 20


def text(rows: list[dict], names: list[str]) -> str:
    sections = ["# quality"]
    for output in ("jpeg", "png"):
        word = "JPEG, quality 85" if output == "jpeg" else "PNG: the scaler alone"
        sections += [f"## {word}", table(rows, names, output), worst(rows, output)]
    sections += ["## Goals", "\n".join(goals(rows))]
    incomplete = [row for row in rows if any(len(row["seen"].get(name, {})) < 2 for name in names)]
    if incomplete:
        sections += ["## Not made", "\n".join(f"- {row['name']} at {row['size']} px: {missing(row, names)}" for row in incomplete)]
    return "\n\n".join(sections) + "\n"


def missing(row: dict, names: list[str]) -> str:
    return ", ".join(name for name in names if len(row["seen"].get(name, {})) < 2)


def values(rows: list[dict], name: str, output: str, figure: str) -> list[float]:
    """Returns the figures of the pictures that all contestants made, so that means are over the same ones."""
    found = []
    for row in rows:
        if all(output in outputs for outputs in row["seen"].values()):
            value = row["seen"].get(name, {}).get(output, {}).get(figure)
            if value is not None and value == value:
                found.append(value)
    return found


def table(rows: list[dict], names: list[str], output: str) -> str:
    gaussian = any("ssim_gaussian" in outputs.get(output, {}) for row in rows for outputs in row["seen"].values())
    more = " SSIM gauss. |" if gaussian else ""
    lines = [
        f"| px | kind | pictures | contestant | SSIM mean | worst | PSNR mean | worst | PSNR RGB mean |{more}",
        "|---|---|---|---|---|---|---|---|---|" + ("---|" if gaussian else ""),
    ]
    for size in dict.fromkeys(row["size"] for row in rows):
        kinds = dict.fromkeys(row["kind"] for row in rows)
        sources = dict.fromkeys(f"from {row['source']}" for row in rows)
        for kind in ["all", *kinds, *sources]:
            wanted = lambda row: kind in ("all", row["kind"], f"from {row['source']}")
            part = [row for row in rows if row["size"] == size and wanted(row)]
            for name in names:
                ssim, psnr = values(part, name, output, "ssim"), values(part, name, output, "psnr")
                if not ssim:
                    continue
                line = (
                    f"| {size} | {kind} | {len(ssim)} | {name} | {fmean(ssim):.4f} | {min(ssim):.4f} "
                    f"| {fmean(psnr):.2f} | {min(psnr):.2f} | {fmean(values(part, name, output, 'psnr_rgb')):.2f} |"
                )
                blurred = values(part, name, output, "ssim_gaussian")
                lines.append(line + (f" {fmean(blurred):.4f} |" if blurred else ""))
    return "\n".join(lines)


def below(rows: list[dict], output: str, ours: str = OURS) -> list[tuple[float, dict]]:
    """Returns by how much SSIM each picture is below libvips', the worst first."""
    found = []
    for row in rows:
        both = [row["seen"].get(name, {}).get(output, {}).get("ssim") for name in (ours, BASE)]
        if None not in both:
            found.append((both[1] - both[0], row))
    return sorted(found, key=lambda entry: -entry[0])


def worst(rows: list[dict], output: str) -> str:
    lines = [f"Pictures in which {OURS} is more than {MOST_BELOW} SSIM below {BASE}:"]
    bad = [entry for entry in below(rows, output) if entry[0] > MOST_BELOW]
    for gap, row in bad[:WORST_SHOWN]:
        ours, base = (row["seen"][name][output]["ssim"] for name in (OURS, BASE))
        lines.append(f"- {row['size']} px, {row['kind']}, {row['name']}: {ours:.4f} and {base:.4f}, {gap:.4f} below")
    if len(bad) > WORST_SHOWN:
        lines.append(f"- and {len(bad) - WORST_SHOWN} more")
    return "\n".join(lines if bad else [lines[0] + " none."])


def goals(rows: list[dict]) -> list[str]:
    """Returns a line for each goal: held or missed, and by how much."""
    lines = []
    for size in dict.fromkeys(row["size"] for row in rows):
        part = [row for row in rows if row["size"] == size]
        lines.append(means(part, size, OURS, BASE, "ssim", "not below"))
        for figure in ("ssim", "psnr"):
            lines.append(means(part, size, FASTEST, DRAFT, figure, "above"))
        # Only JPEG has a draft; of other sources Pillow makes the very reference, but for rounding.
        drafts = [row for row in part if row["source"] == "JPEG"]
        for figure in ("ssim", "psnr"):
            lines.append(means(drafts, size, FASTEST, DRAFT, figure, "above", ", JPEG sources"))
    gap, row = max(below(rows, "jpeg"), key=lambda entry: entry[0], default=(0.0, None))
    where = f" ({row['name']} at {row['size']} px)" if row else ""
    lines.append(f"- {verdict(gap <= MOST_BELOW)}: no picture of {OURS} more than {MOST_BELOW} SSIM below {BASE}; most: {gap:.4f}{where}")
    return lines


def means(part: list[dict], size: int, ours: str, base: str, figure: str, relation: str, which: str = "") -> str:
    mine, theirs = (fmean(values(part, name, "jpeg", figure) or [float("nan")]) for name in (ours, base))
    held = mine > theirs if relation == "above" else mine >= theirs - TIE[figure]
    return f"- {verdict(held)}: {size} px{which}, mean {figure.upper()} of {ours} {relation} that of {base}: {mine:.4f} and {theirs:.4f}"


def verdict(held: bool) -> str:
    return "held" if held else "MISSED"
