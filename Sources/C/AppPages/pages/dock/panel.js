// What the dock shows: the loads of the last seconds, the gates, the throughput, and the details of a load.

import {figure} from "../lib/dom.js";
import {follow} from "../lib/live.js";
import {bytes, nameOf} from "../lib/words.js";
import {Details} from "../timeline/details.js";
import {Gates} from "../timeline/gates.js";
import {TimelineModel} from "../timeline/model.js";
import {MovingChart} from "../timeline/moving.js";

const SPAN = 12_000;
/// Interval for updating what is not drawn, in milliseconds.
const TELL_INTERVAL = 500;
/// Lower than on the timeline, so that more lanes are visible.
const SIZES = {lane: 10, bar: 7, axis: 18, hits: 14};
const GATES = ["connections", "hosts", "decodes", "decodedBytes"];

const $ = id => document.getElementById(`dock-${id}`);
const model = new TimelineModel();
const chart = new MovingChart(model, $("chart"), SIZES);
const gates = new Gates($("gates"), GATES);
const details = new Details($("details"));

let leave = null;
let timer = 0;

chart.span = SPAN;
chart.onselect = load => {
    tellDetails(load);
    $("status").textContent = load ? `${nameOf(load.source)}, ${load.state}` : "";
};
document.addEventListener("visibilitychange", () => leave && run(!document.hidden));

export const panel = {
    /// Shows the pipeline's work from now on, or stops.
    show(isOpen) {
        if (isOpen === (leave !== null)) return;
        leave?.();
        leave = isOpen ? follow(take) : null;
        run(isOpen && !document.hidden);
    },
};

/// Moves the chart and updates the rest, or stops.
function run(isRunning) {
    clearInterval(timer);
    if (!isRunning) return chart.stop();
    timer = setInterval(tell, TELL_INTERVAL);
    chart.start();
}

function take({event, data}) {
    if (event === "asleep") return tellConnection("", "asleep");
    if (event === "lost") return tellConnection("bad", "not connected");
    if (event === "change") {
        model.take(data);
    } else {
        model.begin(data);
        chart.begin();
        tellConnection("good", "live");
    }
    chart.redraw();
    gates.tell(model.gates);
    tell();
}

function tellConnection(kind, word) {
    $("connection").className = `badge ${kind}`;
    $("connection").textContent = word;
}

function tell() {
    // A selected load stays although it has left the chart.
    model.forget(chart.now - SPAN);
    $("nothing").hidden = model.loads.size > 0;
    const {loads, bytes: received} = model.throughput;
    $("rate").textContent = `${loads < 10 ? loads.toFixed(1) : figure(Math.round(loads))} images/s · ${bytes(Math.round(received))}/s`;
    if (chart.selected) tellDetails(chart.selected);
}

function tellDetails(load) {
    details.tell(load, chart.now, model);
}
