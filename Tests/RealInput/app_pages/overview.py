"""The first page: the engine's figures as they change, a demo that can be cancelled, and the way to the other pages."""

import gzip
import io
import json
import zipfile
from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks, eventually

SHOWN = "document.querySelectorAll('#demo-grid img').length"
DONE = "Number(document.querySelector('[data-part=show] b').textContent.replace(/,/g, ''))"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "plain") as app:
        browser.open(app.page())
        facts = browser.until("document.querySelectorAll('#server dd').length === 4")
        checks.that("overview: says what the server can do", facts, browser.text("#server"))
        look(checks, browser, "overview")
        walk(checks, browser, "overview")
        checks.that("overview: there is no wall yet", "No walls" in browser.text("#walls"), browser.text("#walls"))
        checks.equal("overview: nor a list of posts without a profile", browser.run("return document.querySelector('#posts-card').hidden"), True)
        check_compressed(checks, app)
        check_demo(checks, browser, app)
        browser.open(app.page("?q=photo"))
        checks.that("overview: an old address of the search leads there", browser.until("location.pathname === '/app/search'"))
        quiet(checks, browser, "overview", app.base)
    with RunningApp(binary, scratch / "slow", fault="pictures-slow") as app:
        check_cancel(checks, browser, app)
    with RunningApp(binary, scratch / "failing", fault="503") as app:
        browser.open(app.page())
        browser.click("#demo")
        checks.that("overview, failing: says why", browser.until("document.querySelector('#demo-problem').textContent !== ''"))
        quiet(checks, browser, "overview, failing", app.base, expecting=("/api/walls",))


def check_compressed(checks: Checks, app: RunningApp):
    """Texts are short for those who read gzip, and the same for all."""
    for path in ("/app/", "/app/app.css", "/app/wall.js", "/api/openapi.json"):
        plain, short = app.server.get(path), app.server.get(path, "--header", "Accept-Encoding: gzip")
        same = gzip.decompress(short.body) == plain.body and short.headers.get("content-encoding") == "gzip"
        checks.that(f"overview: {path} is compressed", same and len(short.body) < len(plain.body) / 2, (short.headers, len(plain.body)))
        known = app.server.get(path, "--header", "Accept-Encoding: gzip", "--header", f"If-None-Match: {short.headers['etag']}")
        checks.equal(f"overview: {path} is not sent again", known.status, 304)


def check_demo(checks: Checks, browser: Browser, app: RunningApp):
    total = app.origin.json("/search?term=photo&limit=200")["resultCount"]
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    browser.click("#demo")
    shown = browser.until(f"{SHOWN} === arguments[0]", total, seconds=120)
    checks.that("overview: the demo shows all icons", shown, browser.run(f"return {SHOWN}"))
    checks.that("overview: and says so", browser.until("document.querySelector('#demo-text').textContent.includes(' images in ')"))
    checks.that("overview: the figures follow", browser.until(f"{DONE} >= arguments[0]", total), browser.run(f"return {DONE}"))
    listed = browser.until("document.querySelector('#walls .recent')")
    told = browser.text("#walls")
    checks.that("overview: the demo is among the last walls", listed and f"{total} of {total} images" in told and "complete" in told, told)
    zipped = zipfile.ZipFile(io.BytesIO(app.server.get(browser.run("return new URL(document.querySelector('#walls a[download]').href).pathname")).body))
    checks.equal("overview: with a zip of its images", len(zipped.namelist()), total + 1)
    look(checks, browser, "overview-demo")


def check_cancel(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page())
    browser.click("#demo")
    begun = eventually(lambda: app.origin.asked("/apps/icons") > 0, 60)
    checks.that("overview, slow: icons are requested", begun, app.origin.asked("/apps/icons"))
    browser.click("#demo-cancel")
    cancelled = browser.until("document.querySelectorAll('#demo-grid [data-state=cancelled]').length > 0")
    checks.that("overview, slow: a cancel shows what was not loaded", cancelled, browser.text("#demo-text"))
    listed = browser.until("document.querySelector('#walls .recent .badge')?.textContent === 'cancelled'")
    checks.that("overview, slow: also among the last walls", listed, browser.text("#walls"))
    asked = app.origin.asked("/apps/icons")
    browser.click("#demo")
    begun = eventually(lambda: app.origin.asked("/apps/icons") > asked, 60)
    checks.that("overview, slow: the demo begins again", begun, app.origin.asked("/apps/icons"))
    browser.leave()
    ended = eventually(lambda: json.loads(app.server.get("/api/walls").body)["walls"][0]["state"] == "cancelled", 30)
    checks.that("overview, slow: leaving the page ends it", ended, app.server.get("/api/walls").body)
    browser.open(app.page())
    quiet(checks, browser, "overview, slow", app.base)
