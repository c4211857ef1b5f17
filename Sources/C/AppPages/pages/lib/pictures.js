// Pictures that load when they come near the view, a few at a time, the visible ones first. One that scrolls away before it is
// there is aborted: its connection closes, and the server stops fetching and decoding it.
//
//     <lazy-picture src="/unsafe/…" alt="" name="Camera"></lazy-picture>
//
// `alt` is the picture's text, `name` what the button for another try calls it. The attribute data-state tells waiting, loading, loaded or failed, the events `picture-loaded` and `picture-failed` the change;
// the size is the page's style's. Removing the element aborts too; so does another `src`.

import {isAbort, problem} from "./api.js";
import {h, symbol} from "./dom.js";

/// A browser opens six connections to a host: one stays free for the API.
const LIMIT = 5;
/// How far outside of the view a picture begins to load, and how far it is from it when it is aborted.
const MARGIN = "160px";

/// Those that are near the view and not begun, and the number of those that load.
const waiting = new Set();
let running = 0;

const near = new IntersectionObserver(
    entries => {
        for (const entry of entries) entry.isIntersecting ? entry.target.enter() : entry.target.leave();
        next();
    },
    // The first margin is the window's, the other that of strips that scroll within it.
    {rootMargin: MARGIN, scrollMargin: MARGIN},
);

// A page that is left may be kept for the way back, with its loads going on: they end here, and go on when it is shown again.
addEventListener("pagehide", () => document.querySelectorAll("lazy-picture").forEach(picture => picture.pause()));
addEventListener("pageshow", event => {
    if (!event.persisted) return;
    document.querySelectorAll("lazy-picture").forEach(picture => near.observe(picture));
});

function next() {
    while (running < LIMIT && waiting.size > 0) {
        const picture = nearest();
        waiting.delete(picture);
        running += 1;
        picture.load().finally(() => {
            running -= 1;
            next();
        });
    }
}

/// The one that waits in the view; those just outside of it come after.
function nearest() {
    let found = null;
    for (const picture of waiting) {
        const {top, bottom, left, right} = picture.getBoundingClientRect();
        if (bottom > 0 && top < innerHeight && right > 0 && left < innerWidth) return picture;
        found ??= picture;
    }
    return found;
}

export class LazyPicture extends HTMLElement {
    static observedAttributes = ["src", "alt"];

    #abort = null;
    #isNear = false;

    connectedCallback() {
        this.#reset();
        near.observe(this);
    }

    disconnectedCallback() {
        this.pause();
    }

    attributeChangedCallback(name, before, now) {
        if (!this.isConnected || before === now) return;
        if (name === "alt") {
            const image = this.querySelector("img");
            if (image) image.alt = now ?? "";
            return;
        }
        this.#reset();
        if (this.#isNear) this.enter();
        next();
    }

    /// What the failed load told, `null` otherwise.
    error = null;

    /// Begins when its turn comes; for the observer.
    enter() {
        this.#isNear = true;
        if (this.dataset.state === "waiting" && this.getAttribute("src")) waiting.add(this);
    }

    /// Aborts what is not done; for the observer.
    leave() {
        this.#isNear = false;
        waiting.delete(this);
        this.#abort?.abort();
    }

    /// Aborts what is not done, and begins no more until it is observed again.
    pause() {
        near.unobserve(this);
        this.leave();
    }

    /// Loads after a failure.
    retry() {
        const hadFocus = this.contains(document.activeElement);
        this.#reset();
        if (hadFocus) {
            // The button is gone; the reader's place must not be.
            this.tabIndex = -1;
            this.focus();
        }
        this.enter();
        next();
    }

    /// Fetches and shows the picture; never throws. For the queue.
    async load() {
        const abort = new AbortController();
        this.#abort = abort;
        this.dataset.state = "loading";
        try {
            const image = await fetched(this.getAttribute("src"), this.getAttribute("alt") ?? "", abort.signal);
            if (this.#abort === abort && !abort.signal.aborted) this.#show(image);
        } catch (error) {
            if (this.#abort === abort) isAbort(error) ? this.#put("waiting") : this.#fail(error);
        } finally {
            if (this.#abort === abort) this.#abort = null;
            // It came back into view while the abort was on its way.
            if (this.dataset.state === "waiting" && this.#isNear) this.enter();
        }
    }

    #reset() {
        this.#abort?.abort();
        this.#abort = null;
        this.error = null;
        waiting.delete(this);
        this.replaceChildren();
        this.#put("waiting");
    }

    #show(image) {
        this.replaceChildren(image);
        this.#put("loaded");
        this.dispatchEvent(new CustomEvent("picture-loaded", {bubbles: true}));
    }

    #fail(error) {
        this.error = error;
        const name = this.getAttribute("name") || this.getAttribute("alt") || "picture";
        const about = {type: "button", title: error.message, "aria-label": `Load again: ${name}`, onclick: () => this.retry()};
        this.replaceChildren(h("button.retry", about, symbol("retry"), h("span", {}, "Load again")));
        this.#put("failed");
        this.dispatchEvent(new CustomEvent("picture-failed", {bubbles: true, detail: error}));
    }

    #put(state) {
        this.dataset.state = state;
    }
}

customElements.define("lazy-picture", LazyPicture);

/// Fetches a picture and returns an <img> that is ready to be painted. Throws an `APIError` or an `AbortError`.
export async function fetched(address, name, signal) {
    const response = await fetch(address, {signal, credentials: "same-origin"});
    if (!response.ok) throw await problem(response);
    const url = URL.createObjectURL(await response.blob());
    const image = new Image();
    try {
        image.alt = name;
        image.src = url;
        await image.decode();
        return image;
    } catch {
        throw new Error("The answer is no picture that this browser shows.");
    } finally {
        URL.revokeObjectURL(url); // the image has its bytes
    }
}
