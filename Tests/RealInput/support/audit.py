"""Looks a page over as somebody does who cannot see it, or has no mouse: names and roles as the browser tells them to a screen
reader, contrast, headings and landmarks, the order of the focus and whether it can be seen."""

from pathlib import Path

from support.browser import DESKTOP, PHONE, SCHEMES, SIZES, Browser
from support.checks import Checks

SCRIPT = (Path(__file__).parent / "audit.js").read_text()
# What a reader can do something with, and what must say what it shows.
NAMED_ROLES = {
    "button", "link", "textbox", "searchbox", "combobox", "ComboBoxSelect", "listbox", "checkbox", "radio", "spinbutton", "slider",
    "switch", "tab", "menuitem", "option", "dialog", "alertdialog", "navigation", "image", "img", "progressbar", "meter",
}
# An observer of sizes runs with the next frame.
FRAMES = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
# Enough to walk through the head of a page and a good part of what it shows.
TABS = 25
# A phone of long ago, or a window of 1,280 pixels at 400 % (WCAG 2.2, 1.4.10).
NARROW = (320, 640)
# A window of 1,280 by 800 pixels at 200 % (WCAG 2.2, 1.4.4).
ZOOMED = (640, 400)
TOO_WIDE = """
const {scrollWidth} = document.scrollingElement;
const wide = [...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1);
return (scrollWidth > innerWidth ? wide : []).slice(0, 5).map(one => `${scrollWidth} pixels: ${one.outerHTML.slice(0, 80)}`);
"""
# What stays in place when the page is scrolled leaves half of the window to what does not.
ROOM = """
if (document.querySelector('dialog[open]')) return [];
// What is sticky in a part that scrolls by itself covers only that part.
const scrolls = one => one && one !== document.body && (['auto', 'scroll'].includes(getComputedStyle(one).overflowY) || scrolls(one.parentElement));
const stays = one => {
    const position = one && getComputedStyle(one).position;
    return one && (position === 'fixed' || position === 'sticky' && !scrolls(one.parentElement) ? one : stays(one.parentElement));
};
const found = [];
for (let y = 2; y < innerHeight; y += 4) found.push(stays(document.elementFromPoint(innerWidth / 2, y)));
const covered = found.filter(Boolean);
const names = [...new Set(covered)].map(one => one.outerHTML.slice(0, 60));
return covered.length > found.length / 2 ? [`${covered.length} of ${found.length} rows are covered by ${names}`] : [];
"""
GROUNDS = """
const clear = 'rgba(0, 0, 0, 0)';
const ground = one => {
    const color = one ? getComputedStyle(one).backgroundColor : 'none';
    return color === clear ? ground(one.parentElement) : color;
};
const stands = one => ground(one) !== ground(one.parentElement);
const hasEdge = one => {
    const style = getComputedStyle(one);
    const isDrawn = side => style[`border${side}Style`] !== 'none' && parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Color`] !== clear;
    return style.outlineStyle !== 'none' || ['Top', 'Right', 'Bottom', 'Left'].some(isDrawn);
};
"""
# What only the colour of its ground draws: the system's colours take that away. Text tells for itself.
MARK = GROUNDS + """
const drawn = 'img, svg, svg *, canvas, video, input, select, textarea, progress, meter, button';
window.painted = [...document.querySelectorAll('body *')].filter(one => {
    const {width, height} = one.getBoundingClientRect();
    return !one.textContent.trim() && !one.matches(drawn) && !one.querySelector(drawn) && width >= 2 && height >= 2
        && one.checkVisibility({opacityProperty: true, visibilityProperty: true}) && !one.closest('.visually-hidden')
        && getComputedStyle(one).backgroundImage === 'none' && stands(one) && !hasEdge(one);
});
"""
LOST = GROUNDS + """
return window.painted.filter(one => one.isConnected && !stands(one) && !hasEdge(one)).slice(0, 5)
    .map(one => `${one.parentElement.outerHTML.slice(0, 60)} … ${one.outerHTML.slice(0, 80)}`);
"""
FOCUS = """
const element = document.activeElement;
if (!element || element === document.body) return null;
element.dataset.walked ??= arguments[0];
const seen = [[element, null], [element, '::after'], [element, '::before'], [element.nextElementSibling, null], [element.parentElement, null]]
    .filter(([one]) => one).some(([one, part]) => {
        const style = getComputedStyle(one, part);
        return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    });
const box = element.getBoundingClientRect();
const x = Math.min(Math.max(box.x + box.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(box.y + box.height / 2, 0), innerHeight - 1);
const over = document.elementFromPoint(x, y);
const isMet = over && (element.contains(over) || over.contains(element) || over.closest('label')?.contains(element));
const before = window.walkedLast;
window.walkedLast = element;
return {
    name: element.nodeName + ' ' + (element.id || element.getAttribute('aria-label') || element.textContent.trim().slice(0, 30)),
    seen, isMet: Boolean(isMet), again: element.dataset.walked !== arguments[0],
    follows: !before || !before.isConnected || Boolean(before.compareDocumentPosition(element) & 4),
};
"""


