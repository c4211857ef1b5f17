"""Clicks as a person makes them: on what can be seen."""

from support.browser import Browser


def tap(browser: Browser, selector: str):
    """Clicks the first element that the selector names, in the middle of the window: the bars at its ends cover what lies below."""
    browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
    browser.click(selector)
