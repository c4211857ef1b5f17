// A chart that moves with time, in which the user selects loads with the pointer or the arrow keys.

import {Chart, DELAY} from "./chart.js";

/// With reduced motion, the chart moves once in this time, in milliseconds.
const STILL_INTERVAL = 1000;

const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const darkness = matchMedia("(prefers-color-scheme: dark)");

export class MovingChart {
    /// Called with the highlighted load, or `null`.
    onselect = () => {};
    #model;
    #chart;
    #frame = 0;
    #pausedAt = null;
    #pinned = null;
    #drawnAt = -Infinity;
    #isWanted = true;

    /// Shows `model` in `view`; `Chart` says what it contains, and what `sizes` are.
    constructor(model, view, sizes) {
        this.#model = model;
        this.#chart = new Chart(model, view, sizes);
        for (const [source, kind] of [[view, "scroll"], [darkness, "change"]]) source.addEventListener(kind, () => this.redraw());
        new ResizeObserver(() => this.redraw()).observe(view);
        view.addEventListener("pointermove", ({clientX, clientY}) => this.#show(this.#chart.loadAt(clientX, clientY)));
        view.addEventListener("pointerleave", () => this.#show(null));
        view.addEventListener("click", ({clientX, clientY}) => this.select(this.#chart.loadAt(clientX, clientY)));
        view.addEventListener("keydown", event => this.#pressed(event));
    }

    /// The end of the period that is shown.
    get now() {
        return this.#pausedAt ?? this.#model.now - DELAY;
    }

    get selected() {
        return this.#chart.selected;
    }

    get isPaused() {
        return this.#pausedAt !== null;
    }

    /// The length of the period in milliseconds.
    set span(span) {
        this.#chart.span = span;
        this.redraw();
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

    togglePause() {
        this.#pausedAt = this.isPaused ? null : this.now;
        this.redraw();
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
        // A chart that is paused or empty does not change.
        this.#isWanted = !this.isPaused && this.#model.loads.size > 0;
        this.#chart.draw(this.now);
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
        if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        const isByLane = event.key === "ArrowDown" || event.key === "ArrowUp";
        const key = load => (isByLane ? [load.lane ?? -1, load.start] : [load.start, load.lane ?? -1]);
        const all = [...this.#model.loads.values()].toSorted((one, other) => key(one)[0] - key(other)[0] || key(one)[1] - key(other)[1]);
        const at = all.indexOf(this.#pinned);
        const next = at < 0 ? all.at(-1) : all[at + by];
        if (next) this.select(next);
    }
}
