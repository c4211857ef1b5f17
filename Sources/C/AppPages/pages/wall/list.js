// The list of URLs or table with captions: typed, pasted or dropped text, or a file, which is not shown because it may be long.

import {debounced, figure} from "../lib/dom.js";

/// The maximum number of entries of a wall, and of bytes that are read of a file.
const MOST_ENTRIES = 10_000;
const MOST_BYTES = 16 << 20;
/// A line that is neither empty nor a comment.
const LINE = /^[ \t]*[^\s#].*$/gm;
/// A row of a table as CSV or TSV, in which a quoted value may have several lines.
const ROW = /(?:[^"\n]+|"[^"]*(?:"|$))+/g;
const COUNT_DELAY = 150;

const zone = document.querySelector("#from-list");
const field = document.querySelector("#list");
const input = document.querySelector("#list-file");

let file = null;

/// The text for the server: the list up to its last entry for which there is room.
export function listText() {
    const text = wholeText();
    const last = entriesOf(text).entries[MOST_ENTRIES - 1];
    return last ? text.slice(0, last.index + last[0].length) : text;
}

/// Returns the entries of a list as matches, and whether it is a table. The server, which reads it, has the last word.
function entriesOf(text) {
    const first = new RegExp(LINE.source, "m").exec(text)?.[0].trim() ?? "";
    const isObject = first.startsWith("{");
    const hasHeader = !first.includes("://") && (/^"?url"?$/i.test(first) || (!isObject && /[,\t]/.test(first)));
    // Commas may belong to a URL, which has neither spaces nor quotes.
    const isRow = hasHeader || (!isObject && (first.includes("\t") || (first.includes(",") && /[ "]/.test(first))));
    const found = [...text.matchAll(isRow ? ROW : LINE)].filter(([row]) => row.trim() !== "");
    return {entries: hasHeader ? found.slice(1) : found, isTable: isRow || isObject};
}

function wholeText() {
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
    const isCut = chosen.size > MOST_BYTES;
    const text = await chosen.slice(0, MOST_BYTES).text();
    file = {name: chosen.name, text: isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text, isCut};
    tell();
}

function forget() {
    file = null;
    tell();
    field.focus();
}

function tell() {
    const {entries, isTable} = entriesOf(wholeText());
    field.hidden = file !== null;
    document.querySelector("#list-taken").hidden = file === null;
    document.querySelector("#list-name").textContent = file?.name ?? "";
    say(words(entries.length, isTable ? ["row", "rows"] : ["URL", "URLs"]));
}

function words(count, [one, many]) {
    const isCut = file?.isCut ?? false;
    if (count === 0) return "One URL per line, or a table with captions as CSV or JSONL. You can also drop a file here.";
    if (count > MOST_ENTRIES || isCut) {
        const all = isCut ? "" : ` of ${figure(count)}`;
        return `The first ${figure(Math.min(count, MOST_ENTRIES))}${all} ${many} will be loaded. The command “calotype dataset” loads lists of any length.`;
    }
    return count === 1 ? `1 ${one}` : `${figure(count)} ${many}`;
}

function say(text) {
    document.querySelector("#list-count").textContent = text;
}
