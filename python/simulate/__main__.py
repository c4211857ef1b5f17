"""Prints what a dataset on a cluster takes, by the number of nodes.

The list and the machines are those of ``setting.py``, which says what each option means.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from typing import Optional

from . import Result, Setting, simulate

COLUMNS = "nodes|time|bound|images/s|bulk time|done then|possible|half|last 1 %|peak|driver|wasted".split("|")


def row(result: Result) -> list[str]:
    setting, bulk = result.setting, result.setting.bulk_time
    return [
        f"{setting.nodes:,}", hours(result.time), hours(setting.bound), f"{setting.urls / result.time:,.0f}",
        hours(bulk), f"{result.share_at(bulk):.1%}", f"{setting.most_by(bulk):.1%}",
        hours(result.time_of(0.5)), hours(result.time - result.time_of(0.99)), f"{result.peak:.2f}", f"{result.driver:.0%}",
        f"{result.wasted / setting.urls:.1%}",
    ]  # fmt: skip


def hours(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 3600 else f"{seconds / 3600:.0f} h"


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m simulate", description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 10, 100], metavar="N")
    for each in fields(Setting):
        if each.name != "nodes":
            kind = float if isinstance(each.default, float) else int
            parser.add_argument(f"--{each.name}", type=kind, default=each.default, metavar="X", help="(default: %(default)s)")
    given = vars(parser.parse_args(arguments))
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for nodes in given.pop("nodes"):
        print("| " + " | ".join(row(simulate(Setting(nodes=nodes, **given)))) + " |", flush=True)


if __name__ == "__main__":
    main()
