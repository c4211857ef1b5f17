// The demo: a wall of small images on the overview. It ends when the page is left.

import {isAbort, remove} from "../lib/api.js";
import {figure, h} from "../lib/dom.js";
import {events} from "../lib/events.js";
import {sideFor} from "../lib/sides.js";

/// The size of an image in CSS pixels.
const SIDE = 48;
/// The number of empty places before the first run; the page shows three rows.
const PLACES = 120;
const $ = id => document.getElementById(id);

let abort = null;
/// The wall that is running.
let wall = null;

/// Makes the demo's buttons work; `ended()` is called at the end of each run.
export function prepareDemo(ended) {
    $("demo").addEventListener("click", () => run().finally(ended));
    $("demo-cancel").addEventListener("click", cancel);
    addEventListener("pagehide", cancel);
    $("demo-grid").replaceChildren(...places(PLACES));
}

function places(count) {
    return Array.from({length: count}, () => h("span"));
}

function cancel() {
    abort?.abort();
    if (wall) remove(`/api/walls/${encodeURIComponent(wall)}`, {keepalive: true}).catch(() => {}); // without viewers it ends anyway
    wall = null;
}

async function run() {
    cancel();
    const mine = (abort = new AbortController());
    const start = performance.now();
    let cells = [];
    $("demo-problem").textContent = "";
    $("demo-cancel").disabled = false;
    try {
        const json = {search: "photo", side: sideFor(SIDE)};
        for await (const {event, data} of events("POST", "/api/walls", {json, signal: mine.signal})) {
            if (event === "wall") {
                wall = data.id;
                cells = places(data.total);
                $("demo-grid").replaceChildren(...cells);
                $("demo-grid").classList.add("begun");
            } else if (event === "entries") {
                for (const entry of data.entries) show(cells[entry.index], entry);
            } else if (event === "end") {
                wall = null;
                const seconds = ((performance.now() - start) / 1000).toFixed(1);
                say(`${figure(data.ok)} images in ${seconds} s${data.failed > 0 ? `, ${figure(data.failed)} failed` : ""}. Run it again: now they come from memory.`);
            }
        }
    } catch (error) {
        if (!isAbort(error)) $("demo-problem").textContent = error.message;
        else if (abort === mine) cancelled(cells);
    } finally {
        if (abort === mine) $("demo-cancel").disabled = true;
    }
}

function show(cell, {status, src}) {
    if (status === "ok") cell.replaceChildren(h("img", {src, alt: "", decoding: "async"}));
    else cell.dataset.state = "failed";
}

/// Loads that had not finished have stopped on the server, too.
function cancelled(cells) {
    const rest = cells.filter(cell => !cell.firstChild && cell.dataset.state !== "failed");
    for (const cell of rest) cell.dataset.state = "cancelled";
    say(`Cancelled: ${figure(rest.length)} images were not loaded.`);
}

function say(text) {
    $("demo-text").textContent = text;
    $("demo-status").textContent = text;
}
