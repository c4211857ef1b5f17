"""The lab: six ways side by side, a cancellation that reaches four of them, and servers that misbehave."""

from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks

WAYS = ["oneByOne", "pairs", "boundedGroup", "group", "tasks", "callbacks"]
COUNT = "document.querySelectorAll(`[data-way=${arguments[0]}] .lab-cell[data-state=${arguments[1]}]`).length"
# The words of a way's badge.
BADGE = "document.querySelector(`[data-way=${arguments[0]}] .badge`).textContent"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "plain") as app:
        browser.open(app.page("lab"))
        check_run(checks, browser)
        check_cancel(checks, browser)
        check_faults(checks, browser)
        quiet(checks, browser, "lab", app.base)


def count(browser: Browser, way: str, state: str) -> int:
    return browser.run(f"return {COUNT}", way, state)


def badge(browser: Browser, way: str) -> str:
    return browser.run(f"return {BADGE}", way)


def slide(browser: Browser, name: str, value: int):
    browser.run("""
        const slider = document.getElementById(arguments[0]);
        slider.max = Math.max(slider.max, arguments[1]);
        slider.value = arguments[1];
        slider.dispatchEvent(new Event('input'));
    """, name, value)


def check_run(checks: Checks, browser: Browser):
    look(checks, browser, "lab")
    walk(checks, browser, "lab")
    code = browser.run("return [...document.querySelectorAll('.lab-way code')].map(code => code.textContent)")
    checks.equal("lab: shows the Swift of each way", [text.startswith("func load") and text.rstrip().endswith("\n}") for text in code], [True] * 6)
    # The keyboard's walk has scrolled the page below its bar.
    browser.run("document.activeElement.blur(); scrollTo(0, 0)")
    slide(browser, "latency", 50)
    slide(browser, "failures", 25)
    browser.click("#start")
    for way in WAYS:
        done = browser.until(f"{BADGE} === 'done'", way, seconds=60)
        checks.that(f"lab: {way} ends", done, badge(browser, way))
        checks.equal(f"lab: {way} loads all but the missing ones", (count(browser, way, "finished"), count(browser, way, "failed")), (18, 6))
    look(checks, browser, "lab-done")


def check_cancel(checks: Checks, browser: Browser):
    slide(browser, "latency", 6000)
    slide(browser, "failures", 0)
    browser.click("#start")
    for way in WAYS:
        checks.that(f"lab: {way} begins", browser.until(f"{COUNT} > 0", way, "running", seconds=60))
    browser.click("#cancel")
    for way in WAYS[:4]:
        checks.that(f"lab: {way} stops", browser.until(f"{BADGE}.startsWith('stopped')", way), badge(browser, way))
        checks.that(f"lab: {way} shows what was cancelled", count(browser, way, "cancelled") > 0)
        checks.equal(f"lab: nothing of {way} still runs", count(browser, way, "unstopped"), 0)
    look(checks, browser, "lab-cancelled")
    for way in WAYS[4:]:
        checks.that(f"lab: {way} ends later", browser.until(f"{BADGE}.startsWith('stopped')", way, seconds=60), badge(browser, way))
        late = browser.run(f"return document.querySelector('[data-way={way}] [data-figure=late]').textContent")
        checks.that(f"lab: {way} loaded what nobody wanted", int(late) > 0, late)
        checks.equal(f"lab: nothing of {way} was cancelled", count(browser, way, "cancelled"), 0)


def check_faults(checks: Checks, browser: Browser):
    slide(browser, "latency", 0)
    browser.click("[data-fault=cut]")
    checks.equal("lab: a fault is pressed", browser.count("[data-fault][aria-pressed=true]"), 1)
    browser.click("#start")
    for way in WAYS:
        browser.until(f"{BADGE} === 'done'", way, seconds=60)
        checks.equal(f"lab: cut bodies are continued, {way}", count(browser, way, "finished"), 24)
    requests = int(browser.run("return document.querySelector('[data-way=group] [data-figure=requests]').textContent"))
    checks.that("lab: with a second request each", requests == 48, requests)
    browser.click("[data-fault=cut]")
    checks.equal("lab: and released", browser.count("[data-fault][aria-pressed=true]"), 0)
