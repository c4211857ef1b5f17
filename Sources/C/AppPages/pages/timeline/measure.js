// The stages in an area of the chart: how many, and how long they took.

import {figure, h} from "../lib/dom.js";
import {time} from "../lib/words.js";
import {drag} from "./steering.js";

/// The part of the visible period by which a key moves an edge of the area.
const PART = 0.05;

export class Measure {
    #model;
    #chart;
    #place;
    #button;

    /// Measures in `chart`, a `MovingChart` of `model` in `view`, and shows the result in `place`. Shift and dragging
    /// select an area; while `button` is pressed, so does dragging alone.
    constructor(model, chart, view, place, button) {
        this.#model = model;
        this.#chart = chart;
        this.#place = place;
        this.#button = button;
        button.addEventListener("click", () => this.#toggle());
        view.addEventListener("keydown", event => this.#pressed(event));
        drag(view, event => this.isMeasuring(event) ? this.#begin(event) : null);
    }

    /// Whether a pointer that presses here selects an area.
    isMeasuring({shiftKey}) {
        return shiftKey || this.#isOn;
    }

    /// Updates the result.
    tell() {
        const {area} = this.#chart;
        this.#place.hidden = !area;
        if (area) this.#place.replaceChildren(...tableOf(area, stagesIn(this.#model.shown, area), () => this.#clear()));
    }

    get #isOn() {
        return this.#button.getAttribute("aria-pressed") === "true";
    }

    #toggle() {
        this.#button.setAttribute("aria-pressed", String(!this.#isOn));
    }

    #begin(event) {
        const [time, lane] = [this.#chart.timeAt(event.clientX), this.#chart.laneAt(event.clientY)];
        // What is measured must not move away under the pointer.
        this.#chart.window.hold();
        return next => {
            const ends = [time, this.#chart.timeAt(next.clientX)].sort((one, other) => one - other);
            const lanes = [lane, this.#chart.laneAt(next.clientY)].map(number => Math.max(number, 0)).sort((one, other) => one - other);
            this.#select({start: ends[0], end: ends[1], lanes});
        };
    }

    /// M selects the whole visible period; Shift and the left and right keys move the end of the area, the up and
    /// down keys its beginning.
    #pressed(event) {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const {window: period, area} = this.#chart;
        if (event.key === "Escape") return this.#clear();
        const by = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
        if (event.key.toLowerCase() !== "m" && !(by && event.shiftKey)) return;
        event.preventDefault();
        period.hold();
        const {start, end, lanes} = by && area ? area : {start: period.start, end: period.end, lanes: null};
        const step = (by ?? 0) * PART * period.span;
        if (event.key === "ArrowUp" || event.key === "ArrowDown") this.#select({start: Math.min(start + step, end), end, lanes});
        else this.#select({start, end: Math.max(end + step, start), lanes});
    }

    #select(area) {
        this.#chart.area = area;
        this.tell();
    }

    #clear() {
        this.#select(null);
    }
}

/// Returns the number, the median and the 99th percentile of the ended stages that are at least partly in `area`, by
/// their name.
export function stagesIn(loads, {start, end, lanes}) {
    const durations = new Map();
    for (const load of loads) {
        if (lanes && !(load.lane?.number >= lanes[0] && load.lane.number <= lanes[1])) continue;
        for (const stage of load.stages) {
            if (stage.end === undefined || stage.end < start || stage.start > end) continue;
            if (!durations.has(stage.name)) durations.set(stage.name, []);
            durations.get(stage.name).push(stage.end - stage.start);
        }
    }
    return [...durations].map(([name, all]) => {
        all.sort((one, other) => one - other);
        return {name, count: all.length, median: percentile(all, 50), high: percentile(all, 99)};
    });
}

/// Returns the value that at least `percent` of the values do not exceed.
function percentile(sorted, percent) {
    return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)];
}

function tableOf({start, end}, stages, clear) {
    const title = `Selected area: ${time(end - start)}, ${stages.length === 0 ? "no stages that have ended" : "stages that have ended"}`;
    const head = h("div.area-head", {}, h("h3", {id: "area-title"}, title), h("button.button.compact", {type: "button", onclick: clear}, "Clear"));
    if (stages.length === 0) return [head];
    const rows = stages.map(({name, count, median, high}) => h("tr", {data: {stage: name}},
        h("th", {scope: "row"}, name), h("td.numbers", {}, figure(count)), h("td.numbers", {}, time(median)), h("td.numbers", {}, time(high))));
    const names = h("tr", {}, ["Stage", "Count", "Median", "99th percentile"].map(text => h("th", {scope: "col"}, text)));
    return [head, h("table", {"aria-labelledby": "area-title"}, h("thead", {}, names), h("tbody", {}, rows))];
}
