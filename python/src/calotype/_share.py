"""Makes some shards of a planned dataset with one worker: for engines that give each task its share."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from ._command import CalotypeError
from ._plan import Plan
from ._protocol import Worker
from ._shards import PathLike

LEASE = 30.0  # seconds
STEP = 1.0  # seconds


def make_shards(folder: PathLike, names: Iterable[str], **options: Any) -> int:
    """Makes the shards of a plan with these names, those that are missing; returns their number.

    Several processes may make the same shards at the same time: only one of them completes each. Limits of hosts hold for each
    process alone.

    Args:
        folder: The folder of the dataset, which has a plan.
        names: The names of shards, such as ``00003``.
        options: ``slots``, ``scratch`` and ``token`` of ``calotype worker``.

    Raises:
        CalotypeError: if a shard cannot be made.
    """
    plan = Plan(folder)
    missing = {name for name in names if not plan.is_done(name)}
    count = len(missing)
    if not missing:
        return 0
    worker = Worker(plan.folder, **options)
    try:
        worker.send("lease", seconds=LEASE)
        for name in sorted(missing):
            worker.send("shard", id=name)
        renewed = time.monotonic()
        while missing:
            for report in worker.take(STEP):
                if report.get("event") == "done":
                    missing.discard(report["id"])
                elif report.get("event") == "fail" and not plan.is_done(report["id"]):
                    raise CalotypeError(f"shard {report['id']} cannot be made: {report.get('reason')}")
            if not worker.is_running:
                raise CalotypeError("the worker has ended")
            if time.monotonic() - renewed > LEASE / 6:
                renewed = time.monotonic()
                worker.send("lease", seconds=LEASE)
    finally:
        worker.close()
    return count
