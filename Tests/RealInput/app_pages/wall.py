"""The wall: lists, albums and searches as streams of pictures, what cancelling them closes, and what can be taken away of them."""

import contextlib
import io
import json
import zipfile
from pathlib import Path

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import DESKTOP, PHONE, Browser
from support.checks import Checks, eventually
from support.pointing import tap

MOST = 10_000
STATE = "document.querySelector('#wall').dataset.state === arguments[0]"
FIGURES = "['done', 'failed', 'loading', 'total'].map(id => Number(document.getElementById(`count-${id}`).textContent.replace(/\\D/g, '')))"
POSITION = "return Number(document.activeElement.dataset.position ?? -1)"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "plain") as app:
        wall = Wall(checks, browser, app)
        wall.form()
        wall.images()
        wall.captions()
        wall.long()
        wall.mixed()
        wall.taken_away()
        wall.sorted()
        wall.larger()
        wall.failures()
        wall.album_and_search()
        wall.passwords()
        quiet(checks, browser, "wall", app.base)
        wall.gone()
        wall.cancelled()
        wall.retried()
        wall.left()
        wall.tabs()
        quiet(checks, browser, "wall, again", app.base)


class Wall:
    """The cases on one server."""

    def __init__(self, checks: Checks, browser: Browser, app: RunningApp):
        self.checks, self.browser, self.app = checks, browser, app
        self.names = [url.rsplit("/", 1)[1] for url in app.origin.get("/list.txt").decode().split()]

    def url(self, prefix: str, number: int) -> str:
        """Returns the address of a picture; each number's is one of its own."""
        return f"{self.app.origin.base}/{prefix}/{self.names[number % len(self.names)]}?number={number}"

    def build(self, urls: list[str]):
        """Opens the page, gives it a list, and begins."""
        self.browser.open(self.app.page("wall"))
        self.give(urls)
        tap(self.browser, "#start")

    def give(self, urls: list[str]):
        # Typing thousands of letters takes its time, which proves nothing.
        self.browser.run("list.value = arguments[0]; list.dispatchEvent(new Event('input', {bubbles: true}))", "\n".join(urls))

    def figures(self) -> list[int]:
        return self.browser.run(f"return {FIGURES}")

    def ends(self, state: str = "finished", seconds: float = 60) -> bool:
        return self.browser.until(STATE, state, seconds=seconds)

    # Cases.

    def form(self):
        self.browser.open(self.app.page("wall"))
        look(self.checks, self.browser, "wall-form")
        walk(self.checks, self.browser, "wall-form")
        tap(self.browser, "#start")
        self.checks.that("wall: says that a URL is needed", "URL" in self.browser.text("#order-problem"))
        self.checks.equal("wall: and where", self.browser.run("return document.activeElement.id"), "list")
        self.browser.fill("#list", "# a comment\nhttps://example.com/1.jpg\n\nhttps://example.com/2.jpg\n")
        counted = self.browser.until("document.querySelector('#list-count').textContent === '2 URLs'")
        self.checks.that("wall: counts URLs", counted, self.browser.text("#list-count"))
        self.drop("photos.txt", "http://127.0.0.1/1.jpg\nhttp://127.0.0.1/2.jpg\nhttp://127.0.0.1/3.jpg\n")
        taken = self.browser.until("document.querySelector('#list-count').textContent === '3 URLs'")
        self.checks.that("wall: takes a file that is dropped", taken and self.browser.text("#list-name") == "photos.txt")
        tap(self.browser, "#list-forget")
        self.checks.equal("wall: and lets it go", self.browser.text("#list-count"), "2 URLs")
        self.choose("format", "png")
        hidden = self.browser.run("return document.querySelector('#quality-field').hidden")
        self.choose("format", "avif")
        shown = self.browser.run("return !document.querySelector('#quality-field').hidden")
        self.checks.equal("wall: a quality only for formats that have one", (hidden, shown), (True, True))
        self.browser.fill("#quality", "101")
        tap(self.browser, "#start")
        self.checks.that("wall: says which quality there is", "1 to 100" in self.browser.text("#order-problem"), self.browser.text("#order-problem"))

    def choose(self, id: str, value: str):
        """Selects an option as a person does who has found it."""
        self.browser.run("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change', {bubbles: true}))", id, value)

    def images(self):
        """A size, format and quality of one's own: for the images, after a reload, and in the list of walls."""
        self.browser.open(self.app.page("wall"))
        self.give([self.url("small", number) for number in range(3000, 3004)])
        self.choose("size", "256")
        self.choose("format", "webp")
        self.browser.fill("#quality", "40")
        tap(self.browser, "#start")
        self.checks.that("wall, images: comes to its end", self.ends(), self.figures())
        told = self.browser.text("#wall-images")
        self.checks.equal("wall, images: says what they are", told, "256 pixels, WebP, quality 40")
        self.browser.reload()
        self.checks.that("wall, images: also after a reload", self.ends() and self.browser.text("#wall-images") == told, self.browser.text("#wall-images"))
        paths = self.browser.run("return [...document.querySelectorAll('#pictures lazy-picture')].map(one => one.getAttribute('src')).filter(Boolean)")
        good = [path for path in paths if "rs:fit:256:256/q:40/" in path and path.endswith("@webp")]
        self.checks.equal("wall, images: every image is of that kind", len(good), 4)
        answer = self.app.server.get(good[0]) if good else None
        self.checks.that("wall, images: as is what the server sends", answer and answer.headers["content-type"] == "image/webp", answer and answer.headers)
        self.browser.open(self.app.page())
        listed = self.browser.until("document.querySelector('#walls').textContent.includes('256 pixels, WebP, quality 40')")
        self.checks.that("wall, images: the list of walls says it too", listed, self.browser.text("#walls"))

    def captions(self):
        """A table with captions and two broken lines."""
        self.browser.open(self.app.page("wall"))
        urls = [self.url("small", number) for number in range(4000, 4003)]
        table = f'id,image,caption\n1,{urls[0]},"A boat, ""small"" one"\n2,{urls[1]}\n3,{urls[2]},"Two\nlines"\n4,{urls[1]},"open\n5,{urls[1]},Last\n'
        self.drop("bare.csv", f'{urls[0]},"Two\nlines"\n{urls[1]},A boat\n')
        counted = self.browser.until("document.querySelector('#list-count').textContent === '2 rows'")
        self.checks.that("wall, captions: a table needs no header", counted, self.browser.text("#list-count"))
        self.drop("photos.csv", table)
        counted = self.browser.until("document.querySelector('#list-count').textContent.endsWith(' rows')")
        self.checks.that("wall, captions: a table is recognised", counted, self.browser.text("#list-count"))
        tap(self.browser, "#start")
        self.checks.that("wall, captions: rows that can be read are loaded", self.ends() and self.figures() == [3, 2, 0, 5], self.figures())
        self.choose("arranged", "list")
        good = "[...document.querySelectorAll('#pictures .grid-cell[data-status=ok] img')]"
        self.browser.until(f"{good}.length === 3")
        look(self.checks, self.browser, "wall-captions")
        texts = self.browser.run(f"return {good}.map(one => one.alt)")
        self.checks.equal("wall, captions: they are the images' alternative texts", texts, ['A boat, "small" one', "Two\nlines", "Last"])
        seen = self.browser.run("return [...document.querySelectorAll('.wall-caption')].filter(one => one.checkVisibility()).map(one => one.textContent)")
        self.checks.equal("wall, captions: and are seen", seen, texts)
        tap(self.browser, "#pictures .grid-cell[data-status=ok]")
        self.browser.until("document.querySelector('#larger-picture img')")
        larger = self.browser.run("return [document.querySelector('#larger-caption').textContent, document.querySelector('#larger-picture img').alt]")
        self.checks.equal("wall, captions: also in the larger view", larger, [texts[0]] * 2)
        look(self.checks, self.browser, "wall-larger-caption")
        self.browser.press("Escape")
        lines = [json.loads(line) for line in self.fetched("#report").decode().splitlines()]
        told = [line["caption"] for line in sorted(lines, key=lambda line: line["index"])]
        self.checks.equal("wall, captions: and in the report", told, [texts[0], None, texts[1], None, texts[2]])
        tap(self.browser, "#tab-failures")
        self.browser.until("document.querySelectorAll('#failures .grid-cell').length === 2")
        reasons = self.browser.text("#failures")
        self.checks.that("wall, captions: broken rows are named by their lines", "Line 3 has 2 columns" in reasons and "Line 6: " in reasons, reasons)

    def drop(self, name: str, text: str):
        self.browser.run("""
            const data = new DataTransfer();
            data.items.add(new File([arguments[1]], arguments[0], {type: 'text/plain'}));
            document.querySelector('#from-list').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
        """, name, text)

    def long(self):
        """More URLs than a wall has: the first of them, and a word about it."""
        self.build([f"no-url-{number}" for number in range(MOST + 2)])
        told = self.browser.text("#list-count") or self.browser.run("return document.querySelector('#list-count').textContent")
        self.checks.that("wall, long: says that it takes the first URLs only", "The first 10,000 of 10,002 URLs" in told, told)
        self.checks.that("wall, long: and takes those", self.ends() and self.figures() == [0, MOST, 0, MOST], self.figures())

    def mixed(self):
        """Good ones, a missing one, a damaged one, and what is no URL."""
        good = [self.url("small", number) for number in range(40)]
        self.bad = [f"{self.app.origin.base}/status/404", self.url("half", 1), "no-url"]
        self.build([good[0], *self.bad, *good[1:]])
        self.checks.that("wall: comes to its end", self.ends(), self.browser.text("#wall"))
        self.checks.equal("wall: figures", self.figures(), [40, 3, 0, 43])
        self.browser.until("document.querySelectorAll('#pictures img').length >= 20")
        look(self.checks, self.browser, "wall")
        walk(self.checks, self.browser, "wall")
        self.choose("arranged", "list")
        self.browser.run("scrollTo(0, 0)")
        marks = "[...document.querySelectorAll('.wall-mark:not([hidden])')].map(one => one.textContent)"
        marked = self.browser.until(f"['http_404', 'truncated_image'].every(code => {marks}.includes(code))")
        self.checks.that("wall: failures are marked with their codes", marked, self.browser.run(f"return {marks}"))
        second = "[...document.querySelectorAll('#pictures .grid-cell')][1].getAttribute('aria-label')"
        self.checks.that("wall: as listed, the second is the missing one", self.browser.until(f"{second}.includes('http_404')"),
                         self.browser.run(f"return {second}"))

    def sorted(self):
        """Other orders, and thumbnails of another size; both are remembered."""
        shown = """
            const cells = [...document.querySelectorAll('#pictures .grid-cell')].filter(one => !one.hidden);
            return cells.map(one => one.getAttribute('aria-label')).slice(0, arguments[0]);
        """
        lines = [json.loads(line) for line in self.fetched("#report").decode().splitlines()]
        name = lambda line: line["url"].rsplit("/", 1)[1].split("?")[0]
        good = [line for line in lines if line["status"] == "ok"]
        slowest = sorted(good, key=lambda line: (-round(line["ms"]["total"], 1), line["index"]))
        largest = sorted(good, key=lambda line: (-line["bytes"], line["index"]))
        self.choose("arranged", "largest")
        self.checks.that("wall, sorted: largest first", eventually(lambda: self.browser.run(shown, 8) == [name(line) for line in largest[:8]], 30),
                         (self.browser.run(shown, 8), [name(line) for line in largest[:8]]))
        self.choose("arranged", "slowest")
        self.checks.that("wall, sorted: slowest first", eventually(lambda: self.browser.run(shown, 1) == [name(slowest[0])], 30),
                         (self.browser.run(shown, 3), [name(line) for line in slowest[:3]]))
        self.choose("arranged", "failures")
        failed = eventually(lambda: ["failed" in label for label in self.browser.run(shown, 5)] == [True] * 3 + [False] * 2, 30)
        self.checks.that("wall, sorted: failures first", failed, self.browser.run(shown, 5))
        columns = "Number(pictures.getAttribute('aria-colcount'))"
        before = self.browser.run(f"return {columns}")
        self.browser.run("density.value = 240; density.dispatchEvent(new Event('input'))")
        fewer = self.browser.until(f"{columns} < {before}")
        self.checks.that("wall, sorted: larger thumbnails, fewer columns", fewer, (before, self.browser.run(f"return {columns}")))
        look(self.checks, self.browser, "wall-sorted")
        self.browser.until("localStorage.getItem('wall-thumbnail') === '240'")
        self.browser.reload()
        self.ends()
        remembered = self.browser.run("return [density.value, arranged.value]")
        self.checks.equal("wall, sorted: both are remembered", remembered, ["240", "failures"])
        failed = eventually(lambda: ["failed" in label for label in self.browser.run(shown, 5)] == [True] * 3 + [False] * 2, 30)
        self.checks.that("wall, sorted: also by a wall that is opened again", failed, self.browser.run(shown, 5))
        self.browser.run("localStorage.clear()")
        self.browser.reload()
        self.ends()
        self.choose("arranged", "list")

    def taken_away(self):
        zipped = zipfile.ZipFile(io.BytesIO(self.fetched("#zip")))
        members = zipped.namelist()
        self.checks.equal("wall: a zip of all pictures, and the report", (len(members), "report.jsonl" in members), (41, True))
        first = self.names[0].rsplit(".", 1)[0]
        self.checks.that("wall: with the names of the images", members[0].rsplit(".", 1)[0] == first, members[:3])
        self.checks.equal("wall: the zip is whole", zipped.testzip(), None)
        lines = [json.loads(line) for line in self.fetched("#report").decode().splitlines()]
        codes = sorted(line.get("code") or "" for line in lines if line["status"] != "ok")
        self.checks.equal("wall: a report line for each", (len(lines), len(codes)), (43, 3))
        self.checks.that("wall: with their codes", "http_404" in codes and "truncated_image" in codes, codes)

        asked = self.app.server.told().count('/report"')
        tap(self.browser, "#report")
        # Once to see whether the server refuses it, and once by the browser, which saves it.
        saved = eventually(lambda: self.app.server.told().count('/report"') >= asked + 2, 30)
        self.checks.that("wall: a click downloads the report", saved, self.app.server.told()[-500:])
        stays = self.browser.run("return [document.querySelector('#wall').dataset.state, document.querySelector('#wall-problem').textContent]")
        self.checks.equal("wall: and the page stays", stays, ["finished", ""])

    def fetched(self, selector: str) -> bytes:
        """Returns what a link leads to."""
        path = self.browser.run("return new URL(document.querySelector(arguments[0]).href).pathname", selector)
        return self.app.server.get(path).body

    def larger(self):
        tap(self.browser, "#pictures .grid-cell[data-status=ok]")
        self.checks.that("wall: a click shows it larger", self.browser.until("document.querySelector('#larger-picture img')"))
        facts = self.browser.text("#larger-facts")
        self.checks.that("wall: with facts", all(word in facts for word in ("Bytes", "Time", "From the cache", "URL")), facts)
        for size in (PHONE, DESKTOP):
            self.browser.resize(size)
            clipped = self.browser.run("""
                const [list, whole] = ['#larger-facts', '#larger'].map(name => document.querySelector(name));
                return [list.scrollHeight - list.clientHeight, whole.scrollWidth - whole.clientWidth];
            """)
            self.checks.that(f"wall: all of which are seen, {size[0]} wide", max(clipped) <= 0, clipped)
        look(self.checks, self.browser, "wall-larger")
        self.browser.press("ArrowRight")
        self.checks.that("wall: the next one by a key", self.browser.until("document.querySelector('.larger-reason')"),
                         self.browser.text("#larger"))
        self.browser.press("Escape")
        back = self.browser.until("document.activeElement.dataset.position === '1'")
        self.checks.that("wall: the focus goes to where one has got to", back, self.browser.run(POSITION))

    def failures(self):
        tap(self.browser, "#tab-failures")
        self.browser.until("document.querySelectorAll('#failures .grid-cell').length === 3")
        look(self.checks, self.browser, "wall-failures")
        codes = self.browser.run("return [...document.querySelectorAll('.failure-code')].map(one => one.textContent)")
        self.checks.equal("wall: all failures are listed", len(codes), 3)
        self.browser.run("const s = document.querySelector('#filter-code'); s.value = 'http_404'; s.dispatchEvent(new Event('change'))")
        filtered = self.browser.until("document.querySelectorAll('#failures .grid-cell').length === 1")
        self.checks.that("wall: by their reason", filtered, self.browser.count("#failures .grid-cell"))
        self.browser.fill("#filter-text", "nowhere")
        self.checks.that("wall: and by URL", self.browser.until("!document.querySelector('#no-failures').hidden"))
        tap(self.browser, "#again")
        self.checks.that("wall: and another one can be built", self.browser.until("!document.querySelector('#order').hidden"))

    def passwords(self):
        """URLs with a password: it loads the pictures, and nobody is told of it."""
        urls = [self.url("small", 50), f"{self.app.origin.base}/status/404"]
        self.build([url.replace("://", "://bob:secret@") for url in urls])
        self.checks.that("wall: URLs with passwords are loaded", self.ends() and self.figures() == [1, 1, 0, 2], self.figures())
        tap(self.browser, "#pictures .grid-cell[data-status=ok]")
        self.checks.that("wall: and shown", self.browser.until("document.querySelector('#larger-picture img')"), self.browser.text("#larger"))
        told = {"dialog": self.browser.text("#larger"), "link": self.browser.run("return document.querySelector('#larger-source').href")}
        self.browser.press("Escape")
        tap(self.browser, "#tab-failures")
        self.browser.until("document.querySelectorAll('#failures .grid-cell').length === 1")
        told |= {
            "failures": self.browser.text("#failures"), "page": self.browser.run("return document.querySelector('#wall').outerHTML"),
            "report": self.fetched("#report").decode(), "server's log": self.app.server.told(),
            "addresses": " ".join(request.url for request in self.browser.requests(keep=True)),
        }
        for name, text in told.items():
            self.checks.that(f"wall: no password is told: {name}", "127.0.0.1" in text and "secret" not in text and "bob" not in text, text[-500:])

    def album_and_search(self):
        self.browser.run("document.querySelector('[value=album]').click()")
        self.browser.fill("#album", "3")
        self.browser.press("Enter")
        self.checks.that("wall: an album", self.ends() and "3" in self.browser.text("#wall-title"), self.browser.text("#wall-title"))
        self.checks.equal("wall: all of it", self.figures()[3], len(self.app.origin.json("/albums/3/photos")))
        tap(self.browser, "#again")
        self.browser.run("document.querySelector('[value=search]').click()")
        self.browser.fill("#term", "photo")
        self.browser.press("Enter")
        self.checks.that("wall: a search", self.ends() and "photo" in self.browser.text("#wall-title"), self.browser.text("#wall-title"))
        tap(self.browser, "#again")
        self.browser.fill("#term", "xyzzy qqq")
        self.browser.press("Enter")
        told = self.browser.until("document.querySelector('#order-problem').textContent !== ''")
        self.checks.that("wall: a search that finds nothing says so", told and self.browser.run("return !order.hidden"))
        self.browser.complaints()  # of the refusal, which the console tells too

    def gone(self):
        """The zip file of a wall that the server no longer remembers."""
        self.build([self.url("small", 5)])
        self.ends()
        for _ in range(16):
            self.browser.run("""
                const urls = [arguments[0]];
                const request = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({urls})};
                return fetch('/api/walls', request).then(response => response.text());
            """, self.url("small", 5))
        before = self.browser.run("return location.href")
        tap(self.browser, "#zip")
        told = self.browser.until("document.querySelector('#wall-problem').textContent.includes('no longer exists')")
        self.checks.that("wall, gone: says that there is no zip file", told, self.browser.text("#wall-problem"))
        self.checks.equal("wall, gone: and stays where it is", self.browser.run("return location.href"), before)
        self.browser.complaints()  # of the 404, which the console tells too

    def cancelled(self):
        good, stuck = [self.url("small", number) for number in range(20)], [self.url("stall/50", number) for number in range(200)]
        self.build([*good, *stuck])
        begun = eventually(lambda: self.figures()[0] == 20 and self.app.origin.asked("/stall") >= 8, 60)
        self.checks.that("wall, cancelled: good ones are there while others hang", begun, self.figures())
        look(self.checks, self.browser, "wall-running")
        asked = self.app.origin.asked("/stall")
        tap(self.browser, "#cancel")
        self.checks.that("wall, cancelled: says so", self.ends("cancelled"), self.browser.text("#wall-title"))
        left = eventually(lambda: self.app.origin.hung_up("/stall") == self.app.origin.asked("/stall"), 10)
        self.checks.that("wall, cancelled: all is closed at the origin", left, (self.app.origin.hung_up("/stall"), asked))
        self.checks.equal("wall, cancelled: nothing more is asked for", self.app.origin.asked("/stall"), asked)
        look(self.checks, self.browser, "wall-cancelled")
        self.checks.equal("wall, cancelled: what is left can be loaded", self.browser.text("#retry-text"), "Load the rest")
        zipped = zipfile.ZipFile(io.BytesIO(self.fetched("#zip")))
        self.checks.equal("wall, cancelled: what had come can be taken away", len(zipped.namelist()), 21)
        self.checks.equal("wall, cancelled: also as a report", len(self.fetched("#report").splitlines()), 20)

    def left(self):
        """A wall that is left: it goes on, and is there again after a reload, from the first page and at its address."""
        before = self.app.origin.asked("/stall")
        self.build([self.url("stall/50", number) for number in range(1000, 1100)])
        eventually(lambda: self.app.origin.asked("/stall") >= before + 8, 60)
        hung_up = self.app.origin.hung_up("/stall")
        address = self.browser.run("return location.pathname")
        self.checks.that("wall, left: it has an address", address.startswith("/app/wall/"), address)
        self.browser.reload()
        shown = self.browser.until(STATE, "running") and self.browser.until(f"{FIGURES}[3] === 100")
        self.checks.that("wall, left: a reload shows it again", shown, self.figures())
        self.browser.open(self.app.page())
        told = self.browser.until("/stops in [0-9]+ s/.test(document.querySelector('#walls').textContent)")
        self.checks.that("wall, left: the first page says how long it goes on", told, self.browser.text("#walls"))
        counted = self.browser.until("document.querySelector('[data-part=requests] b').textContent === '100'")
        self.checks.that("wall, left: which counts its images", counted, self.browser.text("#flow"))
        look(self.checks, self.browser, "overview-wall-left")
        self.browser.run("document.querySelector('#walls .recent a').focus()")
        before = self.browser.text("#walls")
        goes_on = self.browser.until("document.querySelector('#walls').textContent.trim() !== arguments[0]", before)
        focused = self.browser.run("return document.activeElement.matches('#walls .recent a')")
        self.checks.that("wall, left: its link keeps the focus while the page is updated", goes_on and focused, before)
        self.checks.equal("wall, left: nothing of it was cancelled", self.app.origin.hung_up("/stall"), hung_up)
        tap(self.browser, "#walls .recent a")
        back = self.browser.until("location.pathname === arguments[0]", address) and self.browser.until(STATE, "running")
        self.checks.that("wall, left: and leads back to it", back, self.browser.run("return location.pathname"))
        tap(self.browser, "#cancel")
        self.checks.that("wall, left: where it can be cancelled", self.ends("cancelled"), self.browser.text("#wall-title"))
        left = eventually(lambda: self.app.origin.hung_up("/stall") == self.app.origin.asked("/stall"), 10)
        self.checks.that("wall, left: which closes all at the origin", left, self.app.origin.hung_up("/stall"))
        tap(self.browser, "#again")
        form = self.browser.run("return [location.pathname, order.hidden, wall.hidden]")
        self.checks.equal("wall, left: a new one has the form's address", form, ["/app/wall", False, True])
        self.browser.back()
        self.checks.that("wall, left: the browser's way back leads to the wall", self.ends("cancelled") and not self.browser.run("return wall.hidden"))
        self.browser.open(self.app.page("wall/nowhere"))
        told = self.browser.until("document.querySelector('#order-problem').textContent.includes('no longer exists')")
        self.checks.that("wall, left: says that a wall no longer exists", told, self.browser.text("#order-problem"))
        self.browser.complaints()  # of the 404, which the console tells too

    def tabs(self):
        """Six walls in six tabs: a seventh page loads like the first, and the walls continue."""
        def other(number: int) -> str:
            return self.url("small", number).replace("127.0.0.1", "localhost")

        with contextlib.ExitStack() as tabs:
            for tab in range(6):
                tabs.enter_context(self.browser.tab())
                first = 5000 + 100 * tab
                # More than can hang at a time: they take many minutes. The other host's limit is another one.
                self.build([other(first), *(self.url("stall/50", first + number) for number in range(1, 30))])
                begun = self.browser.until(f"{FIGURES}[0] === 1 && {FIGURES}[3] === 30")
                self.checks.that(f"wall, tabs: wall {tab + 1} has begun", begun, self.figures())
            with self.browser.tab():
                self.build([other(number) for number in range(6000, 6012)])
                self.checks.that("wall, tabs: a seventh ends", self.ends(), self.figures())
                shown = self.browser.until("[...document.querySelectorAll('#pictures img')].filter(one => one.naturalWidth > 0).length === 12")
                self.checks.that("wall, tabs: and shows its images", shown)
                left: dict[str, int] = {}
                alone = eventually(lambda: left.update(self.seconds_left()) or len(left) == 6, 30)
                self.checks.that("wall, tabs: hidden ones are not connected", alone, left)
                self.checks.that("wall, tabs: but looked at", eventually(lambda: self.looked_at(left), 45), left)
            shown = self.browser.until(STATE, "running") and self.browser.until(f"{FIGURES}[0] === 1")
            self.checks.that("wall, tabs: a hidden one is connected again when it is shown", shown, self.figures())
            tap(self.browser, "#cancel")
            self.checks.that("wall, tabs: and can be cancelled", self.ends("cancelled"))

    def seconds_left(self) -> dict[str, int]:
        """Returns the time until each wall ends that nobody watches, by the wall's name."""
        walls = self.browser.run("return fetch('/api/walls').then(response => response.json())")["walls"]
        return {wall["id"]: wall["secondsLeft"] for wall in walls if "secondsLeft" in wall}

    def looked_at(self, left: dict[str, int]) -> bool:
        """Tells whether the time of each wall has begun again; `left` holds the least that was seen, and loses those whose has."""
        for name, seconds in self.seconds_left().items():
            if name in left and seconds > left[name] + 5:
                del left[name]
            elif name in left:
                left[name] = min(left[name], seconds)
        return not left

    def retried(self):
        # As often as the server tries.
        flaky = [f"{self.app.origin.base}/flaky/2/{name}" for name in self.names[:2]]
        good = [self.url("small", number) for number in range(2000, 2003)]
        self.build([*good, *flaky, f"{self.app.origin.base}/status/404"])
        self.checks.that("wall, retried: some fail", self.ends() and self.figures() == [3, 3, 0, 6], self.figures())
        self.checks.equal("wall, retried: says what it can do", self.browser.text("#retry-text"), "Retry failed")
        tap(self.browser, "#retry")
        better = self.browser.until(f"JSON.stringify({FIGURES}) === '[5,1,0,6]'") and self.ends()
        self.checks.that("wall, retried: a retry loads what can be had by now", better, self.figures())
        asked = self.app.origin.asked("/status")
        tap(self.browser, "#tab-failures")
        self.browser.until("document.querySelectorAll('#failures .grid-cell').length === 1")
        tap(self.browser, "#failures .grid-cell")
        look(self.checks, self.browser, "wall-failure")
        tap(self.browser, "#larger .larger-reason button")
        again = eventually(lambda: self.app.origin.asked("/status") == asked + 1, 60) and self.ends()
        self.checks.that("wall, retried: and a single one, of which the origin is asked again", again and self.figures() == [5, 1, 0, 6], self.figures())
