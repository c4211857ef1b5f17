// Images that load when they are almost visible, a few at a time, visible ones first. If one scrolls away
// before it has loaded, its connection closes, and the server stops fetching and decoding it.
//
//     <lazy-picture src="/unsafe/…" alt="" name="Camera"></lazy-picture>
//
// `alt` is the picture's text, and `name` identifies it in the label of the retry button. The attribute
// data-state is waiting, loading, loaded or failed; the events `picture-loaded` and `picture-failed` report
// changes, and the window's event `picture-cancelled` a load that was aborted. The page's style sets the size. Removing the element, or changing its `src`, aborts the load.

import {isAbort, problem} from "./api.js";
import {h, symbol} from "./dom.js";

/// A browser opens six connections to a host; one stays free for the API.
const LIMIT = 5;
/// How far from the visible area an image starts to load, and how far it is from it when its load is aborted.
const MARGIN = "160px";

/// The waiting images near the visible area, and the number of loading ones.
const waiting = new Set();
let running = 0;

const near = new IntersectionObserver(
    entries => {
        for (const entry of entries) entry.isIntersecting ? entry.target.enter() : entry.target.leave();
        next();
    },
    // The first margin is for the window, the second for strips that scroll inside it.
    {rootMargin: MARGIN, scrollMargin: MARGIN},
);

// The browser may cache a page that the user leaves: its loads end here, and continue when it is shown again.
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

/// The next image to load: a visible one, otherwise one close to the visible area.
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

    /// The error of a failed load, otherwise `null`.
    error = null;

    /// Starts loading when its turn comes; called by the observer.
    enter() {
        this.#isNear = true;
        if (this.dataset.state === "waiting" && this.getAttribute("src")) waiting.add(this);
    }

    /// Aborts an unfinished load; called by the observer.
    leave() {
        this.#isNear = false;
        waiting.delete(this);
        if (!this.#abort || this.#abort.signal.aborted) return;
        this.#abort.abort();
        // The element may have left the document, so its own events would reach nobody.
        dispatchEvent(new CustomEvent("picture-cancelled"));
    }

    /// Aborts an unfinished load, and starts no other until it is observed again.
    pause() {
        near.unobserve(this);
        this.leave();
    }

    /// Retries after a failure.
    retry() {
        const hadFocus = this.contains(document.activeElement);
        this.#reset();
        if (hadFocus) {
            // The button is removed; the focus must not get lost.
            this.tabIndex = -1;
            this.focus();
        }
        this.enter();
        next();
    }

    /// Fetches and shows the image; never throws. Called by the queue.
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
            // The image became visible again during the abort.
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
        const name = this.getAttribute("name") || this.getAttribute("alt") || "image";
        const about = {type: "button", title: error.message, "aria-label": `Retry: ${name}`, onclick: () => this.retry()};
        this.replaceChildren(h("button.retry", about, symbol("retry"), h("span", {}, "Retry")));
        this.#put("failed");
        this.dispatchEvent(new CustomEvent("picture-failed", {bubbles: true, detail: error}));
    }

    #put(state) {
        this.dataset.state = state;
    }
}

customElements.define("lazy-picture", LazyPicture);

/// Fetches an image and returns an <img> that is ready to paint. Throws an `APIError` or an `AbortError`.
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
        throw new Error("The response is not an image that this browser can show.");
    } finally {
        URL.revokeObjectURL(url); // the image has its bytes
    }
}
