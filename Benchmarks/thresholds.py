"""Compares the ratios of a benchmark with those that were recorded with this Swift version, or an older one.

    script/bench server | Benchmarks/thresholds.py server [--record]

Reads what a benchmark prints and passes it on. Ratios (their names contain "by") hardly depend on the machine; a ratio
that is more than 15 % worse than the recorded one is reported at the end. `--record` writes the ratios to
Benchmarks/thresholds.json instead. For `guard` the limit is 10 %, every recorded ratio must be there, and the exit code
is 1 if one is worse or missing.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

RECORDED = Path(__file__).resolve().parent / "thresholds.json"
TOLERANCE, GUARD_TOLERANCE = 1.15, 1.10
GOAL = re.compile(r"(?:held|MISSED): (?P<what>.*\bby\b.*): (?P<value>[\d,.]+), (?P<word>at most|at least) ")


def toolchain() -> str:
    told = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Swift version (\d+\.\d+)", told)[1]


def main():
    benchmark, records = sys.argv[1], "--record" in sys.argv
    measured = {}
    for line in sys.stdin:
        print(line, end="", flush=True)
        if found := GOAL.search(line):
            measured[found["what"]] = (float(found["value"].replace(",", "")), found["word"] == "at least")
    recorded = json.loads(RECORDED.read_text())
    version = toolchain()
    if records:
        kept = recorded.setdefault(version, {}).setdefault(benchmark, {})
        kept.update({what: value for what, (value, _) in measured.items()})
        RECORDED.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")
        return
    versions = [one for one in recorded if numbers(one) <= numbers(version)]
    if not versions or not measured and benchmark != "guard":
        return
    nearest = max(versions, key=numbers)
    is_guard = benchmark == "guard"
    kept, worse = recorded[nearest].get(benchmark, {}), 0
    for what, (value, is_more_better) in measured.items():
        was = kept.get(what)
        change = (was / value if is_more_better else value / was) if was else 1
        if change > (GUARD_TOLERANCE if is_guard else TOLERANCE):
            print(f"WORSE than with Swift {nearest}: {what}: {value:,.2f}, was {was:,.2f}")
            worse += 1
    if is_guard:
        missing = [what for what in kept if what not in measured]
        for what in missing:
            print(f"MISSING: {what}")
        print(f"{len(kept)} ratios compared: {worse} worse by more than 10 %, {len(missing)} not measured")
        sys.exit(1 if worse or missing or not kept else 0)


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


main()
