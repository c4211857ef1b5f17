// The dialog for one entry of a wall: its image or error, and its details.

import {get, isAbort, sentence} from "../lib/api.js";
import {figure, h} from "../lib/dom.js";
import {fetched} from "../lib/pictures.js";
import {sideFor} from "../lib/sides.js";
import {bytes, meaning, nameOf, time} from "../lib/words.js";

const CACHES = {
    memory: "yes, from memory", hit: "yes, from disk", stale: "yes, stale", revalidated: "yes, revalidated",
    shared: "no, shared another load", miss: "no",
};

const dialog = document.querySelector("#larger");
const place = document.querySelector("#larger-picture");
const facts = document.querySelector("#larger-facts");
const before = document.querySelector("#larger-before");
const after = document.querySelector("#larger-after");
const source = document.querySelector("#larger-source");

export class Larger {
    #pictures;
    #model = null;
    #index = 0;
    #abort = null;

    /// `pictures` determines the order, and receives the focus afterwards.
    constructor(pictures) {
        this.#pictures = pictures;
        before.addEventListener("click", () => this.#step(-1));
        after.addEventListener("click", () => this.#step(1));
        dialog.addEventListener("keydown", event => {
            if (event.key === "ArrowLeft") this.#step(-1);
            if (event.key === "ArrowRight") this.#step(1);
        });
        // A click next to the dialog hits its backdrop, which belongs to it.
        dialog.addEventListener("click", event => event.target === dialog && dialog.close());
        dialog.addEventListener("close", () => this.#closed());
    }

    open(model, index) {
        this.#model = model;
        if (!dialog.open) dialog.showModal();
        this.#show(index);
    }

    #step(by) {
        const {order} = this.#pictures;
        const next = order[order.indexOf(this.#index) + by];
        if (next !== undefined) this.#show(next);
    }

    #show(index) {
        this.#index = index;
        const entry = this.#model.entries[index];
        const {order} = this.#pictures;
        const position = order.indexOf(index);
        document.querySelector("#larger-name").textContent = nameOf(entry.url);
        before.setAttribute("aria-disabled", position <= 0);
        after.setAttribute("aria-disabled", position >= order.length - 1);
        this.#linkSource(entry.url);
        facts.replaceChildren(...factsOf(entry, index).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
        this.#abort?.abort();
        entry.status === "ok" ? this.#load(entry, index) : place.replaceChildren(reason(entry));
    }

    async #load(entry, index) {
        const abort = new AbortController();
        this.#abort = abort;
        place.replaceChildren();
        // The space is reserved from the start, so that nothing moves when the image arrives.
        place.style.aspectRatio = entry.width && entry.height ? `${entry.width} / ${entry.height}` : "1";
        try {
            const small = await fetched(entry.src, nameOf(entry.url), abort.signal);
            if (abort.signal.aborted) return;
            place.replaceChildren(small);
            const route = `/api/walls/${encodeURIComponent(this.#model.id)}/pictures/${index}`;
            const {src} = await get(route, {side: sideFor(Math.max(place.clientWidth, place.clientHeight))}, abort.signal);
            const large = await fetched(src, nameOf(entry.url), abort.signal);
            if (!abort.signal.aborted) place.replaceChildren(large);
        } catch (error) {
            // If there is no larger image, the small one is sufficient.
            if (!isAbort(error) && !place.querySelector("img")) place.replaceChildren(h("p.problem", {role: "alert"}, error.message));
        }
    }

    #linkSource(url) {
        const isWeb = /^https?:/i.test(url);
        source.hidden = !isWeb;
        if (isWeb) source.href = url;
        else source.removeAttribute("href");
    }

    #closed() {
        this.#abort?.abort();
        place.replaceChildren();
        this.#pictures.focus(this.#index);
    }
}

function factsOf(entry, index) {
    const all = [["Position", figure(index + 1)]];
    if (entry.status !== "ok") return [...all, ["Reason", entry.code], ["URL", entry.url]];
    if (entry.width && entry.height) all.push(["Size", `${figure(entry.width)} × ${figure(entry.height)}`]);
    if (entry.bytes !== undefined) all.push(["Bytes", bytes(entry.bytes)]);
    if (entry.milliseconds !== undefined) all.push(["Time", time(entry.milliseconds)]);
    if (entry.cache) all.push(["From the cache", CACHES[entry.cache] ?? entry.cache]);
    return [...all, ["URL", entry.url]];
}

function reason(entry) {
    place.style.aspectRatio = "";
    return h("div.larger-reason", {}, h("p", {}, h("strong", {}, meaning(entry.code))), h("p.muted", {}, entry.message ? sentence(entry.message) : ""));
}
