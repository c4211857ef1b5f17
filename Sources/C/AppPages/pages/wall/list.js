// The list of URLs: typed, pasted or dropped text, or a file, which is not shown because it may be long.

import {debounced, figure} from "../lib/dom.js";

const MOST_BYTES = 16 << 20;
const COUNT_DELAY = 150;

const zone = document.querySelector("#from-list");
const field = document.querySelector("#list");
const input = document.querySelector("#list-file");

let file = null;

/// The text for the server.
export function listText() {
    return file?.text ?? field.value;
}

/// Lets the user type, choose or drop a list.
export function takeLists() {
    field.addEventListener("input", debounced(COUNT_DELAY, tell));
    input.addEventListener("change", async () => {
        await take(input.files[0]);
        input.value = "";
    });
    document.querySelector("#list-choose").addEventListener("click", () => input.click());
    document.querySelector("#list-forget").addEventListener("click", forget);
    takeDrops();
    tell();
}

function takeDrops() {
    zone.addEventListener("dragover", event => {
        event.preventDefault();
        zone.classList.add("is-over");
    });
    zone.addEventListener("dragleave", event => zone.classList.toggle("is-over", zone.contains(event.relatedTarget)));
    zone.addEventListener("drop", event => {
        event.preventDefault();
        zone.classList.remove("is-over");
        const {files} = event.dataTransfer;
        files.length > 0 ? take(files[0]) : add(event.dataTransfer);
    });
}

function add(transfer) {
    const text = transfer.getData("text/uri-list") || transfer.getData("text/plain");
    field.value = field.value.trim() ? `${field.value.trimEnd()}\n${text}` : text;
    tell();
}

async function take(chosen) {
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) return say(`${chosen.name} is too large for a list of URLs.`);
    file = {name: chosen.name, text: await chosen.text()};
    tell();
}

function forget() {
    file = null;
    tell();
    field.focus();
}

function tell() {
    const count = countURLs(listText());
    field.hidden = file !== null;
    document.querySelector("#list-taken").hidden = file === null;
    document.querySelector("#list-name").textContent = file?.name ?? "";
    say(count === 0 ? "One URL per line. You can also drop a text file here." : count === 1 ? "1 URL" : `${figure(count)} URLs`);
}

function say(text) {
    document.querySelector("#list-count").textContent = text;
}

/// Counts the lines that are neither empty nor comments.
function countURLs(text) {
    return text.match(/^[ \t]*[^\s#].*$/gm)?.length ?? 0;
}
