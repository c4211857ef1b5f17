// The timeline: the pipeline's work now and in the last minute, from the server's own trace.

import "./lib/nav.js";
import {isAbort} from "./lib/api.js";
import {events} from "./lib/events.js";
import {Chart, DELAY} from "./timeline/chart.js";
import {tellDetails} from "./timeline/details.js";
import {tellCounts, tellGates} from "./timeline/gates.js";
import {SPAN, TimelineModel} from "./timeline/model.js";
import {LoadTable} from "./timeline/table.js";

/// Interval for updating what is not drawn, in milliseconds: the table, details, finished loads.
const TELL_INTERVAL = 500;
/// Interval for announcements to screen readers.
const SPEAK_INTERVAL = 10_000;
const PAUSES = [500, 1000, 2000, 5000];
/// An invisible page disconnects from the server after this time.
const HIDDEN_LIMIT = 2000;
/// With reduced motion, the chart moves once in this time.
const STILL_INTERVAL = 1000;

const $ = id => document.getElementById(id);
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const model = new TimelineModel();
const view = $("chart");
const chart = new Chart(model, view);
const table = new LoadTable(load => select(load));

let abort = null;
let hideTimer = 0;
let pausedAt = null;
let drawnAt = 0;
let spokenAt = 0;
let pinned = null;

table.onchange = tell;
// With reduced motion, user actions still have an immediate effect.
for (const [source, kind] of [[view, "scroll"], [matchMedia("(prefers-color-scheme: dark)"), "change"]]) source.addEventListener(kind, redraw);
new ResizeObserver(redraw).observe(view);
$("pause").addEventListener("click", togglePause);
$("span").addEventListener("change", () => {
    chart.span = Number($("span").value);
    redraw();
});
view.addEventListener("pointermove", event => show(chart.loadAt(event.clientX, event.clientY)));
view.addEventListener("pointerleave", () => show(null));
view.addEventListener("click", event => select(chart.loadAt(event.clientX, event.clientY)));
view.addEventListener("keydown", pressed);
document.addEventListener("visibilitychange", seen);
follow();
setInterval(tell, TELL_INTERVAL);
requestAnimationFrame(frame);

/// Follows the server until the user leaves the page, and reconnects if the connection is lost.
async function follow() {
    let failures = 0;
    while (!document.hidden) {
        abort = new AbortController();
        try {
            for await (const {event, data} of events("GET", "/api/timeline", {signal: abort.signal})) {
                failures = 0;
                event === "state" ? begin(data) : model.take(data);
                tellGates(model.gates);
                tellCounts(model.counts);
            }
        } catch (error) {
            if (isAbort(error)) return;
            tellConnection("bad", "not connected");
            $("problem").textContent = `${error.message} Retrying…`;
        }
        await new Promise(resolve => setTimeout(resolve, PAUSES[Math.min(failures, PAUSES.length - 1)]));
        failures += 1;
    }
}

function begin(data) {
    model.begin(data);
    pinned = null;
    chart.selected = null;
    tellConnection("good", "live");
    $("problem").textContent = "";
    tell();
}

function tellConnection(kind, word) {
    $("connection").className = `badge ${kind}`;
    $("connection").textContent = word;
}

/// The page is invisible, so the server need not send. The first event after that contains the whole last
/// minute.
function seen() {
    clearTimeout(hideTimer);
    if (document.hidden) {
        hideTimer = setTimeout(() => {
            abort?.abort();
            abort = null;
            tellConnection("", "asleep");
        }, HIDDEN_LIMIT);
    } else if (abort === null) {
        follow();
    }
}

/// The end of the minute that is shown.
function shownNow() {
    return pausedAt ?? model.now - DELAY;
}

function frame(time) {
    requestAnimationFrame(frame);
    if (stillness.matches && time - drawnAt < STILL_INTERVAL) return;
    drawnAt = time;
    chart.draw(shownNow());
}

/// Draws in the next frame.
function redraw() {
    drawnAt = -Infinity;
}

function tell() {
    const now = shownNow();
    model.forget(now - SPAN);
    const isEmpty = model.loads.size === 0;
    $("nothing").hidden = !isEmpty;
    if (document.hidden) return;
    table.show(model, now);
    tellDetails(chart.selected, now, model.loads);
    speak();
}

function speak() {
    const time = performance.now();
    if (time - spokenAt < SPEAK_INTERVAL) return;
    spokenAt = time;
    const {failed = 0, cancelled = 0} = model.counts;
    $("live").textContent = `${model.running.length} loads running; since the start, ${failed} failed and ${cancelled} were cancelled`;
}

function togglePause() {
    pausedAt = pausedAt === null ? shownNow() : null;
    const isPaused = pausedAt !== null;
    redraw();
    $("pause-word").textContent = isPaused ? "Resume" : "Pause";
    $("pause-sign").setAttribute("href", `/app/symbols.svg#${isPaused ? "play" : "pause"}`);
    $("chart").classList.toggle("is-paused", isPaused);
}

/// Shows the load under the pointer; over nothing, the selection stays.
function show(load) {
    const next = load ?? pinned;
    if (next === chart.selected) return;
    chart.selected = next;
    redraw();
    tellDetails(next, shownNow(), model.loads);
}

function select(load) {
    pinned = load;
    if (load) chart.reveal(load);
    show(load);
}

/// The arrow keys move between loads, in order of time or of lanes.
function pressed(event) {
    if (event.key === "Escape") return select(null);
    if (event.key === " ") {
        event.preventDefault();
        return togglePause();
    }
    const by = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const isByLane = event.key === "ArrowDown" || event.key === "ArrowUp";
    const key = load => (isByLane ? [load.lane ?? -1, load.start] : [load.start, load.lane ?? -1]);
    const all = [...model.loads.values()].toSorted((one, other) => key(one)[0] - key(other)[0] || key(one)[1] - key(other)[1]);
    const at = all.indexOf(pinned);
    const next = at < 0 ? all.at(-1) : all[at + by];
    if (next) select(next);
}
