// The last minute at a glance: how many loads ran, and the visible period, which can be dragged.

import {SPAN} from "../live/loads.js";
import {Palette} from "./palette.js";
import {drag} from "./steering.js";

/// The part of the period by which an arrow key pans.
const PART = 0.2;
/// The number of loads that fills the height, at least.
const LEAST_HEIGHT = 8;

export class Minimap {
    #model;
    #period;
    #view;
    #canvas;
    #context;
    #palette;

    /// Shows `model` and `period`, a `TimeWindow`, in `view`, a slider that contains a canvas.
    constructor(model, period, view) {
        this.#model = model;
        this.#period = period;
        this.#view = view;
        this.#canvas = view.querySelector("canvas");
        this.#context = this.#canvas.getContext("2d");
        this.#palette = new Palette(view);
        new ResizeObserver(() => this.draw()).observe(view);
        view.addEventListener("keydown", event => this.#pressed(event));
        drag(view, event => {
            const time = this.#time(event.clientX);
            // A period that is not under the pointer comes to it.
            if (time < period.start || time > period.end) period.pan(time - (period.start + period.end) / 2);
            let x = event.clientX;
            return next => {
                period.pan(((next.clientX - x) / view.clientWidth) * SPAN);
                x = next.clientX;
            };
        });
    }

    draw() {
        const {clientWidth: width, clientHeight: height} = this.#view;
        const scale = devicePixelRatio || 1;
        this.#canvas.width = Math.round(width * scale);
        this.#canvas.height = Math.round(height * scale);
        const context = this.#context;
        context.setTransform(scale, 0, 0, scale, 0, 0);
        this.#drawLoads(width, height);
        this.#drawWindow(width, height);
        this.#tell();
    }

    /// The number of loads at each time, as a curve; failed and cancelled loads as marks below it.
    #drawLoads(width, height) {
        const {oldest, newest} = this.#period;
        const changes = new Array(width + 2).fill(0);
        const column = time => Math.min(Math.max(Math.round(((time - oldest) / SPAN) * width), 0), width);
        const ends = [];
        for (const load of this.#model.loads.values()) {
            const end = load.end ?? newest;
            if (end < oldest || load.start > newest || !this.#model.matches(load)) continue;
            changes[column(load.start)] += 1;
            changes[column(end) + 1] -= 1;
            if (load.state === "failed" || load.state === "cancelled") ends.push(column(end));
        }
        let [count, most] = [0, LEAST_HEIGHT];
        const counts = changes.map(change => (count += change));
        for (const one of counts) most = Math.max(most, one);
        this.#context.fillStyle = this.#palette.muted;
        counts.forEach((loads, x) => {
            const top = (loads / most) * (height - 6);
            if (loads > 0) this.#context.fillRect(x, height - 4 - top, 1, Math.max(top, 1));
        });
        this.#context.fillStyle = this.#palette.stop;
        for (const x of ends) this.#context.fillRect(x - 1, height - 3, 2, 3);
    }

    #drawWindow(width, height) {
        const {oldest, start, end} = this.#period;
        const left = ((start - oldest) / SPAN) * width;
        const right = ((end - oldest) / SPAN) * width;
        const context = this.#context;
        context.globalAlpha = 0.65;
        context.fillStyle = this.#palette.sunken;
        context.fillRect(0, 0, left, height);
        context.fillRect(right, 0, width - right, height);
        context.globalAlpha = 1;
        context.strokeStyle = this.#palette.accent;
        context.lineWidth = 2;
        context.strokeRect(left + 1, 1, Math.max(right - left - 2, 2), height - 2);
    }

    #tell() {
        const {newest, start, end, isLive} = this.#period;
        const ago = time => `${((newest - time) / 1000).toFixed(1)} s`;
        this.#view.setAttribute("aria-valuenow", Math.round((end - newest) / 1000));
        this.#view.setAttribute("aria-valuetext", `from ${ago(start)} ago to ${isLive || end >= newest ? "now" : `${ago(end)} ago`}${isLive ? "" : ", held"}`);
    }

    #time(clientX) {
        const box = this.#view.getBoundingClientRect();
        return this.#period.oldest + ((clientX - box.left) / box.width) * SPAN;
    }

    #pressed(event) {
        const period = this.#period;
        const acts = {
            ArrowLeft: () => period.pan(-period.span * PART), ArrowDown: () => period.pan(-period.span * PART),
            ArrowRight: () => period.pan(period.span * PART), ArrowUp: () => period.pan(period.span * PART),
            Home: () => period.pan(-Infinity), End: () => period.goLive(),
        };
        if (!acts[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        acts[event.key]();
    }
}
