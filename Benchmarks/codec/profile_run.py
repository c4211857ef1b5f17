"""Where the time of our process goes: perf samples, by the library and by the module that the symbol comes from."""

import subprocess
from collections import Counter
from pathlib import Path

# Modules of this package whose work is what the program is for, as that of the C libraries is.
RESAMPLER = "CScaler"


def modules(build: Path) -> dict[str, str]:
    """Returns the module of each symbol that our own object files define; debug information is not needed for it."""
    owners: dict[str, str] = {}
    for folder in sorted(build.glob("*.build")):
        objects = [path for path in folder.rglob("*.o")]
        if not objects:
            continue
        listed = subprocess.run(["nm", "--defined-only", *objects], capture_output=True, text=True)
        for line in listed.stdout.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "tTwWvV":
                owners.setdefault(words[2], folder.stem)
    return owners


def profile(command: list, program: Path, recording: Path) -> Counter:
    """Returns the samples by owner: a library, the kernel, or `ours: MODULE`."""
    record(command, recording)
    owners = modules(program.parent)
    samples: Counter = Counter()
    listed = subprocess.run(
        ["perf", "script", "--input", recording, "--fields", "ip,sym,dso", "--no-demangle"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for line in listed.stdout.splitlines():
        words = line.split()
        if len(words) < 3:
            continue
        symbol, library = words[1], words[-1].strip("()")
        samples[owner(symbol, library, program, owners)] += 1
    return samples


def record(command: list, recording: Path):
    # Guests often have no hardware counters; the clock is there for all.
    base = ["perf", "record", "--quiet", "--freq", "1999", "--output", recording]
    for event in ("cpu-clock", "cpu-clock:u"):
        made = subprocess.run([*base, "--event", event, "--", *map(str, command)], stdout=subprocess.DEVNULL)
        if made.returncode in (0, 1) and recording.exists():
            return
    raise SystemExit("perf record does not work here: is kernel.perf_event_paranoid above 2?")


def owner(symbol: str, library: str, program: Path, owners: dict[str, str]) -> str:
    name = Path(library).name
    if name == program.name:
        # The compiler names its own copies of a function after it.
        found = owners.get(symbol) or owners.get(symbol.partition(".")[0])
        return f"ours: {found or 'of no module'}"
    if name.startswith("libswift") or name.startswith("lib_Foundation") or name.startswith("libFoundation"):
        return f"ours: {name.partition('.')[0]}"
    if library == "deleted":
        return "code that liborc compiled"
    if "kernel" in library or library.startswith("[k"):
        return "kernel"
    return name.partition(".so")[0]


def own_share(samples: Counter) -> float:
    own = sum(count for name, count in samples.items() if name.startswith("ours: ") and name != f"ours: {RESAMPLER}")
    return own / max(1, sum(samples.values()))


def table(samples: Counter) -> str:
    whole = max(1, sum(samples.values()))
    lines = ["| where | share |", "|---|---|"]
    for name, count in samples.most_common():
        if count / whole >= 0.002:
            lines.append(f"| {name}{' (the resampler)' if name == f'ours: {RESAMPLER}' else ''} | {100 * count / whole:.1f} % |")
    return "\n".join(lines)
