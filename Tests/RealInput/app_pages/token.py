"""A server that wants a token: what it shows without, and how it is given."""

import json
import urllib.error
import urllib.request
from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet
from support.browser import Browser
from support.checks import Checks

TOKEN = "a-token-of-the-tests"
RESULTS = "document.querySelector('#results').dataset.state === 'results'"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch, environment={"CALOTYPE_APP_TOKEN": TOKEN}) as app:
        browser.open(app.page("search?q=photo"))
        asked = browser.until("document.querySelector('dialog[open] #token')")
        checks.that("a token: is asked for", asked, browser.text("main"))
        look(checks, browser, "token")
        browser.press("Escape")
        checks.that("a token: the question stays", browser.until("document.querySelector('dialog').open"))
        browser.fill("#token", "not it")
        browser.press("Enter")
        told = browser.until("document.querySelector('#token-problem').textContent !== ''")
        checks.that("a token: a wrong one is refused, and that is said", told)
        browser.fill("#token", TOKEN)
        browser.press("Enter")
        checks.that("a token: the right one opens the page", browser.until(RESULTS), browser.text("main"))
        checks.equal("a token: the dialog is gone", browser.count("dialog"), 0)
        browser.reload()
        checks.that("a token: and the next one", browser.until(RESULTS))
        checks.equal("a token: scripts cannot read what was given", browser.run("return document.cookie"), "")
        quiet(checks, browser, "a token", app.base, expecting=("401 (Unauthorized)",))
        browser.command("Network.clearBrowserCookies")
        check_stream(checks, browser, app)
        check_refusals(checks, app)
        check_guesses(checks, browser, app)


def check_stream(checks: Checks, browser: Browser, app: RunningApp):
    """The stream that all pages share needs the token too: a page asks for it, and the others go on."""
    live = "document.querySelector('#connection, #dock-connection').textContent === 'live'"
    browser.open(app.page("timeline"))
    asked = browser.until("document.querySelector('dialog[open] #token')")
    checks.that("a token: the timeline asks for it", asked, browser.text("main"))
    browser.fill("#token", TOKEN)
    browser.press("Enter")
    checks.that("a token: and is live with it", browser.until(live), browser.text("#connection"))
    checks.equal("a token: without the dialog", browser.count("dialog"), 0)
    browser.command("Network.clearBrowserCookies")
    browser.open(app.page("robots"))
    browser.until("document.querySelector('#dock')?.checkVisibility()")
    checks.equal("a token: a closed dock asks for nothing", browser.count("dialog"), 0)
    browser.click("#dock-toggle")
    checks.that("a token: an open one does", browser.until("document.querySelector('dialog[open] #token')"))
    browser.fill("#token", TOKEN)
    browser.press("Enter")
    checks.that("a token: and is live with it too", browser.until(live), browser.text("#dock-connection"))
    browser.run("localStorage.clear()")
    quiet(checks, browser, "a token: streams", app.base)
    browser.command("Network.clearBrowserCookies")


def check_refusals(checks: Checks, app: RunningApp):
    """What a page of another site could send is refused, with and without the token."""
    search = "/api/search?term=photo"
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    cases = {
        "without the token": (search, {}, 401),
        "with it": (search, bearer, 200),
        "with a wrong one": (search, {"Authorization": "Bearer x"}, 401),
        "with it, from another site": (search, bearer | {"Origin": "https://example.com"}, 403),
        "with it, from another port": (search, bearer | {"Origin": "http://127.0.0.1:1"}, 403),
        "with it, from nowhere": (search, bearer | {"Origin": "null"}, 403),
        "with it, as a browser tells another site": (search, bearer | {"Sec-Fetch-Site": "cross-site"}, 403),
        "with it, from its own pages": (search, bearer | {"Origin": app.base, "Sec-Fetch-Site": "same-origin"}, 200),
        "a page without the token": ("/app/", {}, 200),
    }
    for name, (path, headers, wanted) in cases.items():
        status, answered = ask(app.base + path, headers)
        checks.equal(f"the API: {name}", status, wanted, json.dumps(answered))
        allowed = [field for field in answered if field.lower().startswith("access-control-")]
        checks.equal(f"the API: {name}: no other site may read it", allowed, [])


def check_guesses(checks: Checks, browser: Browser, app: RunningApp):
    """After ten wrong tokens within a minute the right one is not looked at either; two came before."""
    search = f"{app.base}/api/search?term=photo"
    answers = [ask(search, {"Authorization": f"Bearer {number}"}) for number in range(9)]
    checks.equal("guesses of the token: are looked at for a while", {status for status, _ in answers[:8]}, {401})
    checks.equal("guesses of the token: and then no more", answers[8][0], 429)
    checks.that("guesses of the token: but in a minute", 0 < int(answers[8][1].get("Retry-After", 0)) <= 61, answers[8][1])
    checks.equal("guesses of the token: nor is the right one", ask(search, {"Authorization": f"Bearer {TOKEN}"})[0], 429)
    browser.open(app.page("search?q=photo"))
    browser.until("document.querySelector('dialog[open] #token')")
    browser.fill("#token", TOKEN)
    browser.press("Enter")
    told = browser.until("document.querySelector('#token-problem').textContent.includes('minute')")
    checks.that("guesses of the token: the page says when to try again", told, browser.text("#token-problem"))
    quiet(checks, browser, "guesses of the token", app.base, expecting=("401 (Unauthorized)", "429 (Too Many Requests)"))


def ask(url: str, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.status, dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers)
