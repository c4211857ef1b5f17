// The occupancy of the pipeline's gates, and the counters.

import {figure, h} from "../lib/dom.js";
import {bytes} from "../lib/words.js";

const GATES = [
    ["names", "Name lookups", figure], ["connections", "Connections", figure], ["queue", "Requests", figure], ["encodedBytes", "Bytes in flight", bytes],
    ["decodes", "Decodes", figure], ["decodedBytes", "Decode memory", bytes],
];
/// A gate that is at least this full delays others.
const FULL = 0.9;

const place = document.querySelector("#gates");
const made = new Map();

export function tellGates(gates) {
    for (const [key, title, unit] of GATES) {
        const gate = gates[key];
        if (gate) tell(made.get(key) ?? make(key, title), gate, unit);
    }
    document.querySelector("#flights").textContent = figure(gates.flights ?? 0);
}

export function tellCounts(counts) {
    for (const [key, count] of Object.entries(counts)) {
        const field = document.querySelector(`#count-${key}`);
        if (!field) continue;
        field.textContent = figure(count);
        field.classList.toggle("is-bad", count > 0 && (key === "failed" || key === "cancelled"));
    }
}

function make(key, title) {
    const parts = {
        meter: h("div.meter", {role: "meter", "aria-label": title, "aria-valuemin": 0}, h("span")),
        value: h("span.numbers"), waiting: h("span.badge.warn", {hidden: true}),
    };
    parts.element = h("div.gate", {data: {gate: key}}, h("p.gate-head", {}, h("span", {}, title), parts.waiting), parts.meter, h("p.muted.small", {}, parts.value));
    made.set(key, parts);
    place.append(parts.element);
    return parts;
}

function tell({meter, value, waiting, element}, {used, limit, waiting: count = 0}, unit) {
    // A gate without a limit reports none.
    const share = limit > 0 ? Math.min(used / limit, 1) : 0;
    const text = limit > 0 ? `${unit(used)} of ${unit(limit)}` : unit(used);
    meter.firstElementChild.style.width = `${100 * share}%`;
    meter.setAttribute("aria-valuenow", used);
    meter.setAttribute("aria-valuemax", limit ?? used);
    meter.setAttribute("aria-valuetext", text);
    value.textContent = text;
    element.dataset.full = share >= FULL;
    waiting.hidden = count === 0;
    waiting.textContent = `${figure(count)} wait`;
}
