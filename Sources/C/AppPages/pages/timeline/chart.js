// The chart: one lane for each simultaneous load, with the newest on the right. It is drawn on a canvas of
// the size of the view, whatever the number of lanes, and only visible lanes are drawn.

import {SPAN} from "../live/loads.js";
import {Palette} from "./palette.js";

/// Heights in CSS pixels: of a lane, of the bars in it, of the axis, and of the strip of cache hits below it.
const SIZES = {lane: 18, bar: 12, axis: 22, hits: 20};
/// The right edge is this much later than the newest data, because the server reports changes a little late.
export const DELAY = 300;
const TICKS = 6;
/// Maximum distance between the pointer and a load, in CSS pixels.
const REACH = 5;

export class Chart {
    /// The highlighted load.
    selected = null;
    /// The displayed period in milliseconds.
    span = SPAN;
    #model;
    #view;
    #room;
    #canvas;
    #context;
    #palette;
    #lane;
    #bar;
    #axis;
    #hits;
    #top;
    #now = 0;

    /// Draws `model` in `view`, a scrolling element that contains a child with the height of all lanes, which
    /// contains a canvas. `sizes` are heights in CSS pixels, like those of the timeline.
    constructor(model, view, sizes = SIZES) {
        ({lane: this.#lane, bar: this.#bar, axis: this.#axis, hits: this.#hits} = sizes);
        this.#top = this.#axis + this.#hits;
        this.#model = model;
        this.#view = view;
        this.#room = view.firstElementChild;
        this.#canvas = view.querySelector("canvas");
        this.#context = this.#canvas.getContext("2d");
        this.#palette = new Palette(view);
    }

    /// Draws the period that ends at `now`.
    draw(now) {
        this.#now = now;
        const {width, height} = this.#fit();
        const context = this.#context;
        context.clearRect(0, 0, width, height);
        this.#drawAxis(width, height);
        this.#drawHits(width);
        context.save();
        context.beginPath();
        context.rect(0, this.#top, width, height - this.#top);
        context.clip();
        const first = Math.floor(this.#view.scrollTop / this.#lane);
        const end = Math.min(this.#model.lanes.length, first + Math.ceil((height - this.#top) / this.#lane) + 1);
        for (let lane = first; lane < end; lane += 1) this.#drawLane(lane, width);
        context.restore();
        this.#drawSelection(width);
    }

    /// Returns the load at a point of the window; `null` if there is none.
    loadAt(clientX, clientY) {
        const box = this.#canvas.getBoundingClientRect();
        const [x, y] = [clientX - box.left, clientY - box.top];
        if (y < this.#axis || y > box.height) return null;
        const loads = y < this.#top ? this.#model.hits : this.#model.lanes[Math.floor((y - this.#top + this.#view.scrollTop) / this.#lane)]?.loads ?? [];
        let [found, least] = [null, REACH];
        for (const load of loads) {
            const [left, right] = [this.#x(load.start, box.width), this.#x(load.end ?? this.#now, box.width)];
            const distance = x < left ? left - x : x > right ? x - right : 0;
            if (distance < least) [found, least] = [load, distance];
        }
        return found;
    }

    /// Scrolls until a load's lane is visible.
    reveal(load) {
        if (load.lane === undefined) return;
        const top = load.lane * this.#lane;
        const room = this.#view.clientHeight - this.#top - this.#lane;
        if (top < this.#view.scrollTop) this.#view.scrollTop = top;
        else if (top > this.#view.scrollTop + room) this.#view.scrollTop = top - room;
    }

    /// Adjusts the canvas to the screen's resolution, and the scroll height to the number of lanes.
    #fit() {
        const {clientWidth: width, clientHeight: height} = this.#view;
        const scale = devicePixelRatio || 1;
        if (this.#canvas.width !== Math.round(width * scale) || this.#canvas.height !== Math.round(height * scale)) {
            this.#canvas.width = Math.round(width * scale);
            this.#canvas.height = Math.round(height * scale);
            this.#canvas.style.width = `${width}px`;
            this.#canvas.style.height = `${height}px`;
        }
        const needed = `${Math.max(height, this.#top + this.#model.lanes.length * this.#lane + this.#lane)}px`;
        if (this.#room.style.height !== needed) this.#room.style.height = needed;
        this.#context.setTransform(scale, 0, 0, scale, 0, 0);
        return {width, height};
    }

    #x(time, width) {
        return width * (1 - (this.#now - time) / this.span);
    }

    #y(lane) {
        return this.#top + lane * this.#lane - this.#view.scrollTop + (this.#lane - this.#bar) / 2;
    }

    #drawAxis(width, height) {
        const context = this.#context;
        const {line, muted, font} = this.#palette;
        context.font = font;
        context.textBaseline = "middle";
        context.lineWidth = 1;
        for (let tick = 0; tick < TICKS; tick += 1) {
            const x = Math.round(width * (1 - tick / TICKS)) - 0.5;
            context.strokeStyle = line;
            context.beginPath();
            context.moveTo(x, this.#axis);
            context.lineTo(x, height);
            context.stroke();
            context.fillStyle = muted;
            context.textAlign = "right";
            context.fillText(tick === 0 ? "now" : `−${((tick / TICKS) * this.span) / 1000} s`, x - 4, this.#axis / 2);
        }
    }

    #drawHits(width) {
        const context = this.#context;
        context.fillStyle = this.#palette.sunken;
        context.fillRect(0, this.#axis, width, this.#hits - 4);
        for (const load of this.#model.hits) {
            context.fillStyle = load.origin === "memory" ? this.#palette.memory : this.#palette.stage("store");
            context.fillRect(Math.round(this.#x(load.end, width)) - 1, this.#axis + 2, 2, this.#hits - 8);
        }
    }

    #drawLane(number, width) {
        for (const load of this.#model.lanes[number].loads) {
            const left = this.#x(load.start, width);
            const right = Math.max(this.#x(load.end ?? this.#now, width), left + 2);
            if (right < 0 || left > width) continue;
            this.#drawBar(load, left, right, width);
            if (load.joined !== undefined) this.#drawLink(load, left, width);
        }
    }

    #drawBar(load, left, right, width) {
        const context = this.#context;
        const y = this.#y(load.lane);
        const isCancelled = load.state === "cancelled";
        context.fillStyle = isCancelled ? this.#palette.stop : this.#palette.line;
        context.fillRect(left, y, right - left, this.#bar);
        const tries = load.stages.filter(isFailedTry);
        for (const stage of [...tries, ...load.stages.filter(stage => !isFailedTry(stage))]) {
            const begin = Math.max(this.#x(stage.start, width), left);
            const end = Math.min(Math.max(this.#x(stage.end ?? load.end ?? this.#now, width), begin + 1), right);
            // A cancelled load is red, with a strip that shows its progress; a failed attempt is red in its
            // upper half.
            const isOfTry = !isFailedTry(stage) && tries.some(one => stage.start >= one.start && stage.start < one.end);
            const [top, height] = isCancelled ? [y + this.#bar - 3, 3] : isOfTry ? [y, this.#bar / 2] : [y, this.#bar];
            context.fillStyle = this.#colour(stage.name);
            context.fillRect(begin, top, end - begin, height);
        }
        if (load.state === "failed") this.#drawFailure(right, y);
    }

    #colour(stage) {
        if (stage === "wait") return this.#palette.hatched;
        return stage === "failed try" ? this.#palette.failedTry : this.#palette.stage(stage);
    }

    #drawFailure(x, y) {
        const context = this.#context;
        context.fillStyle = this.#palette.stop;
        context.beginPath();
        context.arc(x, y + this.#bar / 2, this.#bar / 2 + 1, 0, 2 * Math.PI);
        context.fill();
        context.strokeStyle = this.#palette.surface;
        context.lineWidth = 2;
        context.beginPath();
        for (const slope of [1, -1]) {
            context.moveTo(x - 2.5, y + this.#bar / 2 - 2.5 * slope);
            context.lineTo(x + 2.5, y + this.#bar / 2 + 2.5 * slope);
        }
        context.stroke();
    }

    /// A line from a waiter to the load that it shares.
    #drawLink(load, x, width) {
        const other = this.#model.loads.get(load.joined);
        if (!other || other.lane === undefined) return;
        const context = this.#context;
        const at = Math.max(x, this.#x(other.start, width));
        context.strokeStyle = this.#palette.muted;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(at, this.#y(load.lane) + this.#bar / 2);
        context.lineTo(at, this.#y(other.lane) + this.#bar / 2);
        context.stroke();
        context.fillStyle = this.#palette.muted;
        context.beginPath();
        context.arc(at, this.#y(other.lane) + this.#bar / 2, 3, 0, 2 * Math.PI);
        context.fill();
    }

    #drawSelection(width) {
        const load = this.selected;
        if (!load) return;
        const context = this.#context;
        const left = this.#x(load.start, width);
        const right = Math.max(this.#x(load.end ?? this.#now, width), left + 2);
        const y = load.lane === undefined ? this.#axis + 2 : this.#y(load.lane);
        if (load.lane !== undefined && y < this.#top) return;
        context.strokeStyle = this.#palette.text;
        context.lineWidth = 2;
        context.strokeRect(left - 3, y - 2, right - left + 6, this.#bar + 4);
    }
}

function isFailedTry({name}) {
    return name === "failed try";
}
