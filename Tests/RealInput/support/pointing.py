"""Clicks as a person makes them: on what can be seen."""

from support.browser import Browser


def tap(browser: Browser, selector: str):
    """Clicks the first element that the selector names, in the middle of the window: the bars at its ends cover what lies below."""
    browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
    browser.click(selector)


CTRL, SHIFT = 2, 8


def point(browser: Browser, selector: str, across: float, down: float) -> tuple[float, float]:
    """Scrolls to the first element that the selector names; returns a point in it, by parts of its width and height."""
    browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
    x, y, width, height = browser.run("const {x, y, width, height} = document.querySelector(arguments[0]).getBoundingClientRect(); return [x, y, width, height]", selector)
    return x + width * across, y + height * down


def drag(browser: Browser, selector: str, begin: tuple[float, float], end: tuple[float, float], modifiers: int = 0):
    """Drags the mouse from one point of an element to another, by parts of its width and height."""
    first, last = point(browser, selector, *begin), point(browser, selector, *end)
    mouse = lambda kind, at, buttons: browser.command(
        "Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=buttons, clickCount=1, modifiers=modifiers)
    mouse("mousePressed", first, 1)
    for step in range(1, 6):
        mouse("mouseMoved", tuple(one + (other - one) * step / 5 for one, other in zip(first, last)), 1)
    mouse("mouseReleased", last, 0)


def wheel(browser: Browser, selector: str, across: float = 0, down: float = 0, modifiers: int = 0):
    """Turns the wheel over the middle of an element, by so many CSS pixels."""
    x, y = point(browser, selector, 0.5, 0.5)
    browser.command("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=across, deltaY=down, modifiers=modifiers)
