"""The shuffle: a pool that fills a few pictures at a time, and another picture at each press."""

from pathlib import Path

from app_pages import photos
from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks, eventually

COUNTS = "['loaded', 'waiting', 'failed'].map(id => Number(document.getElementById(id).textContent))"
PRESSES = """
const seen = [];
const button = document.querySelector('#next');
for (let press = 0; press < arguments[0]; press += 1) {
    button.click();
    seen.push(stage.querySelector('img')?.src);
}
return seen;
"""


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    images = ("--images", str(photos.drawn(scratch / "photos")))
    with RunningApp(binary, scratch / "plain", origin_options=images) as app:
        check_pool(checks, browser, app)
        quiet(checks, browser, "shuffle", app.base)
    with RunningApp(binary, scratch / "slow", fault="pictures-slow", origin_options=images) as app:
        check_leaving(checks, browser, app)
    with RunningApp(binary, scratch / "broken", fault="pictures-404") as app:
        check_broken(checks, browser, app)
        quiet(checks, browser, "shuffle, broken", app.base, expecting=("404 (Not Found)",))
    with RunningApp(binary, scratch / "failing", fault="503") as app:
        check_failure(checks, browser, app)
        quiet(checks, browser, "shuffle, failing", app.base, expecting=("/api/albums/",))


def counts(browser: Browser) -> list[int]:
    return browser.run(f"return {COUNTS}")


def check_pool(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("shuffle?album=3"))
    checks.that("shuffle: shows the first that is there", browser.until("document.querySelector('#stage > img')"))
    total = len(app.origin.json("/albums/3/photos"))
    browser.until(f"{COUNTS}[1] === 0", seconds=60)
    checks.equal("shuffle: all load", counts(browser), [total, 0, 0])
    said = browser.until("document.querySelector('#status').textContent.startsWith(arguments[0])", f"{total} loaded")
    checks.that("shuffle: and that is said", said, browser.text("#status"))
    look(checks, browser, "shuffle")
    walk(checks, browser, "shuffle")
    browser.requests()
    # So many that chance does not hide one that comes twice in a row when the pool begins anew.
    seen = browser.run(PRESSES, 200 * total)
    checks.that("shuffle: a press shows another one at once", all(one != other for one, other in zip(seen, seen[1:])) and all(seen))
    checks.equal("shuffle: all come before one comes again", len(set(seen[: total - 1])), total - 1)
    checks.equal("shuffle: nothing is asked for", browser.requests(), [])
    before = browser.run("return document.querySelector('#stage > img').src")
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    browser.press(" ")
    after = browser.run("return document.querySelector('#stage > img').src")
    checks.that("shuffle: so does the space key", before != after, before)
    checks.equal("shuffle: which does not scroll", browser.run("return scrollY"), 0)
    browser.fill("#album", "4")
    browser.press("Enter")
    browser.until("location.search === '?album=4'")
    browser.back()
    checks.that("shuffle: back is the album before", browser.until("document.querySelector('#album').value === '3'"))


def check_leaving(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("shuffle?album=2"))
    begun = eventually(lambda: app.origin.asked("/pictures") == 6, 60)
    checks.that("shuffle, slow: six load at once", begun, app.origin.asked("/pictures"))
    checks.equal("shuffle, slow: and no more", browser.count("#map > [data-state=loading]"), 6)
    checks.equal("shuffle, slow: the rest waits", counts(browser), [0, 50, 0])
    checks.that("shuffle, slow: there is nothing to press", browser.run("return document.querySelector('#next').disabled"))
    look(checks, browser, "shuffle-loading")
    browser.fill("#album", "5")
    browser.press("Enter")
    left = eventually(lambda: app.origin.hung_up("/pictures") == 6, 10)
    checks.that("shuffle, slow: another album closes them", left, app.origin.hung_up("/pictures"))
    eventually(lambda: app.origin.asked("/pictures") == 12, 60)
    quiet(checks, browser, "shuffle, slow", app.base)
    left = eventually(lambda: app.origin.hung_up("/pictures") == 12, 10)
    checks.that("shuffle, slow: leaving closes all", left, app.origin.hung_up("/pictures"))


def check_broken(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("shuffle?album=2"))
    browser.until(f"{COUNTS}[2] === 50", seconds=60)
    checks.equal("shuffle, broken: all are counted", counts(browser), [0, 0, 50])
    checks.that("shuffle, broken: which is said", "load any image" in browser.text("#stage"), browser.text("#stage"))
    look(checks, browser, "shuffle-broken")
    browser.click("#problem button")
    tried = browser.until(f"{COUNTS}[1] > 0 || performance.getEntriesByType('resource').length > 60")
    checks.that("shuffle, broken: they can be tried again", tried)
    browser.until(f"{COUNTS}[2] === 50", seconds=60)


def check_failure(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("shuffle?album=2"))
    checks.that("shuffle, failing: says so", browser.until("document.querySelector('#stage').dataset.state === 'failed'"))
    look(checks, browser, "shuffle-failed")
