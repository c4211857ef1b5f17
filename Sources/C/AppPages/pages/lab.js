// The lab: the same images in six ways, at the same time, on the real engine.

import {isAbort, post, send} from "./lib/api.js";
import {h} from "./lib/dom.js";
import {events} from "./lib/events.js";
import "./lib/nav.js";
import {Card} from "./lab/card.js";
import {tour} from "./lab/tour.js";
import {STATES, swift, WAYS} from "./lab/ways.js";

const COUNT = 24;
const UNITS = {latency: " ms", failures: " %", width: ""};

const $ = id => document.getElementById(id);
const cards = new Map(WAYS.map(way => [way.name, new Card(way, COUNT)]));
let fault = null;
let run = null;
let guide = new AbortController();

$("ways").append(...[...cards.values()].map(card => card.element));
$("legend").append(...Object.entries(STATES).map(([name, {sign, word}]) =>
    h("li", {}, h("span.lab-cell", {data: {state: name}, "aria-hidden": true}, sign), word)));
for (const chip of $("presets").children) chip.addEventListener("click", () => set(chip.dataset));
for (const chip of $("faults").children) {
    chip.addEventListener("click", () => hurt(fault === chip.dataset.fault ? null : chip.dataset.fault));
}
for (const name of Object.keys(UNITS)) $(name).addEventListener("input", tellValues);
$("start").addEventListener("click", () => begin());
$("cancel").addEventListener("click", cancel);
$("tour").addEventListener("click", show);
addEventListener("pagehide", () => run?.abort.abort());
tellValues();
showSwift();

async function showSwift() {
    try {
        const source = await (await send("GET", "/app/lab/ways.swift")).text();
        for (const {name, code} of WAYS) cards.get(name).swift = swift(source, code);
    } catch (error) {
        if (!isAbort(error)) complain(error.message);
    }
}

/// Sets sliders, and the fault if one is given.
function set(values) {
    for (const name of Object.keys(UNITS)) if (name in values) $(name).value = values[name];
    tellValues();
    if ("fault" in values) hurt(values.fault);
}

function tellValues() {
    for (const [name, unit] of Object.entries(UNITS)) {
        $(`${name}-value`).textContent = `${$(name).value}${unit}`;
        $(name).setAttribute("aria-valuetext", `${$(name).value}${unit}`);
    }
}

/// The user starts a run: a tour ends.
function begin() {
    guide.abort();
    say("");
    return start();
}

/// Runs all ways, and returns when all have ended; a run in progress ends first.
async function start() {
    run?.abort.abort();
    const mine = (run = {id: null, abort: new AbortController()});
    complain("");
    for (const card of cards.values()) card.clear("starting");
    $("cancel").disabled = false;
    const settings = {fault, ...Object.fromEntries(Object.keys(UNITS).map(name => [name, Number($(name).value)]))};
    let hasEnded = false;
    try {
        for await (const {event, data} of events("POST", "/api/lab", {json: settings, signal: mine.abort.signal})) {
            if (event === "lab") {
                mine.id = data.id;
            } else if (event === "ways") {
                for (const way of data.ways) cards.get(way.way)?.show(way, data.now);
            } else if (event === "end") {
                hasEnded = true;
            }
        }
        if (!hasEnded) complain("The server ended the comparison early.");
    } catch (error) {
        if (!isAbort(error)) complain(error.message);
    } finally {
        if (run === mine) {
            run = null;
            $("cancel").disabled = true;
            if (!hasEnded) for (const card of cards.values()) card.interrupt();
        }
    }
}

async function cancel() {
    if (!run?.id) return run?.abort.abort();
    await order("cancel");
}

/// Sets the fault of the servers from now on; `null` for none.
function hurt(name) {
    fault = name;
    for (const chip of $("faults").children) chip.setAttribute("aria-pressed", chip.dataset.fault === name);
    if (run?.id) order("fault", {fault});
}

async function order(what, json) {
    try {
        await post(`/api/lab/${encodeURIComponent(run.id)}/${what}`, json);
    } catch (error) {
        // A run that has just ended is what was wanted.
        if (!isAbort(error) && error.status !== 404) complain(error.message);
    }
}

async function show() {
    guide.abort();
    guide = new AbortController();
    try {
        await tour({set, start, cancel, say}, guide.signal);
    } catch (error) {
        if (!isAbort(error)) complain(error.message);
    }
}

function say(text) {
    $("caption").textContent = text;
}

function complain(text) {
    $("problem").textContent = text;
}
