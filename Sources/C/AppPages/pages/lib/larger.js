// A dialog that shows one image of several, larger: with the arrow keys or its buttons to the others, with Escape
// back to where the user was.

import {isAbort} from "./api.js";
import {h, symbol} from "./dom.js";
import {fetched} from "./pictures.js";
import {sideFor} from "./sides.js";

export class Larger {
    #describe;
    #neighbour;
    #closed;
    #parts = null;
    #item = null;
    #abort = null;

    /// Creates a dialog for items of any kind.
    ///
    /// `neighbour(item, by)` returns the next item (1) or the previous one (-1), `undefined` at the end.
    /// `describe(item)` returns `{name, caption, facts, source, image, reason}`: a text for the image if it has one, a list
    /// of names and values, the URL of the source if it has one, and either the image or an element that says why there is none. An image is
    /// `{src, width, height, larger}`; `larger(side, signal)` resolves to the path of an image with that side.
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
        const step = by => () => this.#step(by);
        const name = h("h2", {id: "larger-name", dir: "auto"});
        const close = h("button.button.quiet.icon.compact", {type: "submit", "aria-label": "Close"}, symbol("cancel"));
        const place = h("div.larger-picture", {id: "larger-picture"});
        const caption = h("p.larger-caption", {id: "larger-caption", dir: "auto"});
        const facts = h("dl.larger-facts", {id: "larger-facts"});
        const before = h("button.button.compact", {type: "button", id: "larger-before", onclick: step(-1)}, "Previous");
        const after = h("button.button.compact", {type: "button", id: "larger-after", onclick: step(1)}, "Next");
        const about = {id: "larger-source", target: "_blank", rel: "noreferrer noopener"};
        const source = h("a.button.quiet.compact", about, symbol("open"), "Source");
        const dialog = h(
            "dialog.dialog.larger", {id: "larger", "aria-labelledby": "larger-name"},
            h("div.larger-head", {}, name, h("form", {method: "dialog"}, close)),
            place, caption, facts, h("div.larger-foot", {}, before, after, source),
        );
        dialog.addEventListener("keydown", ({key}) => {
            if (key === "ArrowLeft") this.#step(-1);
            if (key === "ArrowRight") this.#step(1);
        });
        // A click next to the dialog hits its backdrop, which belongs to it.
        dialog.addEventListener("click", event => event.target === dialog && dialog.close());
        dialog.addEventListener("close", () => this.#end());
        document.querySelector("main").append(dialog);
        return {dialog, name, place, caption, facts, before, after, source};
    }

    #step(by) {
        const next = this.#neighbour(this.#item, by);
        if (next !== undefined) this.#show(next);
    }

    #show(item) {
        this.#item = item;
        const {name, place, caption, facts, before, after} = this.#parts;
        const told = this.#describe(item);
        name.textContent = told.name;
        caption.textContent = told.caption ?? "";
        caption.hidden = !told.caption;
        before.setAttribute("aria-disabled", this.#neighbour(item, -1) === undefined);
        after.setAttribute("aria-disabled", this.#neighbour(item, 1) === undefined);
        this.#linkSource(told.source);
        facts.hidden = told.facts.length === 0;
        facts.replaceChildren(...told.facts.map(([title, value]) => h("div", {}, h("dt", {}, title), h("dd", {}, value))));
        this.#abort?.abort();
        if (told.image) return this.#load(told.image, told.caption ?? told.name);
        place.style.aspectRatio = "";
        place.replaceChildren(told.reason);
    }

    async #load({src, width, height, larger}, name) {
        const abort = new AbortController();
        const {place} = this.#parts;
        this.#abort = abort;
        place.replaceChildren();
        // The space is reserved from the start, so that nothing moves when the image arrives.
        place.style.aspectRatio = width && height ? `${width} / ${height}` : "1";
        try {
            const small = await fetched(src, name, abort.signal);
            if (abort.signal.aborted) return;
            place.replaceChildren(small);
            const better = await larger(sideFor(Math.max(place.clientWidth, place.clientHeight)), abort.signal);
            const large = await fetched(better, name, abort.signal);
            if (!abort.signal.aborted) place.replaceChildren(large);
        } catch (error) {
            // If there is no larger image, the small one is sufficient.
            if (!isAbort(error) && !place.querySelector("img")) place.replaceChildren(h("p.problem", {role: "alert"}, error.message));
        }
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
