"""Counts what holds and what does not, and says so as it goes."""

import time


class Checks:
    """The outcome of a run; `failed` decides the exit code."""

    def __init__(self):
        self.passed = 0
        self.failures: list[str] = []
        self.skips: list[str] = []

    @property
    def failed(self) -> int:
        return len(self.failures)

    def that(self, name: str, holds: bool, detail: object = "") -> bool:
        """Notes whether `name` holds; `detail` tells why not."""
        if holds:
            self.passed += 1
            print(f"  ok    {name}", flush=True)
        else:
            self.failures.append(f"{name}: {detail}")
            print(f"  FAIL  {name}: {detail}", flush=True)
        return holds

    def equal(self, name: str, actual: object, wanted: object, context: str = "") -> bool:
        return self.that(name, actual == wanted, f"{actual!r}, wanted {wanted!r} {context}".rstrip())

    def skip(self, name: str, why: str):
        self.skips.append(f"{name}: {why}")
        print(f"  SKIP  {name}: {why}", flush=True)

    def add(self, title: str, other: "Checks"):
        """Counts what was checked under a title as well."""
        self.passed += other.passed
        self.failures += [f"{title}: {failure}" for failure in other.failures]
        self.skips += [f"{title}: {skip}" for skip in other.skips]

    def summary(self) -> str:
        """Tells what was skipped and what failed once more: at the end of a long log is where people look."""
        lines = [f"SKIPPED: {skip}" for skip in self.skips] + [f"FAILED: {failure}" for failure in self.failures]
        skipped = f", {len(self.skips)} SKIPPED" if self.skips else ""
        return "\n".join([*lines, f"{self.passed} passed, {self.failed} failed{skipped}"])


def eventually(condition, seconds: float, interval: float = 0.005) -> bool:
    """Waits until `condition` holds, looking every `interval` seconds; false when it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(interval)
    return True
