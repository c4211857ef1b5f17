"""The robots: one for what is typed, the placeholder first, and never one for what was typed before."""

from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks, eventually

STATE = "document.querySelector('#stage').dataset.state === arguments[0]"
# Notes every picture that is put in, with what the field says at that moment.
WATCH = """
window.shown = [];
new MutationObserver(changes => {
    for (const {addedNodes} of changes)
        for (const node of addedNodes)
            if (node.nodeName === 'IMG') shown.push([node.alt, document.querySelector('#text').value]);
}).observe(document.querySelector('#stage'), {childList: true});
"""


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "plain") as app:
        check_plain(checks, browser, app)
        quiet(checks, browser, "robots", app.base)
    with RunningApp(binary, scratch / "slow", fault="latency-1500") as app:
        check_stale(checks, browser, app)
        quiet(checks, browser, "robots, slow", app.base)
    with RunningApp(binary, scratch / "broken", fault="404") as app:
        check_failure(checks, browser, app)
        quiet(checks, browser, "robots, broken", app.base, expecting=("404 (Not Found)",))


def check_plain(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("robots"))
    checks.that("robots: begin with a placeholder", browser.until(STATE, "empty"))
    checks.that("robots: nothing to download yet", not browser.run("return document.querySelector('#download').href"))
    look(checks, browser, "robots-empty")
    browser.one("#text").send_keys("Ada")
    checks.that("robots: a robot appears", browser.until(STATE, "loaded"), browser.text("#status"))
    checks.equal("robots: it says whose", browser.run("return document.querySelector('#stage > img').alt"), "Robot of Ada")
    checks.that("robots: it can be downloaded", browser.run("const a = document.querySelector('#download'); return a.href && a.download"))
    look(checks, browser, "robots")
    walk(checks, browser, "robots")
    first = browser.run("return document.querySelector('#download').href")
    browser.run("document.querySelector('[name=set]:checked').focus()")
    browser.press("ArrowRight")
    browser.until(STATE, "loaded")
    second = browser.run("return document.querySelector('#download').href")
    checks.that("robots: another kind is another one", first != second, first)
    where = browser.run("return location.search")
    checks.equal("robots: what is chosen is in the address", where, "?text=Ada&set=set2")
    browser.reload()
    browser.until(STATE, "loaded")
    again = browser.run("return document.querySelector('#download').href")
    checks.equal("robots: a reload shows the same one", again, second)


def check_stale(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("robots"))
    browser.run(WATCH)
    field = browser.one("#text")
    field.send_keys("B")
    begun = eventually(lambda: app.origin.asked("/robots") >= 1, 60)
    checks.that("robots, slow: one is asked for", begun)
    look(checks, browser, "robots-loading")
    asked = app.origin.asked("/robots")
    field.send_keys("ob")
    left = eventually(lambda: app.origin.hung_up("/robots") >= 1 or browser.run("return shown.length > 0"), 10)
    checks.that("robots, slow: another key closes it", left, f"{app.origin.hung_up('/robots')} of {asked}")
    field.send_keys("by")
    checks.that("robots, slow: the last one comes", browser.until(STATE, "loaded"), browser.text("#status"))
    shown = browser.run("return shown")
    stale = [one for one in shown if one[0] != f"Robot of {one[1]}"]
    checks.equal("robots, slow: no stale one was shown", (stale, shown[-1:]), ([], [["Robot of Bobby", "Bobby"]]))
    field.send_keys("x")
    gone = browser.run("return [document.querySelector('#stage > img'), document.querySelector('#download').href]")
    checks.equal("robots, slow: a key takes the old one away at once", gone, [None, ""])


def check_failure(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page("robots?text=Ada"))
    checks.that("robots, broken: says so", browser.until(STATE, "failed"), browser.text("#status"))
    look(checks, browser, "robots-failed")
    browser.requests()
    browser.click("#retry")
    again = eventually(lambda: any("/api/robot" in one.path for one in browser.requests()), 60)
    checks.that("robots, broken: another try asks again", again)
    browser.until(STATE, "failed")
