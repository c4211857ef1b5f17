// A robot for the typed text. A change removes the old robot immediately and cancels its load, so that a
// stale one never shows.

import {get, isAbort} from "./lib/api.js";
import {debounced} from "./lib/dom.js";
import "./lib/nav.js";
import {fetched} from "./lib/pictures.js";
import {sideFor} from "./lib/sides.js";

/// The delay after the last key; users type the letters of a word faster than this.
const PAUSE = 120;
const SIDE = 320;

const form = document.querySelector("#form");
const text = document.querySelector("#text");
const stage = document.querySelector("#stage");
const status = document.querySelector("#status");
const download = document.querySelector("#download");
const again = document.querySelector("#retry");

let running = new AbortController();
const load = debounced(PAUSE, () => robot(running.signal));

form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("input", change);
again.addEventListener("click", () => {
    change();
    text.focus();
});
addEventListener("pagehide", () => running.abort());
addEventListener("pageshow", event => event.persisted && change());
restore();

/// The address determines the settings.
function restore() {
    const query = new URLSearchParams(location.search);
    text.value = query.get("text") ?? "";
    for (const name of ["set", "background"]) {
        const choice = [...form.elements[name]].find(radio => radio.value === query.get(name));
        if (choice) choice.checked = true;
    }
    change();
}

/// Shows the placeholder, and requests the robot soon.
function change() {
    running.abort();
    running = new AbortController();
    load.cancel();
    placeholder();
    const {text: typed, ...style} = chosen();
    const query = new URLSearchParams(typed ? {text: typed, ...style} : {});
    history.replaceState(null, "", query.size > 0 ? `/app/robots?${query}` : "/app/robots");
    if (!typed) return tell("empty", "Type something to see its robot.");
    tell("loading", "\u00a0");
    load();
}

function chosen() {
    const set = form.elements.set.value;
    const background = form.elements.background.value;
    return {text: text.value.trim(), ...(set === "set1" ? {} : {set}), ...(background ? {background} : {})};
}

async function robot(signal) {
    const wanted = chosen();
    try {
        const picture = await get("/api/robot", {...wanted, side: sideFor(SIDE)}, signal);
        const image = await fetched(picture.src, `Robot of ${wanted.text}`, signal);
        if (!signal.aborted) show(image, picture, wanted.text);
    } catch (error) {
        if (!signal.aborted && !isAbort(error)) fail(error);
    }
}

function placeholder() {
    stage.querySelector("img")?.remove();
    again.hidden = true;
    download.removeAttribute("href");
    download.setAttribute("aria-disabled", "true");
}

function show(image, picture, typed) {
    stage.append(image);
    tell("loaded", `This is the robot of “${typed}”.`);
    download.href = picture.src;
    download.download = `${typed.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60) || "robot"}`;
    download.removeAttribute("aria-disabled");
}

function fail(error) {
    tell("failed", `Couldn't load the robot. ${error.message}`);
    again.hidden = false;
}

function tell(state, sentence) {
    stage.dataset.state = state;
    status.textContent = sentence;
}
