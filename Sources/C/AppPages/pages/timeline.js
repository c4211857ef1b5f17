// The timeline: the pipeline's work now and in the last minute, from the server's own trace.

import "./lib/nav.js";
import {debounced, figure} from "./lib/dom.js";
import {follow} from "./lib/live.js";
import {SPAN} from "./live/loads.js";
import {Details} from "./timeline/details.js";
import {Gates} from "./timeline/gates.js";
import {Measure} from "./timeline/measure.js";
import {Minimap} from "./timeline/minimap.js";
import {TimelineModel} from "./timeline/model.js";
import {MovingChart} from "./timeline/moving.js";
import {STEP, steer} from "./timeline/steering.js";
import {LoadTable} from "./timeline/table.js";
import {download, traceOf} from "./timeline/trace.js";
import {WaitingLane} from "./timeline/waits.js";

/// Interval for updating what is not drawn, in milliseconds: the table, details, finished loads.
const TELL_INTERVAL = 500;
/// Interval for announcements to screen readers.
const SPEAK_INTERVAL = 10_000;
/// The pause after which a filter applies, in milliseconds.
const FILTER_PAUSE = 150;
const GATES = ["names", "connections", "hosts", "queue", "encodedBytes", "decodes", "decodedBytes"];

const $ = id => document.getElementById(id);
const model = new TimelineModel();
const chart = new MovingChart(model, $("chart"));
const gates = new Gates($("gates"), GATES);
const details = new Details($("details"));
const table = new LoadTable(load => chart.select(load));
const minimap = new Minimap(model, chart.window, $("minimap"));
const measure = new Measure(model, chart, $("chart"), $("area"), $("measure"));
const waiting = new WaitingLane($("waiting"), load => chart.select(load));

let spokenAt = 0;

table.onchange = tell;
chart.onselect = load => details.tell(load, chart.now, model);
chart.ondraw = () => minimap.draw();
chart.window.onchange = tellWindow;
steer(chart, $("chart"), event => measure.isMeasuring(event));
$("pause").addEventListener("click", togglePause);
$("chart").addEventListener("keydown", event => {
    if (event.key !== " ") return;
    event.preventDefault();
    togglePause();
});
$("zoom-in").addEventListener("click", () => chart.window.zoom(1 / STEP));
$("zoom-out").addEventListener("click", () => chart.window.zoom(STEP));
$("span").addEventListener("change", () => (chart.span = Number($("span").value)));
$("group").addEventListener("change", () => arrange(() => model.group($("group").value)));
$("filter").addEventListener("input", debounced(FILTER_PAUSE, () => arrange(() => model.filter($("filter").value))));
$("export").addEventListener("click", () => download(traceOf([...model.loads.values()], chart.now)));
chart.span = Number($("span").value);
arrange(() => {
    model.group($("group").value);
    model.filter($("filter").value);
});
follow(take);
setInterval(tell, TELL_INTERVAL);
chart.start();

function take({event, data}) {
    if (event === "asleep") return tellConnection("", "asleep");
    if (event === "lost") {
        $("problem").textContent = `${data} Retrying…`;
        return tellConnection("bad", "not connected");
    }
    if (event === "state") begin(data);
    else model.take(data);
    chart.redraw();
    gates.tell(model.gates);
    tellCounts();
}

function begin(data) {
    model.begin(data);
    chart.begin();
    tellConnection("good", "live");
    $("problem").textContent = "";
    tell();
}

function tellConnection(kind, word) {
    $("connection").className = `badge ${kind}`;
    $("connection").textContent = word;
}

function tellCounts() {
    $("flights").textContent = figure(model.gates.flights);
    for (const [key, count] of Object.entries(model.counts)) {
        const field = $(`count-${key}`);
        if (!field) continue;
        field.textContent = figure(count);
        field.classList.toggle("is-bad", count > 0 && (key === "failed" || key === "cancelled"));
    }
}

function tell() {
    model.forget(chart.now - SPAN);
    $("nothing").hidden = model.loads.size > 0;
    if (document.hidden) return;
    table.show(model, chart.now);
    details.tell(chart.selected, chart.now, model);
    waiting.tell(model);
    speak();
}

/// Shows other loads, or the same ones in other lanes.
function arrange(change) {
    change();
    chart.area = null;
    measure.tell();
    chart.redraw();
    tell();
}

function speak() {
    const time = performance.now();
    if (time - spokenAt < SPEAK_INTERVAL) return;
    spokenAt = time;
    const {failed = 0, cancelled = 0} = model.counts;
    $("live").textContent = `${model.running.length} loads running; since the start, ${failed} failed and ${cancelled} were cancelled`;
}

function togglePause() {
    if (chart.window.isLive) chart.window.hold();
    else chart.window.goLive();
}

/// The visible period is another one.
function tellWindow() {
    const {isLive, span} = chart.window;
    $("pause-word").textContent = isLive ? "Pause" : "Back to live";
    $("pause-sign").setAttribute("href", `/app/symbols.svg#${isLive ? "pause" : "live"}`);
    $("pause").classList.toggle("main", !isLive);
    $("chart").classList.toggle("is-paused", !isLive);
    const choice = [...$("span").options].find(({value}) => Math.abs(Number(value) - span) < 1);
    $("span").value = choice?.value ?? "zoomed";
    chart.redraw();
}