def look(checks: Checks, browser: Browser, name: str):
    """Judges what the page shows now at both sizes, light and dark, and keeps a screenshot of each."""
    faults = []
    for size_name, size in SIZES.items():
        browser.resize(size)
        browser.run(FRAMES)
        faults += [f"{size_name}: {fault}" for fault in tree_faults(browser)]
        for scheme in SCHEMES:
            browser.prefer(scheme)
            faults += [f"{size_name}, {scheme}: {fault}" for fault in browser.run(SCRIPT)]
            browser.screenshot(f"{name}-{size_name}-{scheme}")
    browser.resize(NARROW)
    browser.run(FRAMES)
    faults += [f"narrow: {fault}" for fault in browser.run(TOO_WIDE)]
    browser.resize(ZOOMED)
    browser.run(FRAMES)
    faults += [f"200 %: {fault}" for fault in browser.run(SCRIPT) + browser.run(TOO_WIDE) + browser.run(ROOM)]
    browser.screenshot(f"{name}-zoomed")
    browser.resize(DESKTOP)
    browser.run(FRAMES)
    browser.prefer("light")
    browser.run(MARK)
    browser.force_colors()
    browser.run(FRAMES)
    faults += [f"forced colours: nothing is left of {fault}" for fault in browser.run(LOST)]
    browser.screenshot(f"{name}-forced")
    browser.prefer("light")
    checks.equal(f"{name}: can be read and heard by all", faults, [])


def tree_faults(browser: Browser) -> list[str]:
    """Returns what the tree that a screen reader gets lacks."""
    faults, roles = [], []
    for node in browser.command("Accessibility.getFullAXTree")["nodes"]:
        if node.get("ignored"):
            continue
        role = node.get("role", {}).get("value", "")
        name = node.get("name", {}).get("value", "").strip()
        roles.append(role)
        is_focusable = any(one["name"] == "focusable" and one["value"].get("value") for one in node.get("properties", []))
        needs_name = role in NAMED_ROLES or (is_focusable and role not in ("RootWebArea", "main", "generic"))
        if needs_name and not name:
            faults.append(f"a {role} has no name: {markup(browser, node)}")
    # A dialog that must be answered hides all else.
    for landmark in () if "dialog" in roles else ("main", "banner", "navigation", "contentinfo"):
        if landmark not in roles:
            faults.append(f"there is no landmark {landmark}")
    return faults


def markup(browser: Browser, node: dict) -> str:
    try:
        return browser.command("DOM.getOuterHTML", backendNodeId=node["backendDOMNodeId"])["outerHTML"][:200]
    except Exception:  # a node without an element
        return str(node)[:200]


def walk(checks: Checks, browser: Browser, name: str, tabs: int = TABS):
    """Goes through the page by the Tab key: the order is the document's, and the focus is seen wherever it is."""
    faults, names = [], []
    for size_name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        browser.resize(size)
        browser.run("document.activeElement?.blur(); window.walkedLast = null; getSelection().removeAllRanges(); scrollTo(0, 0)")
        # From the very top: the address bar comes before the page.
        browser.run("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
        names = []
        for _ in range(tabs):
            browser.press("Tab")
            found = browser.run(FOCUS, f"{name}-{size_name}")
            if found is None:
                break
            names.append(found["name"])
            where = f"{size_name}: {found['name']}"
            if not found["follows"]:
                break  # it began again
            if not found["seen"]:
                faults.append(f"{where} does not show the focus")
            if not found["isMet"]:
                faults.append(f"{where} is covered when it has the focus")
        if len(names) < 8:
            faults.append(f"{size_name}: the keyboard reaches only {names}")
    browser.resize(DESKTOP)
    checks.equal(f"{name}: the keyboard goes through in the document's order and is seen", faults, [])


def quiet(checks: Checks, browser: Browser, name: str, base: str, expecting: tuple[str, ...] = ()):
    """Checks that the page asked only its own server, shifted nothing, and complained of nothing but what is expected; then
    leaves it."""
    told = browser.complaints()
    shift, shifts = browser.run("return [watched.shift, watched.shifts]")
    # What it loads would fail when its server ends.
    browser.leave()
    unexpected = [line for line in told + browser.complaints() if not any(part in line for part in expecting)]
    checks.equal(f"{name}: nothing in the console", unexpected, [])
    hosts = {request.host for request in browser.requests() if request.url.startswith("http")}
    checks.that(f"{name}: asks no other host", hosts <= {base.removeprefix("http://")}, hosts)
    checks.that(f"{name}: nothing moves by itself", shift < 0.02, f"{shift}: {shifts}")
