// Pictures that load when they come near the view, a few at a time, the visible ones first. One that scrolls away before it is
// there is aborted: its connection closes, and the server stops fetching and decoding it.
//
//     <lazy-picture src="/unsafe/…" alt="Camera"></lazy-picture>
//
// The attribute data-state tells waiting, loading, loaded or failed, the events `picture-loaded` and `picture-failed` the change;
// the size is the page's style's. Removing the element aborts too; so does another `src`.

import {isAbort, problem} from "./api.js";
import {symbol} from "./dom.js";

/// A browser opens six connections to a host: one stays free for the API.
const LIMIT = 5;
/// How far outside of the view a picture begins to load, and how far it is from it when it is aborted.
const MARGIN = "160px";
const SIDES = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/// The side in pixels to ask the server for: that of `length` CSS pixels on this screen, rounded up to one of a few, so that
/// screens share what the server keeps.
export function sideFor(length) {
    const wanted = length * (window.devicePixelRatio || 1);
    return SIDES.find(side => side >= wanted) ?? SIDES.at(-1);
}

/// Those that are near the view and not begun, and those that are.
const waiting = new Set();
const running = new Set();

const near = new IntersectionObserver(
    entries => {
        for (const entry of entries) entry.isIntersecting ? entry.target.enter() : entry.target.leave();
        next();
    },
    // The strips that scroll sideways clip as well, and the margin grows the window only: it is enough there.
    {rootMargin: MARGIN},
);

function next() {
    while (running.size < LIMIT && waiting.size > 0) {
        const picture = nearest();
        waiting.delete(picture);
        running.add(picture);
        picture.load().finally(() => {
            running.delete(picture);
            next();
        });
    }
}

/// The one that waits in the view; those just outside of it come after.
function nearest() {
    let found = null;
    for (const picture of waiting) {
        const {top, bottom} = picture.getBoundingClientRect();
        if (bottom > 0 && top < innerHeight) return picture;
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
        near.unobserve(this);
        this.leave();
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
        const button = document.createElement("button");
        button.type = "button";
        button.className = "retry";
        button.title = error.message;
        button.setAttribute("aria-label", `Load again: ${this.getAttribute("alt") || "picture"}`);
        button.append(symbol("retry"));
        button.addEventListener("click", event => {
            event.preventDefault();
            event.stopPropagation();
            this.retry();
        });
        this.replaceChildren(button);
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
