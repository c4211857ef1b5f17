// A chart that moves with time, in which the user selects loads with the pointer or the arrow keys.

import {Chart, DELAY} from "./chart.js";
import {onColours} from "./palette.js";
import {TimeWindow} from "./window.js";

/// With reduced motion, the chart moves once in this time, in milliseconds.
const STILL_INTERVAL = 1000;

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class MovingChart {
    /// Called with the highlighted load, or `null`.
    onselect = () => {};
    /// Called when the chart has been drawn.
    ondraw = () => {};
    /// The visible period.
    window = new TimeWindow();
    #model;
    #view;
    #chart;
    #frame = 0;
    #pinned = null;
    #drawnAt = -Infinity;
    #isWanted = true;

    /// Shows `model` in `view`; `Chart` says what it contains, and what `sizes` are.
    constructor(model, view, sizes) {
        this.#model = model;
        this.#view = view;
        this.#chart = new Chart(model, this.window, view, sizes);
        this.window.onchange = () => this.redraw();
        view.addEventListener("scroll", () => this.redraw());
        onColours(() => this.redraw());
        new ResizeObserver(() => this.redraw()).observe(view);
        view.addEventListener("pointermove", ({clientX, clientY}) => this.#show(this.#chart.loadAt(clientX, clientY)));
        view.addEventListener("pointerleave", () => this.#show(null));
        view.addEventListener("click", ({clientX, clientY}) => this.select(this.#chart.loadAt(clientX, clientY)));
        view.addEventListener("keydown", event => this.#pressed(event));
    }

    /// The time of the newest data that can be shown.
    get now() {
        this.window.moveOn(this.#model.now - DELAY);
        return this.window.newest;
    }

    get selected() {
        return this.#chart.selected;
    }

    /// The length of the period in milliseconds.
    set span(span) {
        this.window.span = span;
    }

    /// The measured area, as `Chart` has it; `null` for none.
    get area() {
        return this.#chart.area;
    }

    set area(area) {
        this.#chart.area = area;
        this.redraw();
    }

    /// Returns the time at a horizontal position in the browser's window.
    timeAt(clientX) {
        return this.#chart.timeAt(clientX);
    }

    /// Returns the number of the lane at a vertical position in the browser's window.
    laneAt(clientY) {
        return this.#chart.laneAt(clientY);
    }

    /// Returns the time of a distance in CSS pixels.
    milliseconds(pixels) {
        return (pixels / this.#view.clientWidth) * this.window.span;
    }

    start() {
        if (this.#frame === 0) this.#next();
    }

    stop() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
    }

    /// The model has begun again with other loads.
    begin() {
        this.select(null);
    }

    /// Selects a load, which stays highlighted; `null` for none.
    select(load) {
        this.#pinned = load;
        if (load) this.#chart.reveal(load);
        this.#show(load);
    }

    /// Draws in the next frame, also with reduced motion and while nothing moves.
    redraw() {
        this.#drawnAt = -Infinity;
        this.#isWanted = true;
    }

    #next() {
        this.#frame = requestAnimationFrame(time => {
            this.#next();
            this.#draw(time);
        });
    }

    #draw(time) {
        if (stillness.matches && time - this.#drawnAt < STILL_INTERVAL) return;
        if (!this.#isWanted) return;
        this.#drawnAt = time;
        // A chart that is held or empty does not change.
        this.window.moveOn(this.#model.now - DELAY);
        this.#isWanted = this.window.isLive && this.#model.loads.size > 0;
        this.#chart.draw();
        this.ondraw();
    }

    /// Highlights the load under the pointer; over nothing, the selected one.
    #show(load) {
        const next = load ?? this.#pinned;
        if (next === this.selected) return;
        this.#chart.selected = next;
        this.redraw();
        this.onselect(next);
    }

    /// The arrow keys move between loads, in order of time or of lanes.
    #pressed(event) {
        if (event.key === "Escape") return this.select(null);
        const by = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
        if (!by || event.ctrlKey || event.shiftKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        const isByLane = event.key === "ArrowDown" || event.key === "ArrowUp";
        const number = ({lane}) => lane?.number ?? -1;
        const key = load => (isByLane ? [number(load), load.start] : [load.start, number(load)]);
        const all = this.#model.shown.toSorted((one, other) => key(one)[0] - key(other)[0] || key(one)[1] - key(other)[1]);
        const at = all.indexOf(this.#pinned);
        const next = at < 0 ? all.at(-1) : all[at + by];
        if (next) this.select(next);
    }
}
