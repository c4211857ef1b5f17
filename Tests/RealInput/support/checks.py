"""Counts what holds and what does not, and says so as it goes."""

import sys
import time


class Checks:
    """The outcome of a run; `failed` decides the exit code."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def that(self, name: str, holds: bool, detail: object = "") -> bool:
        """Notes whether `name` holds; `detail` tells why not."""
        if holds:
            self.passed += 1
            print(f"  ok    {name}", flush=True)
        else:
            self.failed += 1
            print(f"  FAIL  {name}: {detail}", flush=True)
        return holds

    def equal(self, name: str, actual: object, wanted: object, context: str = "") -> bool:
        return self.that(name, actual == wanted, f"{actual!r}, wanted {wanted!r} {context}".rstrip())

    def skip(self, name: str, why: str):
        self.skipped += 1
        print(f"  SKIP  {name}: {why}", flush=True)
        print(f"SKIPPED: {name}: {why}", file=sys.stderr, flush=True)

    def summary(self) -> str:
        skipped = f", {self.skipped} SKIPPED" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def eventually(condition, seconds: float, interval: float = 0.005) -> bool:
    """Waits until `condition` holds, looking every `interval` seconds; false when it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(interval)
    return True
