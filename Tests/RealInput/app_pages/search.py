"""The search: its states, what the address does, results while one types, recent searches, icons that load when they are seen,
and what a search or a scroll cancels."""

import time
from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import DESKTOP, PHONE, Browser
from support.checks import Checks, eventually
from support.pointing import tap

# Soon: a picture that does not go on is given up by the server itself after 15 seconds, which must not pass for a cancellation.
SOON = 5  # seconds
# A long list is complete a little after its first rows can be used.
STATE = "document.querySelector('#results').dataset.state === arguments[0] && !document.querySelector('ol[aria-busy=true]')"
# Icons that are in the window and not there yet.
SEEN_AND_MISSING = """
[...document.querySelectorAll('lazy-picture')].some(one => {
    const {top, bottom} = one.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && one.dataset.state !== 'loaded';
})
"""
LONG = "A name that goes on and on, because whoever wrote it wanted every word of it to be found"
ODD_APPS = """
const rows = [...document.querySelectorAll('.result')];
const put = (row, name, by) => {
    row.querySelector('.result-name').textContent = name;
    row.querySelector('.result-by').textContent = by;
};
put(rows[0], arguments[0], arguments[0]);
put(rows[1], 'تطبيق الكاميرا السريعة', 'شركة الصور');
put(rows[2], 'Unbreakable'.repeat(12), 'x'.repeat(200));
rows[3].querySelector('.facts').replaceChildren('Not rated yet');
rows[3].querySelector('.badge')?.remove();
const tops = rows.map(row => row.getBoundingClientRect().height);
return [Math.max(...tops) - Math.min(...tops), document.scrollingElement.scrollWidth - innerWidth];
"""
# Keeps back the responses to searches for "photo", whether or not the page still wants them; `release()` lets them come.
HELD = """
const real = window.fetch;
const held = [];
window.fetch = (url, options) => String(url).includes('term=photo&')
    ? real(url).then(response => new Promise(done => held.push(() => done(response)))) : real(url, options);
window.heldSearches = () => held.length;
window.release = () => held.splice(0).forEach(done => done());
"""
RECENT = "[...document.querySelectorAll('.recent .chip')].map(one => one.textContent)"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "plain") as app:
        trial = Search(checks, browser, app)
        trial.initial()
        trial.results()
        trial.icons()
        trial.odd_names()
        trial.visited_again()
        trial.address()
        trial.empty()
        trial.typed()
        trial.overtaken()
        trial.keys()
        trial.recent()
        quiet(checks, browser, "search", app.base)
    with RunningApp(binary, scratch / "slow", fault="slow") as app:
        Search(checks, browser, app).superseded()
    with RunningApp(binary, scratch / "failing", fault="first-1-html") as app:
        Search(checks, browser, app).failed()
        quiet(checks, browser, "search, failing", app.base, expecting=("/api/search",))
    with RunningApp(binary, scratch / "broken", fault="pictures-404") as app:
        Search(checks, browser, app).broken_icons()
        quiet(checks, browser, "search, broken icons", app.base, expecting=("404 (Not Found)",))
    with RunningApp(binary, scratch / "hanging", fault="pictures-stall") as app:
        Search(checks, browser, app).scrolled_away()
        quiet(checks, browser, "search, hanging icons", app.base)


