"""Puts the latest results of `script/bench` into docs/measurements.md.

That file is its own template: what stands between `<!-- NAME -->` and `<!-- end -->` is written here, all else by people. A part
without results stays as it is.
"""

import json
import re
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "Benchmarks" / ".data" / "results"
PAGE = ROOT / "docs" / "measurements.md"
HEADER = ["| | | CPU seconds for 1,000 | of ours | a second | peak MB |", "|---|---|---|---|---|---|"]


def latest(name: str):
    found = sorted(RESULTS.glob(f"{name}-*.json"))
    return json.loads(found[-1].read_text()) if found else None


def parts(name: str) -> dict[str, list[dict]]:
    """The runs of each part of codec or fetch, from the last results that have it; those of `guard` are no such results."""
    found = {}
    for path in sorted(RESULTS.glob(f"{name}-*.json")):
        results = json.loads(path.read_text())
        if results["machine"].get("images") in (None, 2400):
            found |= results["parts"]
    return found


def loads() -> dict[str, list[dict]]:
    """The loads of each part of server, from the last results that have it."""
    found = {}
    for path in sorted(RESULTS.glob("server-*.json")):
        rows = json.loads(path.read_text())["rows"]
        found |= {part: [row for row in rows if row["part"] == part] for part in dict.fromkeys(row["part"] for row in rows)}
    return found


class Row:
    def __init__(self, program: str, cpu: float, rate: float, peak: float, ratio: float | None = None):
        self.program, self.cpu, self.rate, self.peak, self.ratio = program, cpu, rate, peak, ratio


def of_runs(runs: list[dict], base: str) -> list[Row]:
    """Rows of a part of codec or fetch: medians over the rounds; ratios within each round."""
    by_name = {name: [run for run in runs if run["contestant"] == name] for name in dict.fromkeys(run["contestant"] for run in runs)}
    rows = []
    for name, own in by_name.items():
        if name.endswith("1 thread"):
            continue
        made = lambda run: sum(run["findings"][key] for key in ("right", "wrong", "missing"))
        ratio = statistics.median(one["cpu"] / ours["cpu"] for one, ours in zip(own, by_name[base]))
        rows.append(
            Row(
                name,
                statistics.median(1000 * run["cpu"] / made(run) for run in own),
                statistics.median(made(run) / run["wall"] for run in own),
                statistics.median(run["peak_bytes"] for run in own) / 1e6,
                ratio,
            )
        )
    return rows


def of_loads(rows: list[dict], connections: str | None) -> list[Row]:
    """Rows of a part of server."""
    found = []
    for name in dict.fromkeys(row["server"] for row in rows):
        own = [row for row in rows if row["server"] == name]
        figures = [row[connections] if connections else row for row in own]
        rate = statistics.median(one["requests"] / one["seconds"] for one in figures)
        peaks = [row["peak"] for row in own if "peak" in row]
        found.append(Row(name, statistics.median(one["cpu"] for one in figures), rate, statistics.median(peaks) if peaks else 0))
    return found


def lines(what: str, rows: list[Row], unit: int = 2) -> list[str]:
    found, base = [], rows[0].cpu
    for row in rows:
        ratio = row.ratio if row.ratio is not None else row.cpu / base
        peak = f"{row.peak:,.0f}" if row.peak else ""
        found.append(f"| {what} | {row.program} | {row.cpu:.{unit}f} | {ratio:.2f} | {row.rate:,.0f} | {peak} |")
        what = ""
    return found


def peers() -> str | None:
    table = list(HEADER)
    for name, ours, titles in (
        ("codec", "ours balanced", {"jpeg": "2,000 JPEGs, a fifth progressive", "png": "200 PNGs", "webp": "200 WebPs"}),
        ("fetch", "calotype fetch", {"clean": "2,400 URLs", "tiny": "4,800 URLs of tiny pictures"}),
    ):
        measured = parts(name)
        for part, what in titles.items():
            if runs := measured.get(part):
                table += lines(what, ours_first(of_runs(runs, ours), ours))
    served = loads()
    for connections in ("8", "64") if "cold" in served else ():
        table += lines(f"HTTP, nothing cached, {connections} connections", of_loads(served["cold"], connections))
    if "ready" in served:
        table += lines("HTTP, results from memory", of_loads(served["ready"], None), 3)
    if "hot" in served:
        table += lines("HTTP, results from disk", of_loads([row for row in served["hot"] if row["from"] == "disk"], None), 3)
    if publish := latest("publish"):
        for what in dict.fromkeys(row["what"] for row in publish["rows"]):
            rows = [row for row in publish["rows"] if row["what"] == what]
            name = "20 photos of 5 MB published" if what == "photos" else "the same bytes, no pictures"
            table += lines(name, [Row(row["program"], 50 * row["cpu"], 20 / row["wall"], row["peak"]) for row in rows])
    return "\n".join(table) if len(table) > 2 else None


def ours_first(rows: list[Row], name: str) -> list[Row]:
    return sorted(rows, key=lambda row: row.program != name)


def versions() -> str | None:
    found = {}
    for name in ("codec", "fetch"):
        if results := latest(name):
            found |= {key: value for key, value in results["machine"].items() if key not in ("images", "rounds")}
    if not found:
        return None
    load = found.pop("load at start", "?")
    day = time.strftime("%Y-%m-%d")
    facts = "; ".join(f"{key} {value.partition(' (')[0] if isinstance(value, str) else value}" for key, value in found.items())
    return f"Written {day} with a load of {load} before the first program. {facts}. thumbor 7.8.0, nginx 1.22.1, wrk 4.1.0."


def scales() -> str | None:
    rows = latest("scales")
    if not rows:
        return None
    tables = []
    for box in dict.fromkeys(row["box"] for row in rows):
        columns = {
            size: [row for row in rows if row["box"] == box and row["megapixels"] == size]
            for size in dict.fromkeys(row["megapixels"] for row in rows)
        }
        # The last row has all scales.
        names = list(rows[-1]["seen"])
        tables.append(f"| within {box} px | " + " | ".join(f"{size:g} MP" for size in columns) + " |")
        tables.append("|---|" + "---|" * len(columns))
        for name in sorted(names, key=lambda name: ("/" not in name, name if "/" in name else "")):
            cells = []
            for part in columns.values():
                seen = [row["seen"].get(name) for row in part]
                scores = ", ".join(f"{one['score']:.1f}" for one in seen if one)
                cost = statistics.fmean(one["ms"] for one in seen) if all(seen) else 0
                cells.append(f"{scores}; {cost:.1f} ms" if cost else scores)
            if any(cells):
                tables.append(f"| {name} | " + " | ".join(cells) + " |")
        tables.append("")
    return "\n".join(tables).rstrip()


def main():
    page = PAGE.read_text()
    for name, make in (("peers", peers), ("versions", versions), ("scales", scales)):
        region = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if (text := make()) is None:
            print(f"measurements: no results for {name}; they stay as they are", file=sys.stderr)
            continue
        if not region.search(page):
            raise SystemExit(f"{PAGE} has no place for {name}")
        page = region.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
        print(text + "\n")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
