// An album as a pool of images: all load in advance, a few at a time, and each press shows another one
// immediately.

import {get, isAbort} from "./lib/api.js";
import {failure, figure, h, notice, symbol} from "./lib/dom.js";
import "./lib/nav.js";
import {fetched} from "./lib/pictures.js";
import {sideFor} from "./lib/sides.js";

/// Number of images that load at a time; a browser opens no more connections to a host.
const LIMIT = 6;
/// The longer side of the picture, in CSS pixels.
const STAGE = 640;
/// Minimum time between two announcements of the counts.
const SAID_EVERY = 2000;

/// The images of one album. Each is waiting, loading, loaded or failed.
class Pool {
    #photos;
    #changed;
    #abort = new AbortController();
    /// Images that have not been shown in this round.
    #unseen = [];
    #shown = null;

    constructor(photos, changed) {
        this.#photos = photos.map(photo => ({...photo, state: "waiting"}));
        this.#changed = changed;
    }

    get states() {
        return this.#photos.map(photo => photo.state);
    }

    count(...states) {
        return this.#photos.filter(photo => states.includes(photo.state)).length;
    }

    /// Loads all waiting images, `LIMIT` at a time; returns when none is waiting.
    async fill() {
        await Promise.all(Array.from({length: LIMIT}, () => this.#work()));
    }

    /// Lets failed images wait again.
    async refill() {
        for (const photo of this.#photos) if (photo.state === "failed") photo.state = "waiting";
        this.#changed();
        await this.fill();
    }

    close() {
        this.#abort.abort();
    }

    /// Returns another loaded image, never the previous one; each is shown once before any is repeated.
    /// `null` if there is none.
    another() {
        const loaded = this.#photos.filter(photo => photo.state === "loaded" && photo !== this.#shown);
        if (loaded.length === 0) return null;
        let choice = loaded.filter(photo => this.#unseen.includes(photo));
        if (choice.length === 0) {
            this.#unseen = this.#photos.slice();
            choice = loaded;
        }
        const photo = choice[Math.floor(Math.random() * choice.length)];
        this.#unseen = this.#unseen.filter(other => other !== photo);
        this.#shown = photo;
        return photo;
    }

    async #work() {
        for (;;) {
            const photo = this.#photos.find(photo => photo.state === "waiting");
            if (!photo || this.#abort.signal.aborted) return;
            await this.#load(photo);
            if (!this.#abort.signal.aborted) this.#changed();
        }
    }

    async #load(photo) {
        photo.state = "loading";
        this.#changed();
        try {
            photo.image = await fetched(photo.src, photo.title, this.#abort.signal);
            photo.state = "loaded";
        } catch (error) {
            photo.state = isAbort(error) ? "waiting" : "failed";
            photo.problem = error.message;
        }
    }
}

const form = document.querySelector("#form");
const album = document.querySelector("#album");
const stage = document.querySelector("#stage");
const caption = document.querySelector("#caption");
const another = document.querySelector("#next");
const map = document.querySelector("#map");
const problem = document.querySelector("#problem");
const status = document.querySelector("#status");

/// The query of the current address.
let shown = "";
let opening = new AbortController();
let pool = null;
let isShown = false;
let said = 0;
let sayLater;

form.addEventListener("submit", event => {
    event.preventDefault();
    history.pushState(null, "", `/app/shuffle?album=${Number(album.value)}`);
    open();
});
another.addEventListener("click", next);
addEventListener("keydown", event => {
    const isControl = event.target.closest?.("button, a, input, select, textarea");
    if (event.key !== " " || isControl || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    next();
});
// The address also changes when the user skips to the content.
addEventListener("popstate", () => location.search === shown || open());
addEventListener("pagehide", leave);
addEventListener("pageshow", event => event.persisted && open());
open();

function leave() {
    opening.abort();
    pool?.close();
    clearTimeout(sayLater);
}

async function open() {
    leave();
    opening = new AbortController();
    const {signal} = opening;
    shown = location.search;
    const id = Number(new URLSearchParams(location.search).get("album")) || 1;
    album.value = id;
    pool = null;
    isShown = false;
    stage.replaceChildren();
    stage.dataset.state = "loading";
    caption.textContent = `Loading album ${id}…`;
    changed();
    try {
        const {photos} = await get(`/api/albums/${id}`, {side: sideFor(STAGE)}, signal);
        if (signal.aborted) return;
        if (photos.length === 0) return put("empty", notice({title: `Album ${id} is empty`, text: "Choose another album."}));
        const filling = new Pool(photos, () => pool === filling && changed());
        pool = filling;
        await pool.fill();
    } catch (error) {
        if (!signal.aborted && !isAbort(error)) put("failed", failure(`Couldn't load album ${id}`, error, open));
    }
}

function put(state, child) {
    stage.dataset.state = state;
    stage.replaceChildren(child);
    caption.textContent = "\u00a0";
}

function next() {
    const photo = pool?.another();
    if (!photo) return;
    isShown = true;
    put("loaded", photo.image);
    caption.textContent = photo.title;
    enable();
}

function enable() {
    another.disabled = !pool || pool.count("loaded") < (isShown ? 2 : 1);
}

/// Shows the progress of the pool.
function changed() {
    const states = pool?.states ?? [];
    const numbers = {
        loaded: pool?.count("loaded") ?? 0, waiting: pool?.count("waiting", "loading") ?? 0, failed: pool?.count("failed") ?? 0,
    };
    for (const [name, number] of Object.entries(numbers)) document.querySelector(`#${name}`).textContent = figure(number);
    while (map.childElementCount > states.length) map.lastElementChild.remove();
    while (map.childElementCount < states.length) map.append(document.createElement("span"));
    states.forEach((state, index) => (map.children[index].dataset.state = state));
    if (!isShown && numbers.loaded > 0) next();
    if (!isShown && pool && numbers.loaded + numbers.waiting === 0) nothing();
    enable();
    failures(numbers);
    say(numbers);
}

function nothing() {
    const text = "The album was found, but its images failed to load. Retry, or choose another album.";
    put("failed", notice({sign: "warning", bad: true, title: "Couldn't load any image", text}));
}

function failures({failed, waiting}) {
    if (failed === 0 || waiting > 0) return problem.replaceChildren();
    if (problem.childElementCount > 0) return;
    problem.append(h("button.button.compact", {type: "button", onclick: () => pool.refill()}, symbol("retry"), "Retry failed"));
}

/// Fifty images a second would be fifty sentences: only the last one is announced, within two seconds.
function say({loaded, waiting, failed}) {
    clearTimeout(sayLater);
    const wait = waiting === 0 ? 0 : Math.max(0, said + SAID_EVERY - performance.now());
    sayLater = setTimeout(() => {
        said = performance.now();
        status.textContent = pool ? `${loaded} loaded, ${waiting} waiting, ${failed} failed.` : "";
    }, wait);
}
