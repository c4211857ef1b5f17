"""The page of an app: facts, screenshots that load when they are scrolled to, and what leaving it cancels."""

from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import PHONE, Browser
from support.checks import Checks, eventually
from support.pointing import drag, point, tap

STATE = "document.querySelector('#app').dataset.state === arguments[0]"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "plain") as app:
        check_plain(checks, browser, app)
        quiet(checks, browser, "app", app.base)
        check_unknown(checks, browser, app)
        quiet(checks, browser, "app, unknown", app.base, expecting=("404 (Not Found)",))
    with RunningApp(binary, scratch / "slow", fault="pictures-slow") as app:
        check_leaving(checks, browser, app)
        quiet(checks, browser, "app, slow", app.base)
    with RunningApp(binary, scratch / "failing", fault="first-1-html") as app:
        check_failure(checks, browser, app)


def some_app(app: RunningApp) -> dict:
    """Returns an entry of the store with screenshots of a phone and a tablet."""
    found = app.origin.json("/search?term=photo&limit=200")["results"]
    return next(one for one in found if len(one["screenshotUrls"]) > 3 and one.get("ipadScreenshotUrls"))


def check_plain(checks: Checks, browser: Browser, app: RunningApp):
    entry = some_app(app)
    browser.open(app.page(f"app?id={entry['trackId']}"))
    checks.that("app: is shown", browser.until(STATE, "results"), browser.text("#app"))
    checks.equal("app: its name", browser.text("h1"), entry["trackName"])
    checks.that("app: its facts", entry["artistName"] in browser.text(".app-head"), browser.text(".app-head"))
    checks.equal("app: its page", browser.run("return document.querySelector('.store').href"), entry["trackViewUrl"])
    shots = browser.run("return [...document.querySelectorAll('.strip')].map(one => one.childElementCount)")
    checks.equal("app: screenshots of both kinds", shots, [len(entry["screenshotUrls"]), len(entry["ipadScreenshotUrls"])])
    browser.until("document.querySelectorAll('.strip lazy-picture > img').length >= 3")
    look(checks, browser, "app")
    walk(checks, browser, "app")
    check_larger(checks, browser, entry)
    browser.resize(PHONE)
    browser.forget()
    browser.reload()
    browser.until(STATE, "results")
    browser.until("document.querySelector('.strip lazy-picture > img')")
    last = "document.querySelector('.strip > li:last-child lazy-picture')"
    checks.that("app: the last screenshot waits until one scrolls", not browser.run(f"return Boolean({last}.querySelector('img'))"))
    browser.run("document.querySelector('.strip').scrollTo({left: 100000, behavior: 'instant'})")
    checks.that("app: then it loads", browser.until(f"{last}.querySelector('img')"))
    alt = browser.run(f"return {last}.querySelector('img').alt")
    checks.that("app: it says what it is", entry["trackName"] in alt, alt)


def check_larger(checks: Checks, browser: Browser, entry: dict):
    """A screenshot opens larger in a dialog, from which the arrow keys lead to the others."""
    browser.requests()
    browser.run("document.querySelector('.enlarge').focus()")
    browser.press("Enter")
    checks.that("app: Enter shows a screenshot larger", browser.until("document.querySelector('#larger').open && document.querySelector('#larger-picture img')"))
    larger = eventually(lambda: any("/rs:fit:2048:2048/" in one.path for one in browser.requests(keep=True)), 30)
    checks.that("app: in a larger size", larger, [one.path for one in browser.requests()])
    checks.that("app: with its name", entry["trackName"] in browser.text("#larger-name"), browser.text("#larger-name"))
    browser.until("document.querySelector('#larger-picture img')?.naturalHeight > 512")
    hidden = browser.run("""
        const [place, picture] = ['#larger-picture', '#larger-picture img'].map(name => document.querySelector(name).getBoundingClientRect());
        return Math.max(picture.height - place.height, picture.width - place.width);
    """)
    checks.that("app: all of it is seen", hidden <= 1, hidden)
    look(checks, browser, "app-larger")
    check_zoom(checks, browser)
    first = browser.text("#larger-name")
    browser.press("ArrowRight")
    second = browser.text("#larger-name")
    checks.that("app: the right key leads to the next", second != first, second)
    browser.press("ArrowLeft")
    browser.press("ArrowLeft")
    checks.equal("app: the left key to the one before, and no further", browser.text("#larger-name"), first)
    checks.equal("app: which can be seen", browser.run("return document.querySelector('#larger-before').ariaDisabled"), "true")
    for _ in entry["screenshotUrls"]:
        browser.press("ArrowRight")
    last = browser.text("#larger-name")
    checks.equal("app: the last is the last", browser.run("return document.querySelector('#larger-after').ariaDisabled"), "true")
    swipe(browser, 300)
    checks.that("app: a swipe to the right leads back", browser.text("#larger-name") != last, last)
    swipe(browser, -300)
    checks.equal("app: one to the left forward", browser.text("#larger-name"), last)
    browser.press("Escape")
    at = browser.run("return [...document.querySelectorAll('.strip .enlarge')].indexOf(document.activeElement)")
    checks.equal("app: Escape leads back to the screenshot that one got to", at, len(entry["screenshotUrls"]) - 1)
    checks.equal("app: and closes", browser.run("return document.querySelector('#larger').open"), False)
    browser.run("document.querySelector('.strip').scrollTo({left: 0, behavior: 'instant'})")
    browser.click(".enlarge")
    checks.that("app: so does a click", browser.until("document.querySelector('#larger').open"))
    browser.click("#larger-close")
    checks.equal("app: a button closes it too", browser.run("return document.querySelector('#larger').open"), False)


