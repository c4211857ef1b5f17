"""The web app in Chromium: what its pages show in every state, what they cancel, and whether everybody can use them."""

from pathlib import Path

from app_pages import detail, dock, lab, overview, plainpage, publishing, robots, search, shuffle, timeline, token, wall, wallrows
from support.browser import Browser, Unavailable
from support.checks import Checks

# Each has check(checks, binary, browser, scratch), starts what it needs, and ends it.
PAGES = [overview, search, detail, shuffle, robots, wall, wallrows, publishing, timeline, dock, lab, token, plainpage]


def check(checks: Checks, binary: Path, scratch: Path):
    try:
        opened = Browser(scratch / "browser")
    except Unavailable as why:
        checks.skip("the web app in a browser", str(why))
        return
    with opened as browser:
        for page in PAGES:
            page.check(checks, binary, browser, scratch / page.__name__.rsplit(".", 1)[-1])
    checks.equal("nothing of the browser is left", opened.left(), [])
