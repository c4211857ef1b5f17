"""Publishing: files that go up while a post is written, and a publication that outlives reloads and restarts."""

import base64
import hashlib
import io
import json
import signal
from pathlib import Path

from PIL import Image

from support.app import RunningApp
from support.audit import look, quiet, walk
from support.browser import Browser
from support.checks import Checks, eventually
from support.origin import RunningOrigin
from support.pointing import drag, tap
from support.serving import RunningServer

SIDE = 420  # pixels; a picture of noise has about 300 KB
NAMES = "return [...document.querySelectorAll('.medium-name')].map(one => one.textContent)"
STATES = "[...document.querySelectorAll('.post')].map(one => one.dataset.state)"
SHARE = "Number(document.querySelector('.post .post-meter').getAttribute('aria-valuenow'))"
DROP = """
const data = new DataTransfer();
data.items.add(new File([Uint8Array.from(atob(arguments[0]), one => one.charCodeAt(0))], arguments[1], {type: arguments[2]}));
document.querySelector('#drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
"""
MEDIA = "Object.values(JSON.parse(localStorage.getItem('calotype.draft')).media)"
UPLOADS = f"{MEDIA}.filter(one => !one.id).map(one => one.upload.value).filter(Boolean)"
IDS = "(() => { const {media, order} = JSON.parse(localStorage.getItem('calotype.draft')); return order.value.map(key => media[key].id); })()"
FOCUS = f"{MEDIA}.map(one => one.focus.value).filter(Boolean)"
UP = "document.querySelectorAll('.medium').length > 0 && [...document.querySelectorAll('.medium')].every(one => one.dataset.state === 'up')"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningApp(binary, scratch / "none") as app:
        check_not_set_up(checks, browser, app.server)
        quiet(checks, browser, "publish, not set up", app.base)
    with RunningOrigin(binary) as origin:
        page = PublishPage(checks, browser, origin, binary, scratch)
        with page.server() as server:
            page.at(server)
            page.writing()
            page.ordered()
            page.reloaded()
            page.published()
            page.on_the_overview()
            quiet(checks, browser, "publish", server.base, expecting=("422 (Unprocessable",))
            page.at(server)
            page.reloaded_in_the_middle()
            page.cancelled()
            page.written_in_two_tabs()
            page.reloaded_while_files_go_up()
            page.removed_and_put_back()
            page.refused()
            page.stopped_in_the_middle(server)
        browser.leave()
        browser.complaints(), browser.requests()  # of a server that has gone
        with page.server() as server:
            page.at(server)
            page.resumed()
            quiet(checks, browser, "publish, resumed", server.base, expecting=("/api/publish/",))


def check_not_set_up(checks: Checks, browser: Browser, server: RunningServer):
    browser.open(f"{server.base}/app/publish")
    checks.that("publish: says how it is set up", browser.until("!document.querySelector('#not-set-up').hidden"))
    checks.that("publish: by an option", "--publish-profile" in browser.text("#not-set-up"))
    look(checks, browser, "publish-not-set-up")


