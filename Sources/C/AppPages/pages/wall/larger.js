// What the larger view of a wall's entry shows: its image or error, and its details.

import {get, sentence} from "../lib/api.js";
import {figure, h} from "../lib/dom.js";
import {Larger} from "../lib/larger.js";
import {bytes, meaning, time} from "../lib/words.js";
import {nameIn} from "./model.js";

const CACHES = {
    memory: "yes, from memory", hit: "yes, from disk", stale: "yes, stale", revalidated: "yes, revalidated",
    shared: "no, shared another load", miss: "no",
};

/// Returns the larger view of the entries of `model()`, by index; `pictures` determines the order, and receives the
/// focus afterwards. `retry(index)` loads an entry again.
export function largerEntries(pictures, model, retry) {
    return new Larger({
        describe: index => described(model(), index, retry),
        neighbour: (index, by) => pictures.order[pictures.order.indexOf(index) + by],
        closed: index => pictures.focus(index),
    });
}

function described({id, entries, isRunning}, index, retry) {
    const entry = entries[index];
    const larger = async (side, signal) => (await get(`/api/walls/${encodeURIComponent(id)}/pictures/${index}`, {side}, signal)).src;
    return {
        name: nameIn(entry), caption: entry.caption, facts: factsOf(entry, index), source: entry.url,
        image: entry.status === "ok" ? {...entry, larger} : null,
        reason: entry.status === "ok" ? null : reason(entry, isRunning ? null : () => retry(index)),
    };
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

function reason(entry, retry) {
    const again = event => {
        event.currentTarget.closest("dialog").close();
        retry();
    };
    return h(
        "div.larger-reason", {}, h("p", {}, h("strong", {}, meaning(entry.code))), h("p.muted", {}, entry.message ? sentence(entry.message) : ""),
        retry ? h("button.button", {type: "button", onclick: again}, "Retry") : null,
    );
}
