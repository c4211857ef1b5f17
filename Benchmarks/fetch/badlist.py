"""The bad URLs of the `bad` part: what each does and the codes that name it rightly."""

import random
from dataclasses import dataclass
from pathlib import Path

from support.faulty import Faulty
from support.silence import Refuses

# How many of each; the redirects are not bad, but must be followed.
COUNTS = {
    "404": 40, "500": 20, "hang": 10, "cut": 20, "half": 20, "html": 10,
    "slow": 5, "redirect": 10, "loop": 3, "refused": 5, "dns": 3, "bomb": 1,
}  # fmt: skip
# With a total timeout as short as the header timeout, either may be the one that strikes.
CODES = {
    "good": {"ok"},
    "404": {"http_404"},
    "500": {"http_500"},
    "hang": {"timeout_headers", "timeout_total"},
    "cut": {"truncated_body"},
    "half": {"truncated_image"},
    "html": {"unsupported_format"},
    "slow": {"too_slow", "timeout_total"},
    "redirect": {"ok"},
    "loop": {"too_many_redirects"},
    "refused": {"connect_failed"},
    "dns": {"dns_failed"},
    "bomb": {"too_many_pixels"},
}


@dataclass(frozen=True)
class Line:
    """One URL, what kind it is, and the picture that must come out of it, if any."""

    kind: str
    url: str
    picture: dict | None = None


def lines(pictures: list[dict], good_url, faulty: Faulty, refuses: Refuses, seed: int) -> list[Line]:
    """Returns the good and the bad URLs, mixed by seed."""
    rng = random.Random(seed)
    # A large JPEG: half of it is truncated wherever the half ends, and a byte per half second never finishes.
    victims = [picture["name"] for picture in pictures if picture["format"] == "JPEG" and picture["bytes"] > 50_000]
    mixed = [Line("good", good_url(picture["name"]), picture) for picture in pictures]
    for kind, count in COUNTS.items():
        for number in range(count):
            mixed.append(bad_line(kind, number, rng.choice(victims), pictures, good_url, faulty, refuses))
    rng.shuffle(mixed)
    return mixed


def bad_line(kind: str, number: int, victim: str, pictures, good_url, faulty: Faulty, refuses: Refuses) -> Line:
    match kind:
        case "redirect":
            target = pictures[number]
            return Line(kind, faulty.url(f"redirect/{number}?to={good_url(target['name'])}"), target)
        case "refused":
            return Line(kind, refuses.url(f"{number}.jpg"))
        case "dns":
            return Line(kind, f"http://calotype-bench-{number}.invalid/{number}.jpg")
        case "bomb":
            return Line(kind, faulty.url("file/bomb.png"))
        case _:
            # The number keeps equal victims apart.
            return Line(kind, faulty.url(f"{kind}/{number}/{victim}"))


def tally(mixed: list[Line], report: list[dict]) -> dict[str, dict[str, int]]:
    """Returns, by kind, how many of its URLs got which code."""
    seen: dict[str, dict[str, int]] = {kind: {} for kind in CODES}
    codes = {entry["index"]: entry["status"] if entry["status"] == "ok" else str(entry.get("code")) for entry in report}
    for index, line in enumerate(mixed):
        code = codes.get(index, "missing")
        seen[line.kind][code] = seen[line.kind].get(code, 0) + 1
    return seen


def wrong(seen: dict[str, dict[str, int]]) -> int:
    """Returns how many URLs got a code that does not name what was wrong with them."""
    return sum(count for kind, codes in seen.items() for code, count in codes.items() if code not in CODES[kind])


def table(seen: dict[str, dict[str, int]]) -> str:
    rows = ["| what the URL does | number | code | seen |", "|---|---|---|---|"]
    for kind, codes in seen.items():
        found = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
        rows.append(f"| {kind} | {sum(codes.values())} | {' or '.join(sorted(CODES[kind]))} | {found} |")
    return "\n".join(rows)