class PublishPage:
    """The cases, one after another, on servers that share a folder."""

    def __init__(self, checks: Checks, browser: Browser, origin: RunningOrigin, binary: Path, scratch: Path):
        self.checks, self.browser, self.origin, self.binary, self.scratch = checks, browser, origin, binary, scratch
        # One has a name that fits nowhere.
        self.photos = [self.photo(name, number) for number, name in enumerate(["photo-1.jpg", "photo-2.jpg", f"photo-3{180 * 'x'}.jpg"])]
        profiles = scratch / "config" / "calotype" / "profiles.json"
        profiles.parent.mkdir(parents=True)
        profiles.touch(mode=0o600)
        slow = f"{origin.base}/publish-faults/slow:40000"
        profiles.write_text(json.dumps({
            "desk": {"to": f"tus+{origin.base}/tus/", "post_to": f"{origin.base}/posts", "settle": "key"},
            "stuck": {"to": f"tus+{origin.base}/publish-faults/stall/tus/", "post_to": f"{origin.base}/posts", "settle": "key"},
            "slow": {"to": f"tus+{slow}/tus/", "post_to": f"{origin.base}/posts", "settle": "key", "width": 1},
            "strict": {"to": f"mastodon+{origin.base}", "token": "demo", "allow_http": True},
        }))

    def photo(self, name: str, seed: int, side: int = SIDE) -> Path:
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        noise = Image.effect_noise((side, side), 60 + seed).convert("RGB")
        noise.save(path, "JPEG", quality=95)
        return path

    def server(self) -> RunningServer:
        config = {"XDG_CONFIG_HOME": str(self.scratch / "config")}
        return RunningServer(
            self.binary, self.scratch / "server", "--app", "--allow-private", "--api", self.origin.base, "--cache",
            self.scratch / "cache", *[part for name in ("desk", "slow", "stuck", "strict") for part in ("--publish-profile", name)], environment=config,
        )

    def at(self, server: RunningServer):
        self.base = server.base
        self.at_board()

    def at_board(self):
        self.browser.open(f"{self.base}/app/publish")
        self.browser.until("!document.querySelector('#board').hidden")

    def choose(self, *photos: Path):
        self.browser.one("#files").send_keys("\n".join(str(photo.resolve()) for photo in photos))
        # What somebody adds may move what lies below it; the browser does not take a file for a key or a click.
        self.browser.run("requestAnimationFrame(() => requestAnimationFrame(() => Object.assign(watched, {shift: 0, shifts: []})))")

    def received(self) -> list[dict]:
        """Returns the posts that came."""
        return self.origin.json("/posts")

    def send(self, text: str, profile: str, *photos: Path):
        self.choose(*photos)
        self.browser.fill("#text", text)
        self.set("#profile", profile)
        self.browser.until(UP)
        tap(self.browser, "#send")

    def send_half(self, text: str, *photos: Path):
        """Sends a post to a slow server, and returns when that has the first photo."""
        before = self.uploaded()
        self.send(text, "slow", *photos)
        eventually(lambda: self.uploaded() > before, 60)

    def uploaded(self) -> int:
        """Returns how many files have come whole."""
        return sum(bool(upload.get("sha256")) for upload in self.origin.json("/received")["uploads"])

    def states(self) -> list[str]:
        return self.browser.run(f"return {STATES}")

    # Cases.

    def writing(self):
        look(self.checks, self.browser, "publish-empty")
        off = self.browser.run("return document.querySelector('#send').getAttribute('aria-disabled')")
        self.checks.equal("publish: an empty post is not sent", off, "true")
        self.choose(*self.photos[:2])
        shown = self.browser.until("document.querySelectorAll('.medium-picture img').length === 2"
                                   " && [...document.querySelectorAll('.medium-picture img')].every(one => one.src.startsWith('blob:'))")
        self.checks.that("publish: thumbnails are there at once", shown, self.browser.text("#media"))
        self.checks.that("publish: files go up", self.browser.until(UP), self.browser.text("#media"))
        self.checks.equal("publish: missing descriptions are counted", self.browser.text("#alt-missing"), "2 of 2 without a description")
        self.browser.fill(".medium textarea", "Two boats")
        self.checks.equal("publish: until they are written", self.browser.text("#alt-missing"), "1 of 2 without a description")
        self.browser.run("document.querySelector('#text').value = 'Gru\\u0308ße 👩‍👩‍👧'; document.querySelector('#text').dispatchEvent(new Event('input', {bubbles: true}))")
        self.checks.equal("publish: characters are counted as people do", self.browser.text("#text-count"), "7 characters")
        self.limits()

    def set(self, field: str, value: str):
        """Sets a field, as somebody does who chooses or writes the value."""
        self.browser.run(
            "const one = document.querySelector(arguments[0]); one.value = arguments[1]; one.dispatchEvent(new Event('input', {bubbles: true}))",
            field, value,
        )

    def limits(self):
        """Those of the server that is chosen, before anything is sent."""
        text = self.browser.run("return document.querySelector('#text').value")
        self.set("#profile", "strict")
        count = "document.querySelector('#text-count').textContent"
        self.checks.that("publish: characters are counted against the server's limit",
                         self.browser.until(f"{count} === '7 of 500 characters'"), self.browser.run(f"return {count}"))
        self.checks.equal("publish: so are files", self.browser.text("#media-count"), "2 of 4")
        accepted = self.browser.run("return document.querySelector('#files').accept").split(",")
        self.checks.that("publish: films are offered as the server accepts them", "video/mp4" in accepted and "video/*" not in accepted, accepted)
        alt = self.browser.run("return document.querySelector('.medium textarea').maxLength")
        self.checks.equal("publish: descriptions end at its limit", alt, 1500)
        self.set("#text", "See https://example.org/" + "a" * 600 + " @ada@example.org")
        self.checks.equal("publish: links and names count as the server counts them", self.browser.text("#text-count"), "32 of 500 characters")
        self.set("#warning", "Letters")
        self.checks.equal("publish: a content warning counts too", self.browser.text("#text-count"), "39 of 500 characters")
        self.set("#warning", "")
        self.set("#text", "a" * 501)
        self.browser.until(UP)
        self.checks.equal("publish: says how much is too much", self.browser.text("#missing"), "The text is 1 character too long for strict.")
        off = self.browser.run("return document.querySelector('#send').getAttribute('aria-disabled')")
        self.checks.equal("publish: and does not send it", off, "true")
        self.browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        look(self.checks, self.browser, "publish-too-long")
        self.set("#text", text)
        self.set("#profile", "desk")
        self.checks.equal("publish: another server has other limits", self.browser.text("#text-count"), "7 characters")

    def ordered(self):
        self.choose(self.photos[2])
        self.browser.until(UP + " && document.querySelectorAll('.medium').length === 3")
        one, two, three = [photo.name for photo in self.photos]
        self.browser.run("document.querySelector('.medium:nth-child(1) [aria-label*=later]').click()")
        self.checks.equal("publish: a button moves one", self.browser.run(NAMES), [two, one, three])
        self.browser.run("document.querySelector('.medium:nth-child(3) .handle').focus()")
        self.browser.press("ArrowUp")
        self.checks.equal("publish: so does a key", self.browser.run(NAMES), [two, three, one])
        self.browser.press("ArrowUp")
        self.checks.equal("publish: and again", self.browser.run(NAMES), [three, two, one])
        self.drag(3, 1)
        self.checks.equal("publish: and dragging", self.browser.run(NAMES), [one, three, two])
        described = self.browser.run("return [...document.querySelectorAll('.medium textarea')].map(one => one.value)")
        self.checks.equal("publish: descriptions go with them", described, ["Two boats", "", ""])
        look(self.checks, self.browser, "publish-draft")
        walk(self.checks, self.browser, "publish-draft")
        self.browser.run(DROP, "AAAAGGZ0eXBpc29tAAACAGlzb21pc28y", "film.mp4", "video/mp4")
        film = self.browser.until("document.querySelectorAll('.medium').length === 4 && document.querySelector('.medium:nth-child(4) video')")
        self.checks.that("publish: takes a film that is dropped", film, self.browser.run(NAMES))
        self.browser.until(UP)
        self.browser.run("document.querySelector('.medium:nth-child(4) [aria-label^=Remove]').click()")
        self.checks.that("publish: and removes it", self.browser.until("document.querySelectorAll('.medium').length === 3"))
        self.focused()
        self.named()
        self.unreadable()

    def focused(self):
        """The focus point is set with the pointer, moved with keys, and sent with the post."""
        button, stage = ".medium:nth-child(1) .medium-focus", ".focus-stage"
        tap(self.browser, button)
        self.checks.that("publish: a dialog asks for the focus point", self.browser.until("document.querySelector('.focus-stage img')?.naturalWidth > 0"))
        look(self.checks, self.browser, "publish-focus")
        drag(self.browser, stage, (0.5, 0.5), (0.75, 0.25))
        self.browser.press("ArrowLeft")
        tap(self.browser, ".focus-dialog [value=done]")
        self.checks.equal("publish: the point is kept", self.browser.run(f"return {FOCUS}"), [[0.4, 0.5]])
        shown = self.browser.run("return document.querySelector('.medium:nth-child(1) .medium-picture img').style.objectPosition")
        self.checks.equal("publish: and shown", shown, "70% 25%")
        tap(self.browser, button)
        drag(self.browser, stage, (0.5, 0.5), (0.1, 0.1))
        self.browser.press("Escape")
        self.checks.equal("publish: Escape changes nothing", self.browser.run(f"return {FOCUS}"), [[0.4, 0.5]])

    def named(self):
        """A name with an override of the direction, which makes it look like that of something else."""
        odd = self.photo("Holiday \u202egpj.exe.jpg", 9)
        self.choose(odd)
        self.browser.until(UP + " && document.querySelectorAll('.medium').length === 4")
        shown = self.browser.run(NAMES)[3]
        self.checks.equal("publish: a name has no overrides of the direction", shown, odd.name.replace("\u202e", ""))
        self.browser.run("document.querySelector('.medium:nth-child(4) [aria-label^=Remove]').click()")
        self.browser.until("document.querySelectorAll('.medium').length === 3")

    def unreadable(self):
        """One whose head is no picture's, one that browsers show and the server does not, and what is no picture but for its name."""
        told = "document.querySelector('.medium:nth-child(4) .medium-fault')?.textContent.includes('cannot show this file')"
        page = b"<!doctype html><title>Not found</title>"
        for name, content in (("broken.jpg", b"\xff\xd8\xff\0\0"), ("bent.png", bent_picture()), ("page.jpg", page)):
            self.browser.run(DROP, base64.b64encode(content).decode(), name, "image/" + name.rsplit(".", 1)[1])
            self.browser.until("document.querySelectorAll('.medium').length === 4")
            self.browser.until(UP)
            self.checks.that(f"publish: says what is wrong with {name}", self.browser.until(told), self.browser.text("#media"))
            look(self.checks, self.browser, f"publish-{name.split('.')[0]}")
            self.browser.run("document.querySelector('.medium:nth-child(4) [aria-label^=Remove]').click()")
            self.browser.until("document.querySelectorAll('.medium').length === 3")

    def drag(self, start: int, end: int):
        """Drags the handle of one medium to the place of another, from place `start` to place `end`."""
        place = """
            const {x, y, width, height} = document.querySelector(`.medium:nth-child(${arguments[0]}) .handle`).getBoundingClientRect();
            return [x + width / 2, y + height / 2];
        """
        self.browser.run("document.querySelector('.medium:nth-child(2)').scrollIntoView({block: 'center'})")
        (x, y), (goal, _) = self.browser.run(place, start), self.browser.run(place, end)
        event = {"y": y, "button": "left", "clickCount": 1}
        self.browser.command("Input.dispatchMouseEvent", type="mousePressed", x=x, **event)
        for step in range(1, 13):
            self.browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=x + (goal - 20 - x) * step / 12, **event)
        self.browser.command("Input.dispatchMouseEvent", type="mouseReleased", x=goal - 20, **event)

    def reloaded(self):
        names = self.browser.run(NAMES)
        self.browser.reload()
        back = self.browser.until("document.querySelectorAll('.medium').length === 3")
        self.checks.that("publish: the draft outlives a reload", back, self.browser.text("#media"))
        self.checks.equal("publish: in its order", self.browser.run(NAMES), names)
        self.checks.equal("publish: with its text", self.browser.run("return document.querySelector('#text').value"), "Gru\u0308ße 👩‍👩‍👧")
        self.checks.equal("publish: and descriptions", self.browser.text("#alt-missing"), "2 of 3 without a description")

    def published(self):
        self.set("#language", "de")
        self.set("#warning", "Noise")
        self.set("#schedule", "2020-01-01T09:00")
        self.checks.equal("publish: a time that has passed is refused", self.browser.text("#missing"),
                          "The time for publishing has passed. Choose a later one.")
        self.set("#schedule", "2099-05-01T09:00")
        self.checks.equal("publish: a post can be scheduled", self.browser.text("#send"), "Schedule")
        self.browser.reload()
        self.browser.until(UP)
        moment = self.browser.run("return new Date(document.querySelector('#schedule').value).toISOString().replace('.000', '')")
        tap(self.browser, "#send")
        done = self.browser.until(f"{STATES}[0] === 'published'")
        self.checks.that("publish: is published", done, self.browser.text("#posts"))
        posts = self.received()
        body = posts[0]["body"] if posts else {}
        self.checks.equal("publish: with its text", body.get("text"), "Gru\u0308ße 👩‍👩‍👧")
        about = [body.get(name) for name in ("content_warning", "language", "schedule")]
        self.checks.equal("publish: its warning, its language, and its time", about, ["Noise", "de", moment])
        left = self.browser.run("return ['warning', 'language', 'schedule'].map(id => document.querySelector(`#${id}`).value)")
        self.checks.equal("publish: the next one has the language, but neither warning nor time", left, ["", "de", ""])
        self.checks.equal("publish: and media in their order", [medium.get("alt") for medium in body.get("media", [])][:1], ["Two boats"])
        self.checks.equal("publish: the focus point of the first", [medium.get("focus") for medium in body.get("media", [])][:1], [[0.4, 0.5]])
        held = {upload["sha256"] for upload in self.origin.json("/received")["uploads"] if upload.get("sha256")}
        wanted = {hashlib.sha256(photo.read_bytes()).hexdigest() for photo in self.photos}
        self.checks.that("publish: every byte of them", wanted <= held, (wanted, held))
        # What was sent is taken off the page, which gets shorter.
        self.browser.run("Object.assign(watched, {shift: 0, shifts: []})")
        self.checks.equal("publish: the draft is empty again", self.browser.count(".medium"), 0)
        look(self.checks, self.browser, "publish-published")

    def on_the_overview(self):
        """The first page names the last posts."""
        self.browser.open(f"{self.base}/app/")
        listed = self.browser.until("document.querySelector('#posts .recent .badge')?.textContent === 'published'")
        told = self.browser.text("#posts")
        self.checks.that("publish: the overview lists the post", listed and "desk" in told and "3 files" in told, told)
        look(self.checks, self.browser, "overview-posts")
        self.at_board()

    def reloaded_in_the_middle(self):
        count = len(self.received())
        self.send_half("In the middle of a reload", self.photos[0], self.photos[1])
        with self.origin.held():
            running = self.browser.until(f"{STATES}[0] === 'running' && {SHARE} > 5 && {SHARE} < 95")
        self.checks.that("publish: goes on by what the server has", running, self.browser.text("#posts"))
        self.browser.reload()
        self.browser.until("document.querySelectorAll('.post').length === 2")
        # A slow browser may be back when all is done.
        self.checks.that("publish: goes on through a reload", self.states()[0] in ("running", "published"), self.states())
        self.checks.that("publish: and comes to its end", self.browser.until(f"{STATES}[0] === 'published'"), self.browser.text("#posts"))
        self.checks.equal("publish: once", len(self.received()), count + 1)

    def held(self) -> int:
        """Returns how many files the server keeps."""
        return self.browser.run("return fetch('/api/publish/files').then(answer => answer.json()).then(({files}) => files.length)")

    def cancelled(self):
        count, held = len(self.received()), self.held()
        self.send("Never mind", "stuck", self.photos[1])
        self.browser.until(f"{STATES}[0] === 'running'")
        look(self.checks, self.browser, "publish-running")
        tap(self.browser, ".post[data-state=running] .button.danger")
        stopped = self.browser.until(f"{STATES}[0] === 'cancelled'")
        self.checks.that("publish: can be cancelled", stopped, self.browser.text("#posts"))
        kept = self.held()
        self.forget("cancelled")
        self.checks.equal("publish: and forgotten", self.states().count("cancelled"), 0)
        look(self.checks, self.browser, "publish-forgotten")
        tap(self.browser, "#forgotten-undo")
        back = self.browser.until(f"{STATES}.includes('cancelled')")
        self.checks.that("publish: which can be undone", back, self.states())
        self.checks.equal("publish: with its file", self.held(), kept)
        self.forget("cancelled")
        # What is forgotten is deleted when the page is left.
        self.at_board()
        gone = self.browser.until("document.querySelectorAll('.post').length === 2")
        self.checks.that("publish: until the page is left", gone, self.states())
        self.checks.equal("publish: nothing of it came", len(self.received()), count)
        self.checks.that("publish: its file is gone with it", eventually(lambda: self.held() == held, 10), (self.held(), held))

    def forget(self, state: str):
        """Forgets the first post in a state."""
        tap(self.browser, f".post[data-state={state}] .post-actions button:last-child")
        told = self.browser.until("!document.querySelector('#forgotten').hidden")
        self.checks.that("publish: says what is forgotten", told and "removed from this server" in self.browser.text("#forgotten"))

    # What is written and chosen is lost by nothing.

    def draft(self) -> tuple[str, list[str], list[str]]:
        """Returns the text, the names of the media, and their descriptions."""
        return tuple(self.browser.run("""
            const all = selector => [...document.querySelectorAll(selector)];
            return [document.querySelector('#text').value, all('.medium-name').map(one => one.textContent), all('.medium textarea').map(one => one.value)];
        """))

    def is_draft(self, *wanted) -> bool:
        """Waits until the draft is as it should be."""
        return eventually(lambda: self.draft() == wanted, 30)

    def written_in_two_tabs(self):
        driver = self.browser.driver
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        second = driver.current_window_handle
        self.at_board()
        driver.switch_to.window(first)
        self.browser.fill("#text", "Written in one tab")
        self.choose(self.photos[0])
        self.browser.until(UP)
        self.browser.fill(".medium textarea", "Noise")
        name = self.photos[0].name
        driver.switch_to.window(second)
        same = self.is_draft("Written in one tab", [name], ["Noise"])
        self.checks.that("publish: another tab has what is written and chosen in one", same, self.draft())
        driver.switch_to.window(first)
        self.browser.one("#text").send_keys(", and then another")
        whole = ("Written in one tab, and then another", [name], ["Noise"])
        # The tab that was opened before anything was written is left last.
        self.browser.leave()
        driver.switch_to.window(second)
        self.browser.leave()
        driver.close()
        driver.switch_to.window(first)
        self.at_board()
        self.checks.that("publish: a second tab that is left erases nothing", self.is_draft(*whole), self.draft())
        driver.switch_to.new_window("tab")
        self.at_board()
        self.browser.one("#text").send_keys("!")
        self.browser.leave()
        driver.close()
        driver.switch_to.window(first)
        whole = (whole[0] + "!", *whole[1:])
        self.checks.that("publish: what is written in it comes back", self.is_draft(*whole), self.draft())
        self.merged()

    def merged(self):
        """What was changed in two tabs that knew nothing of each other."""
        told = self.browser.run("""
            return import('/app/publish/merge.js').then(({merged, nothing, parsed}) => {
                const medium = (id, alt, at) => ({id, name: 'a', bytes: 1, kind: 'image', src: null, fault: null, alt: {value: alt, at}});
                // The drafts of an older page have no uploads to continue.
                const old = {a: medium('x', '', 0), b: medium(null, 'Boat', 2), c: medium('z', '', 0)};
                const {media} = parsed(JSON.stringify({...nothing(), media: old}));
                const begun = structuredClone(media);
                begun.b.upload = {value: 'u', at: 1};
                const draft = parts => ({...nothing(), ...parts});
                const one = draft({text: {value: 'One', at: 3}, visibility: {value: 'public', at: 1}, order: {value: ['a', 'b', 'c'], at: 2}, media});
                const other = draft({text: {value: 'Other', at: 3}, visibility: {value: 'direct', at: 2}, order: {value: ['b', 'a'], at: 3},
                                     media: {a: begun.a, b: {...begun.b, id: 'y', alt: {value: '', at: 0}}}, gone: ['c']});
                const [there, back] = [merged(one, other), merged(other, one)];
                return [there, JSON.stringify(there) === JSON.stringify(back), JSON.stringify(merged(there, back)) === JSON.stringify(there),
                        ['', 'null', '{}', '[]', '{"media": {}, "gone": []}'].every(text => JSON.stringify(parsed(text)) === JSON.stringify(nothing()))];
            });
        """)
        draft, *holds = told
        self.checks.equal("publish: two texts are put together", draft["text"]["value"], "One\n\nOther")
        self.checks.equal("publish: the later choice wins", draft["visibility"]["value"], "direct")
        self.checks.equal("publish: what one has taken out stays out", draft["order"]["value"], ["b", "a"])
        medium = draft["media"]["b"]
        self.checks.equal("publish: a file is up, and described", [medium["id"], medium["alt"]["value"], medium["upload"]["value"]], ["y", "Boat", "u"])
        self.checks.equal("publish: all tabs come to the same draft, and nonsense to none", holds, [True] * 3)

    def reloaded_while_files_go_up(self):
        """The uploads are slowed down, so that the reload comes in their middle."""
        kept = """
            return new Promise(done => {
                const request = indexedDB.open('calotype', 1);
                request.onsuccess = () => {
                    const count = request.result.transaction('files').objectStore('files').count();
                    count.onsuccess = () => (request.result.close(), done(count.result));
                };
            });
        """
        text = self.draft()[0]
        self.throttle(40_000)
        large = [self.photo(f"large/{photo.name}", number, 4 * SIDE) for number, photo in enumerate(self.photos[1:])]
        self.choose(*large)
        self.browser.fill(".medium:nth-child(2) textarea", "More noise")
        self.checks.that("publish: files that go up are kept", eventually(lambda: self.browser.run(kept) == 2, 30), self.browser.text("#media"))
        up = self.browser.run("return [...document.querySelectorAll('.medium')].map(one => one.dataset.state)")
        self.checks.equal("publish: they are under way", up, ["up", "uploading", "uploading"])
        self.checks.that("publish: the server has a part of each", eventually(self.has_parts, 60), self.uploads())
        begun = self.uploads()
        self.browser.reload()
        names, described = [photo.name for photo in (self.photos[0], *large)], ["Noise", "More noise", ""]
        whole = (text, names, described)
        self.checks.that("publish: files that go up outlive a reload", self.is_draft(*whole), self.draft())
        self.throttle(-1)
        self.browser.reload()
        self.checks.that("publish: and come to the server", self.browser.until(UP), self.browser.text("#media"))
        self.checks.that("publish: with all that was written", self.is_draft(*whole), self.draft())
        self.checks.equal("publish: which continued where they were", sorted(begun), sorted(self.browser.run(f"return {IDS}")[1:]))
        self.checks.that("publish: where the browser keeps them no longer", eventually(lambda: self.browser.run(kept) == 0, 30))

    def uploads(self) -> list[str]:
        """Returns the identifiers of unfinished uploads, as the draft has them."""
        return self.browser.run(f"return {UPLOADS}")

    def has_parts(self) -> bool:
        """Whether the server has a part of two files."""
        parts = [path for name in self.uploads() for path in self.scratch.rglob(f"uploads/{name}")]
        return len(parts) == 2 and all(part.stat().st_size > 0 for part in parts)

    def throttle(self, throughput: int):
        """Lets so many bytes a second leave the browser, -1 for all."""
        self.browser.command("Network.enable")
        self.browser.command(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=throughput
        )

    def removed_and_put_back(self):
        before = self.draft()
        self.browser.run("document.querySelector('.medium:nth-child(2) [aria-label^=Remove]').click()")
        self.browser.until("document.querySelectorAll('.medium').length === 2")
        look(self.checks, self.browser, "publish-removed")
        tap(self.browser, "#undo")
        self.checks.that("publish: what was removed can be put back", self.is_draft(*before), self.draft())
        self.checks.that("publish: with its file", self.browser.until(UP), self.browser.text("#media"))
        self.browser.run("document.querySelector('.medium:nth-child(3) [aria-label^=Remove]').click()")
        held = self.held()
        self.browser.reload()
        self.browser.until("document.querySelectorAll('.medium').length === 2")
        self.checks.that("publish: else its file goes with the page", eventually(lambda: self.held() == held - 1, 30), self.held())
        # A server that has a file no longer does not make the draft forget it.
        self.browser.run("return fetch('/api/publish/files').then(answer => answer.json()).then(({files}) => "
                         "Promise.all(files.map(({id}) => fetch(`/api/publish/files/${id}`, {method: 'DELETE'}))))")
        self.browser.reload()
        told = self.browser.until("document.querySelector('.medium[data-state=failed] .medium-state')?.textContent.includes('Choose the file again')")
        self.checks.that("publish: says that the server has a file no longer", told, self.browser.text("#media"))
        look(self.checks, self.browser, "publish-lost")
        self.choose(*self.photos[:2])
        self.checks.that("publish: which takes its place again", self.browser.until(UP) and self.is_draft(before[0], before[1][:2], before[2][:2]), self.draft())

    def refused(self):
        """The server takes no files of text."""
        notes = self.scratch / "notes.txt"
        notes.write_text("Some notes")
        self.choose(notes)
        self.browser.until(UP)
        text, (_, names, described), posts = "With notes", self.draft(), len(self.states())
        self.browser.fill("#text", text)
        self.set("#warning", "Notes")
        self.set("#profile", "strict")
        tap(self.browser, "#send")
        failed = self.browser.until(f"{STATES}[0] === 'failed'")
        self.checks.equal("publish: the draft is the post's now", self.draft()[1], [])
        self.checks.that("publish: a post with a file that the server does not accept is refused", failed, self.browser.text("#posts"))
        look(self.checks, self.browser, "publish-refused")
        # Something else was begun meanwhile, and stays.
        self.browser.fill("#text", "Something else")
        tap(self.browser, ".post[data-state=failed] .post-actions button:nth-child(2)")
        whole = ("Something else\n\n" + text, names, described)
        self.checks.that("publish: it can be edited", self.is_draft(*whole), self.draft())
        self.checks.equal("publish: with its warning", self.browser.run("return document.querySelector('#warning').value"), "Notes")
        self.checks.that("publish: the draft says why", "not accepted" in self.browser.text("#draft-problem"))
        gone = self.browser.until(f"document.querySelectorAll('.post').length === {posts}")
        self.checks.that("publish: and is a draft again", gone, self.states())
        self.browser.reload()
        self.checks.that("publish: which outlives a reload", self.is_draft(*whole), self.draft())
        count = self.statuses()
        self.browser.fill("#text", "Without the notes")
        self.set("#profile", "strict")
        self.browser.run("document.querySelector('.medium:last-child [aria-label^=Remove]').click()")
        self.browser.until(UP)
        tap(self.browser, "#send")
        accepted = self.browser.until(f"{STATES}.length === {posts + 1} && {STATES}[0] === 'published'")
        self.checks.that("publish: and is accepted", accepted, self.browser.text("#posts"))
        self.checks.equal("publish: once, as it was edited", self.statuses(), count + 1)
        self.forget("published")
        self.at_board()
        self.browser.until(f"document.querySelectorAll('.post').length === {posts}")

    def statuses(self) -> int:
        """Returns how many posts the strict server has."""
        return len(self.origin.json("/received")["mastodon"]["statuses"])

    def stopped_in_the_middle(self, server: RunningServer):
        self.send_half("Through a restart", self.photos[0], self.photos[2])
        with self.origin.held():
            self.browser.until(f"{STATES}[0] === 'running' && {SHARE} > 20")
            server.stop(signal.SIGKILL)
        told = self.browser.until("document.querySelector('#posts-problem').textContent !== ''")
        self.checks.that("publish: says that the server is gone", told)

    def resumed(self):
        count = len(self.received())
        self.browser.until("document.querySelectorAll('.post').length === 3")
        self.checks.equal("publish: a restart interrupts it", self.states()[0], "interrupted")
        look(self.checks, self.browser, "publish-interrupted")
        tap(self.browser, ".post[data-state=interrupted] .post-actions button")
        running = self.browser.until(f"{STATES}[0] !== 'interrupted' && {SHARE} > 15")
        self.checks.that("publish: goes on from where it was", running, self.browser.run(f"return {SHARE}"))
        self.checks.that("publish: and comes to its end", self.browser.until(f"{STATES}[0] === 'published'"), self.browser.text("#posts"))
        self.checks.equal("publish: once, in spite of it all", len(self.received()), count + 1)


def bent_picture() -> bytes:
    """Returns a PNG whose head is good and whose content is not."""
    written = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(written, "PNG", compress_level=0)
    content = bytearray(written.getvalue())
    content[len(content) // 2] ^= 0xFF
    return bytes(content)