def check_zoom(checks: Checks, browser: Browser):
    """A click enlarges the screenshot around it; the mouse moves it, Escape leads back."""
    place = "document.querySelector('#larger-picture')"
    before = browser.run(f"return {place}.querySelector('img').getBoundingClientRect().height")
    tap(browser, "#larger-picture img")
    zoomed = f"return {place}.querySelector('img').getBoundingClientRect().height"
    checks.that("app: a click enlarges it", browser.until(f"{place}.querySelector('img').getBoundingClientRect().height > 1.9 * arguments[0]", before), (before, browser.run(zoomed)))
    checks.equal("app: which the button shows", browser.run("return document.querySelector('#larger-zoom').ariaPressed"), "true")
    middle = browser.run(f"return [{place}.scrollTop, ({place}.scrollHeight - {place}.clientHeight) / 2]")
    checks.that("app: with the clicked point in the middle", abs(middle[0] - middle[1]) < 3, middle)
    look(checks, browser, "app-zoomed")
    drag(browser, "#larger-picture", (0.5, 0.6), (0.5, 0.5))
    moved = browser.run(f"return {place}.scrollTop - {place}.clientHeight / 10") - middle[0]
    checks.that("app: the mouse moves it", abs(moved) < 10, moved)
    browser.press("Escape")
    left = browser.run(f"return [document.querySelector('#larger').open, {place}.classList.contains('zoomed')]")
    checks.equal("app: Escape shows all of it again", left, [True, False])


def swipe(browser: Browser, by: float):
    """Moves a finger to the right by that many pixels."""
    x, y = point(browser, "#larger-picture", 0.5, 0.5)
    browser.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    for step in range(1, 7):
        browser.command("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + by * step / 6, "y": y}])
    browser.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def check_unknown(checks: Checks, browser: Browser, app: RunningApp):
    for what, query in (("unknown", "?id=4"), ("nonsense", "?id=x"), ("none", "")):
        browser.open(app.page(f"app{query}"))
        checks.that(f"app, {what}: says that there is none", browser.until(STATE, "empty"), browser.text("#app"))
    look(checks, browser, "app-unknown")


def check_leaving(checks: Checks, browser: Browser, app: RunningApp):
    entry = some_app(app)
    browser.open(app.page("search?q=photo"))
    browser.until("document.querySelector('.result-name')")
    browser.open(app.page(f"app?id={entry['trackId']}"))
    browser.until(STATE, "results")
    begun = eventually(lambda: app.origin.asked("/apps/screenshots") >= 3, 60)
    checks.that("app, slow: screenshots are asked for", begun, app.origin.asked("/apps/screenshots"))
    browser.back()
    left = eventually(lambda: app.origin.hung_up("/apps/screenshots") == app.origin.asked("/apps/screenshots"), 10)
    told = (app.origin.hung_up("/apps/screenshots"), app.origin.asked("/apps/screenshots"))
    checks.that("app, slow: leaving closes all at the store", left, told)
    # Not before: looking takes so long on a busy machine that a screenshot may arrive whole.
    browser.open(app.page(f"app?id={entry['trackId']}"))
    browser.until(STATE, "results")
    look(checks, browser, "app-loading")
    browser.back()


def check_failure(checks: Checks, browser: Browser, app: RunningApp):
    browser.open(app.page(f"app?id={some_app(app)['trackId']}"))
    checks.that("app, failing: says so", browser.until(STATE, "failed"), browser.text("#app"))
    look(checks, browser, "app-failed")
    browser.click("#app .notice button")
    checks.that("app, failing: another try succeeds", browser.until(STATE, "results"), browser.text("#app"))
    quiet(checks, browser, "app, failing", app.base, expecting=("/api/apps/",))
