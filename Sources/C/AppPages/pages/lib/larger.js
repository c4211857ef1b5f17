// A dark screen that shows one image of several: with the arrow keys, a swipe or its buttons to the others, larger at a
// click, and with Escape back to where the user was.

import {isAbort} from "./api.js";
import {h, symbol} from "./dom.js";
import {fetched} from "./pictures.js";
import {MOST, sideFor} from "./sides.js";
import {dragged, swiped} from "./swipes.js";

/// How much larger a zoomed image is at least.
const ZOOM = 2;

export class Larger {
    #describe;
    #neighbour;
    #closed;
    #parts = null;
    #item = null;
    #told = null;
    #abort = null;

    /// Creates a dialog for items of any kind.
    ///
    /// `neighbour(item, by)` returns the next item (1) or the previous one (-1), `undefined` at the end.
    /// `describe(item)` returns `{name, caption, facts, source, image, reason}`: a text for the image if it has one, a list
    /// of names and values, the URL of the source if it has one, and either the image or an element that says why there is none. An image is
    /// `{src, larger}`; `larger(side, signal)` resolves to the path of an image with that side.
    /// `closed(item)` gives the focus back.
    constructor({describe, neighbour, closed}) {
        this.#describe = describe;
        this.#neighbour = neighbour;
        this.#closed = closed;
    }

    open(item) {
        this.#parts ??= this.#make();
        if (!this.#parts.dialog.open) this.#parts.dialog.showModal();
        this.#show(item);
    }

    #make() {
        const button = (kind, id, label, icon, onclick) =>
            h(`button.button.icon${kind}`, {type: "button", id, "aria-label": label, title: label, onclick}, symbol(icon));
        const name = h("h2", {id: "larger-name", dir: "auto"});
        const zoom = button(".quiet.compact", "larger-zoom", "Zoom", "search", () => this.#zoom(!this.#isZoomed));
        const about = {id: "larger-source", target: "_blank", rel: "noreferrer noopener", "aria-label": "Source", title: "Source"};
        const source = h("a.button.quiet.icon.compact", about, symbol("open"));
        const close = button(".quiet.compact", "larger-close", "Close", "cancel", () => dialog.close());
        const place = h("div.larger-picture", {id: "larger-picture"});
        const before = button(".larger-step.before", "larger-before", "Previous", "back", () => this.#step(-1));
        const after = button(".larger-step.after", "larger-after", "Next", "back", () => this.#step(1));
        const caption = h("p.larger-caption", {id: "larger-caption", dir: "auto"});
        const facts = h("dl.larger-facts", {id: "larger-facts"});
        const dialog = h(
            "dialog.dialog.larger", {id: "larger", "aria-labelledby": "larger-name"},
            h("div.larger-head", {}, name, zoom, source, close), h("div.larger-stage", {}, place, before, after), caption, facts,
        );
        // After a click on what has no focus, keys go to the page.
        addEventListener("keydown", event => dialog.open && this.#press(event));
        dialog.addEventListener("cancel", event => {
            if (!this.#isZoomed) return;
            event.preventDefault();
            this.#zoom(false);
        });
        dialog.addEventListener("close", () => this.#end());
        swiped(place, by => !this.#isZoomed && this.#step(by));
        dragged(place, () => this.#isZoomed, event => event.target.localName === "img" && this.#zoom(!this.#isZoomed, event));
        document.querySelector("main").append(dialog);
        return {dialog, name, zoom, source, place, before, after, caption, facts};
    }

    #press({key, ctrlKey, metaKey, altKey}) {
        if (ctrlKey || metaKey || altKey) return;
        if (key === "z") this.#zoom(!this.#isZoomed);
        // They scroll what is zoomed.
        if (this.#isZoomed) return;
        if (key === "ArrowLeft") this.#step(-1);
        if (key === "ArrowRight") this.#step(1);
    }

    #step(by) {
        const next = this.#neighbour(this.#item, by);
        if (next !== undefined) this.#show(next);
    }

    #show(item) {
        this.#item = item;
        const {name, zoom, place, before, after, caption, facts} = this.#parts;
        const told = (this.#told = this.#describe(item));
        name.textContent = told.name;
        caption.textContent = told.caption ?? "";
        caption.hidden = !told.caption;
        zoom.hidden = !told.image;
        before.setAttribute("aria-disabled", this.#neighbour(item, -1) === undefined);
        after.setAttribute("aria-disabled", this.#neighbour(item, 1) === undefined);
        this.#linkSource(told.source);
        facts.hidden = told.facts.length === 0;
        facts.replaceChildren(...told.facts.map(([title, value]) => h("div", {}, h("dt", {}, title), h("dd", {}, value))));
        this.#setZoomed(false);
        this.#abort?.abort();
        if (told.image) {
            place.replaceChildren();
            this.#load([told.image.src, sideFor(Math.max(place.clientWidth, place.clientHeight), MOST)]);
        } else place.replaceChildren(told.reason);
    }

    /// Shows the images of `sizes`, one after the other: a path, or the side of an image that has one.
    async #load(sizes) {
        const abort = (this.#abort = new AbortController());
        const {image, caption, name} = this.#told;
        const {place} = this.#parts;
        try {
            for (const size of sizes) {
                const path = typeof size === "number" ? await image.larger(size, abort.signal) : size;
                const shown = await fetched(path, caption ?? name, abort.signal);
                if (abort.signal.aborted) return;
                shown.draggable = false;
                place.replaceChildren(shown);
            }
        } catch (error) {
            // If there is no larger image, the smaller one is sufficient.
            if (!isAbort(error) && !place.querySelector("img")) place.replaceChildren(h("p.problem", {role: "alert"}, error.message));
        }
    }

    get #isZoomed() {
        return this.#parts.place.classList.contains("zoomed");
    }

    #setZoomed(isZoomed) {
        const {place, zoom} = this.#parts;
        place.classList.toggle("zoomed", isZoomed);
        zoom.setAttribute("aria-pressed", String(isZoomed));
        // Only what scrolls is a stop of the Tab key.
        place.tabIndex = isZoomed ? 0 : -1;
    }

    /// Enlarges the image around the point of `event`, to its own pixels if it has enough; or shows all of it.
    async #zoom(isZoomed, event) {
        const {place} = this.#parts;
        const image = place.querySelector("img");
        if (!image) return;
        if (!isZoomed) return this.#setZoomed(false);
        const {left, top, width, height} = place.getBoundingClientRect();
        const [x, y] = event ? [(event.clientX - left) / width, (event.clientY - top) / height] : [0.5, 0.5];
        const shown = Math.min(width, (height * image.naturalWidth) / image.naturalHeight);
        const enlarge = side => {
            place.style.setProperty("--zoomed", `${Math.round(side)}px`);
            place.scrollTo({left: x * place.scrollWidth - width / 2, top: y * place.scrollHeight - height / 2, behavior: "instant"});
        };
        this.#setZoomed(true);
        enlarge(shown * ZOOM);
        const item = this.#item;
        this.#abort?.abort();
        await this.#load([MOST]);
        const whole = place.querySelector("img");
        if (this.#item !== item || !this.#isZoomed || !whole) return;
        enlarge(Math.max(shown * ZOOM, whole.naturalWidth / (window.devicePixelRatio || 1)));
    }

    #linkSource(url) {
        const {source} = this.#parts;
        const isWeb = /^https?:/i.test(url ?? "");
        source.hidden = !isWeb;
        if (isWeb) source.href = url;
        else source.removeAttribute("href");
    }

    #end() {
        this.#abort?.abort();
        this.#parts.place.replaceChildren();
        this.#closed(this.#item);
    }
}