class Search:
    def __init__(self, checks: Checks, browser: Browser, app: RunningApp):
        self.checks, self.browser, self.app = checks, browser, app

    def shows(self, state: str) -> bool:
        return self.browser.until(STATE, state)

    def ask(self, term: str):
        self.browser.fill("#term", term)
        self.browser.press("Enter")

    def type(self, *texts: str):
        """Types into the field, each text in place of the one before, without a pause and without Enter."""
        self.browser.run("""
            term.focus();
            for (const text of arguments[0]) {
                term.value = text;
                term.dispatchEvent(new InputEvent('input', {bubbles: true}));
            }
        """, texts)

    def tells(self, term: str) -> bool:
        """Waits for the results of a search."""
        return self.browser.until("document.querySelector('#status').textContent.includes(` for “${arguments[0]}”.`)", term) and self.shows("results")

    def initial(self):
        self.browser.open(self.app.page("search"))
        self.checks.that("search: begins with help", self.shows("initial"), self.browser.text("#results"))
        self.checks.that("search: offers examples", self.browser.count("#results button.chip") >= 3)
        self.browser.until("document.querySelector('#foot-server').textContent.includes('Calotype')")
        look(self.checks, self.browser, "search-initial")
        walk(self.checks, self.browser, "search-initial")

    def results(self):
        tap(self.browser, "#results button.chip")
        self.checks.that("search: an example finds apps", self.shows("results"), self.browser.text("#results"))
        term = self.browser.run("return document.querySelector('#term').value")
        address = self.browser.run("return location.pathname + location.search")
        self.checks.equal("search: the term is in the address", address, f"/app/search?q={term}")
        self.checks.that("search: and in the title", self.browser.driver.title.startswith(f"{term} – "), self.browser.driver.title)
        self.ask("photo")
        self.browser.until("document.querySelector('#status').textContent.includes('“photo”.')")
        self.shows("results")
        count = self.browser.count(".result")
        self.checks.equal("search: says how many", self.browser.text("#status"), f"{count} apps for “photo”.")
        wanted = self.app.origin.json("/search?term=photo&limit=200")["resultCount"]
        self.checks.equal("search: shows all that the store has", count, wanted)
        self.checks.that("search: the seen icons load", self.browser.until(f"!{SEEN_AND_MISSING}"))
        look(self.checks, self.browser, "search-results")
        walk(self.checks, self.browser, "search-results")
        self.skip()

    def skip(self):
        """Skipping to the content is no other address: the results stay."""
        self.browser.run("document.querySelector('.result').dataset.same = 'yes'; document.querySelector('.skip').focus()")
        self.browser.press("Enter")
        self.checks.that("search: one can skip to the content", self.browser.until("document.activeElement?.id === 'main'"))
        same = self.browser.run("return document.querySelector('.result')?.dataset.same")
        self.checks.equal("search: which changes nothing", same, "yes")

    def icons(self):
        self.browser.run("scrollTo(0, 0)")
        self.browser.forget()
        self.browser.requests()
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        self.browser.until(f"!{SEEN_AND_MISSING}")
        loaded, count = self.browser.count("lazy-picture > img"), self.browser.count("lazy-picture")
        self.checks.that("search: icons out of sight wait", 0 < loaded < count * 0.6, f"{loaded} of {count}")
        asked = [one for one in self.browser.requests() if "/rs:fill:" in one.path]
        self.checks.that("search: icons in the size of the page", asked and all("/rs:fill:64:64/" in one.path for one in asked), asked)
        self.browser.run("scrollTo(0, document.body.scrollHeight)")
        self.checks.that("search: icons load where one scrolls", self.browser.until(f"!{SEEN_AND_MISSING}"))
        self.browser.resize(PHONE, scale=3)
        self.browser.open(self.app.page("search?q=camera"))
        self.shows("results")
        self.browser.until("document.querySelector('lazy-picture > img')")
        asked = [one for one in self.browser.requests() if "/rs:fill:" in one.path]
        self.checks.that("search: a dense screen gets dense icons", any("/rs:fill:192:192/" in one.path for one in asked), asked)
        self.browser.resize(DESKTOP)

    def odd_names(self):
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
            self.browser.resize(size)
            differs, beyond = self.browser.run(ODD_APPS, LONG)
            self.checks.that(f"search: odd names change no row, {name}", differs < 1 and beyond <= 0, (differs, beyond))
            self.browser.screenshot(f"search-odd-names-{name}")
        self.browser.resize(DESKTOP)

    def visited_again(self):
        """What a page is made of is asked for once; the search is begun once, and before the page is complete."""
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        self.browser.leave()
        self.browser.requests()
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        self.browser.until("document.querySelector('#foot-server').textContent.includes('Calotype')")
        asked = [one for one in self.browser.requests() if not one.is_cached and one.host and "/rs:" not in one.path]
        wanted = ["/api/search", "/api/session", "/app/search"]
        self.checks.equal("search: another visit asks for the page and the search only", sorted(one.path for one in asked), wanted, str(asked))
        early = self.browser.run(
            "const [search] = performance.getEntriesByType('resource').filter(one => one.name.includes('/api/search'));"
            "return search.startTime < performance.getEntriesByType('navigation')[0].domContentLoadedEventStart"
        )
        self.checks.that("search: which is begun before the page is complete", early)

    def address(self):
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        names = self.names()
        self.browser.reload()
        self.shows("results")
        self.checks.equal("search: a reload repeats it", self.names(), names)
        self.ask("weather")
        self.browser.until("document.querySelector('#status').textContent.includes('“weather”.')")
        self.shows("results")
        self.checks.that("search: another term, other apps", self.names() != names)
        self.browser.back()
        self.browser.until("document.querySelector('#status').textContent.includes(' for “photo”.')")
        self.shows("results")
        self.checks.equal("search: back is the one before", (self.names(), self.browser.run("return term.value")), (names, "photo"))
        self.browser.run("scrollTo(0, 600)")
        self.browser.until("history.state?.scroll === 600")
        self.browser.driver.forward()
        self.browser.until("document.querySelector('#status').textContent.includes(' for “weather”.')")
        self.browser.back()
        place = self.browser.until("document.querySelector('#status').textContent.includes(' for “photo”.') && Math.abs(scrollY - 600) < 2")
        self.checks.that("search: back to one's place", place, self.browser.run("return scrollY"))
        self.browser.until("history.state?.scroll === 600")
        self.browser.run("[...document.querySelectorAll('.result-name')].find(one => one.getBoundingClientRect().top > 100).click()")
        self.browser.until("location.pathname === '/app/app' && document.querySelector('.app-head h1')")
        self.browser.click("#back")
        self.browser.until("location.pathname === '/app/search'")
        self.shows("results")
        place = self.browser.until("Math.abs(scrollY - 600) < 2")
        self.checks.that("search: from an app back to one's place", place, self.browser.run("return scrollY"))
        prices = self.prices()
        self.browser.run("country.value = 'de'; country.dispatchEvent(new Event('change'))")
        self.browser.until("[...document.querySelectorAll('.result .badge')].some(one => one.textContent.includes('€'))")
        self.checks.that("search: another country, other prices", self.prices() != prices, prices[:3])
        self.checks.equal("search: which is in the address", self.browser.run("return location.search"), "?q=photo&country=de")

    def empty(self):
        self.browser.open(self.app.page("search?q=xyzzy+qqq"))
        self.checks.that("search: says that there is nothing", self.shows("empty"), self.browser.text("#results"))
        self.checks.that("search: and for which term", "xyzzy qqq" in self.browser.text("#results"))
        look(self.checks, self.browser, "search-empty")

    def typed(self):
        """Results come while one types, after a pause; what was typed on the way is neither searched nor in the history."""
        self.browser.open(self.app.page("search"))
        self.shows("initial")
        before = self.browser.run("return history.length")
        self.browser.requests()
        self.type("p", "ph", "phot", "photo")
        self.checks.that("search, typing: results come without Enter", self.tells("photo"), self.browser.text("#status"))
        asked = [one.url for one in self.browser.requests() if one.path == "/api/search"]
        self.checks.that("search, typing: one request for what was typed in one go", len(asked) == 1 and "term=photo&" in asked[0], asked)
        self.checks.equal("search, typing: the term is in the address", self.browser.run("return location.search"), "?q=photo")
        self.type("weather")
        self.tells("weather")
        self.browser.press("Enter")
        time.sleep(0.5)
        asked = [one.url for one in self.browser.requests() if one.path == "/api/search"]
        self.checks.equal("search, typing: Enter repeats nothing", len(asked), 1, str(asked))
        self.checks.equal("search, typing: one entry in the history", self.browser.run("return history.length"), before + 1)
        self.type("music")
        self.tells("music")
        self.browser.back()
        self.checks.that("search, typing: what was meant has its own", self.tells("weather"), self.browser.text("#status"))
        self.browser.back()
        self.checks.that("search, typing: before it the empty page", self.shows("initial"), self.browser.text("#status"))
        self.type("w")
        time.sleep(0.5)
        self.checks.equal("search, typing: a single letter is not searched", self.browser.run("return location.search"), "")

    def overtaken(self):
        """A response that comes although its search was given up is not shown."""
        self.browser.open(self.app.page("search"))
        self.shows("initial")
        self.browser.run(HELD)
        self.type("photo")
        self.browser.until("heldSearches() === 1")
        self.type("weather")
        self.tells("weather")
        names = self.names()
        self.browser.run("release(); return new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 100)))")
        told = (self.browser.text("#status").endswith("“weather”."), self.names() == names)
        self.checks.equal("search, typing: an older answer is not shown over a newer one", told, (True, True), self.browser.text("#status"))

    def keys(self):
        """A slash goes to the field, Escape clears and leaves it."""
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        self.browser.run("document.activeElement.blur()")
        self.browser.press("/")
        told = self.browser.run("return [document.activeElement.id, term.value, getSelection().toString()]")
        self.checks.equal("search: a slash goes to the field", told, ["term", "photo", "photo"])
        self.browser.press("/")
        self.checks.equal("search: in the field it is a letter", self.browser.run("return term.value"), "/")
        self.browser.run("country.focus()")
        self.browser.press("/")
        self.checks.equal("search: in other fields too", self.browser.run("return document.activeElement.id"), "country")
        self.browser.run("term.focus()")
        self.browser.press("Escape")
        told = self.browser.run("return [document.activeElement.id, term.value]")
        self.checks.equal("search: Escape clears the field", told, ["term", ""])
        self.checks.that("search: and the results", self.shows("initial"), self.browser.text("#results"))
        self.browser.press("Escape")
        self.checks.equal("search: and then leaves it", self.browser.run("return document.activeElement.id"), "")

    def recent(self):
        self.browser.run("localStorage.clear()")
        self.browser.open(self.app.page("search"))
        self.shows("initial")
        self.checks.equal("search, recent: none at first", self.browser.count(".recent"), 0)
        terms = ["photo", "weather", "music", "camera", "maps", "radio", "notes", "games", LONG]
        for term in terms:
            self.type(term)
            self.browser.press("Enter")
            self.browser.until("document.title.startsWith(arguments[0])", term)
        self.type("PHOTO")
        self.browser.press("Enter")
        self.type("ph", "")
        self.checks.that("search, recent: offered when the field is empty", self.browser.until("document.querySelector('.recent')"))
        wanted = ["PHOTO", *reversed(terms[2:])]
        self.checks.equal("search, recent: the last eight, each once, newest first", self.browser.run(f"return {RECENT}"), wanted)
        self.browser.reload()
        self.shows("initial")
        self.checks.equal("search, recent: also on another visit", self.browser.run(f"return {RECENT}"), wanted)
        look(self.checks, self.browser, "search-recent")
        self.browser.run("document.querySelectorAll('.recent .chip')[5].click()")
        self.checks.that("search, recent: one click repeats a search", self.tells(wanted[5]), self.browser.text("#status"))
        self.browser.run("country.value = 'de'; country.dispatchEvent(new Event('change'))")
        self.browser.until("location.search.includes('country=de')")
        self.type("")
        self.browser.until("document.querySelector('.recent')")
        told = self.browser.run(f"return {RECENT}")
        self.checks.equal("search, recent: with another country", told[:2], [f"{wanted[5]}Germany", wanted[5]])
        self.browser.click("#recent-clear")
        self.checks.equal("search, recent: can be cleared", self.browser.count(".recent"), 0)
        self.checks.equal("search, recent: the focus goes to the field", self.browser.run("return document.activeElement.id"), "term")
        for nonsense in ("nonsense", '{"a": 1}', '[1, null, {"term": 3, "country": "us"}, {"term": "photo", "country": "us"}]'):
            self.browser.run("localStorage.setItem('recent-searches', arguments[0])", nonsense)
            self.browser.reload()
            self.checks.that("search, recent: nonsense in the storage does no harm", self.shows("initial"), nonsense)
        self.checks.equal("search, recent: what is good of it is offered", self.browser.run(f"return {RECENT}"), ["photo"])

    def superseded(self):
        """Answers come so slowly that none is complete: what is closed has been cancelled."""
        self.browser.open(self.app.page("search"))
        self.type("photo")
        self.shows("loading")
        self.checks.that("search, slow: the store is asked", eventually(lambda: self.asked_and_left() == (1, 0), 60), self.asked_and_left())
        look(self.checks, self.browser, "search-loading")
        height = self.browser.run("return document.querySelector('.result').getBoundingClientRect().height")
        self.checks.equal("search, slow: what stands in is as high as a row", height, 96)
        self.type("weath", "weather")
        left = eventually(lambda: self.asked_and_left() == (2, 1), SOON)
        self.checks.that("search, slow: a new search closes the one before at the store", left, self.asked_and_left())
        self.checks.equal("search, slow: the new one goes on", self.browser.text("#status"), "Searching for “weather”…")
        self.browser.run("term.value = ''; term.dispatchEvent(new Event('input', {bubbles: true}))")
        self.checks.that("search, slow: without a term it is as at the start", self.shows("initial"))
        left = eventually(lambda: self.asked_and_left() == (2, 2), SOON)
        self.checks.that("search, slow: which cancels too", left, self.asked_and_left())
        self.type("music")
        self.browser.press("Enter")
        eventually(lambda: self.asked_and_left() == (3, 2), 60)
        quiet(self.checks, self.browser, "search, slow", self.app.base)
        left = eventually(lambda: self.asked_and_left() == (3, 3), SOON)
        self.checks.that("search, slow: so does leaving", left, self.asked_and_left())

    def asked_and_left(self) -> tuple[int, int]:
        return self.app.origin.asked("/search"), self.app.origin.hung_up("/search")

    def failed(self):
        self.browser.open(self.app.page("search?q=photo"))
        self.checks.that("search, failing: says so", self.shows("failed"), self.browser.text("#results"))
        look(self.checks, self.browser, "search-failed")
        self.browser.click("#results .notice button")
        self.checks.that("search, failing: another try succeeds", self.shows("results"), self.browser.text("#results"))

    def broken_icons(self):
        self.browser.open(self.app.page("search?q=weather"))
        self.shows("results")
        marked = self.browser.until("document.querySelectorAll('lazy-picture[data-state=failed] > button.retry').length >= 3")
        self.checks.that("search, broken icons: are marked", marked)
        look(self.checks, self.browser, "search-broken-icons")
        self.browser.requests()
        where = self.browser.run("return location.href")
        self.browser.click("lazy-picture[data-state=failed] > button.retry")
        again = eventually(lambda: any("/rs:fill:" in one.path for one in self.browser.requests()), 60)
        self.checks.that("search, broken icons: another try asks again", again)
        self.checks.equal("search, broken icons: and stays on the page", self.browser.run("return location.href"), where)
        self.browser.until("document.querySelector('lazy-picture').dataset.state === 'failed'")

    def scrolled_away(self):
        self.browser.open(self.app.page("search?q=photo"))
        self.shows("results")
        begun = eventually(lambda: self.app.origin.asked("/apps/icons") == 5, 60)
        self.checks.that("search, hanging icons: five load at once", begun, self.app.origin.asked("/apps/icons"))
        self.checks.equal("search, hanging icons: and no more", self.browser.count("lazy-picture[data-state=loading]"), 5)
        self.browser.run("scrollTo(0, document.body.scrollHeight)")
        left = eventually(lambda: self.app.origin.hung_up("/apps/icons") == 5, SOON)
        self.checks.that("search, hanging icons: those scrolled away are closed", left, self.app.origin.hung_up("/apps/icons"))
        others = eventually(lambda: self.app.origin.asked("/apps/icons") == 10, 60)
        self.checks.that("search, hanging icons: those in view begin", others, self.app.origin.asked("/apps/icons"))
        self.browser.run("term.value = ''; term.dispatchEvent(new Event('input', {bubbles: true}))")
        left = eventually(lambda: self.app.origin.hung_up("/apps/icons") == 10, SOON)
        self.checks.that("search, hanging icons: none loads for rows that are gone", left, self.app.origin.hung_up("/apps/icons"))

    def names(self) -> list[str]:
        return self.browser.run("return [...document.querySelectorAll('.result-name')].map(one => one.textContent)")

    def prices(self) -> list[str]:
        return self.browser.run("return [...document.querySelectorAll('.result .badge')].map(one => one.textContent)")
