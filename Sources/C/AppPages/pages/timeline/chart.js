// The chart: one lane for each simultaneous load. It is drawn on a canvas of the size of the view, whatever the
// number of lanes, and only visible lanes are drawn.

import {drawBar, drawPoint} from "./bars.js";
import {Palette} from "./palette.js";

/// Heights in CSS pixels: of a lane, of the bars in it, of the axis, and of the strip of cache hits below it.
const SIZES = {lane: 22, bar: 16, axis: 22, hits: 20};
/// The right edge is this much later than the newest data, because the server reports changes a little late.
export const DELAY = 300;
/// The distances of marks on the axis in milliseconds, and the minimum one in CSS pixels.
const STEPS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const LEAST_STEP = 80;
/// Maximum distance between the pointer and a load, in CSS pixels.
const REACH = 5;

export class Chart {
    /// The highlighted load.
    selected = null;
    /// The measured area: times, and lanes if they are limited; or `null`.
    area = null;
    #model;
    #period;
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

    /// Draws `model` in `view` for `period`, a `TimeWindow`. The view is a scrolling element that contains a child
    /// with the height of all lanes, which contains a canvas. `sizes` are heights in CSS pixels, like those of the
    /// timeline.
    constructor(model, period, view, sizes = SIZES) {
        ({lane: this.#lane, bar: this.#bar, axis: this.#axis, hits: this.#hits} = sizes);
        this.#top = this.#axis + this.#hits;
        this.#model = model;
        this.#period = period;
        this.#view = view;
        this.#room = view.firstElementChild;
        this.#canvas = view.querySelector("canvas");
        this.#context = this.#canvas.getContext("2d");
        this.#palette = new Palette(view);
    }

    draw() {
        const {width, height} = this.#fit();
        const context = this.#context;
        context.clearRect(0, 0, width, height);
        this.#drawAxis(width, height);
        this.#drawHits(width);
        context.save();
        context.beginPath();
        context.rect(0, this.#top, width, height - this.#top);
        context.clip();
        const lanes = this.#model.lanes;
        const first = Math.floor(this.#view.scrollTop / this.#lane);
        const end = Math.min(lanes.length, first + Math.ceil((height - this.#top) / this.#lane) + 1);
        for (let number = first; number < end; number += 1) this.#drawLane(lanes[number], width);
        this.#drawArea(width, height);
        context.restore();
        this.#drawSelection(width);
    }

    /// Returns the time at a horizontal position in the window.
    timeAt(clientX) {
        const box = this.#canvas.getBoundingClientRect();
        return this.#period.start + ((clientX - box.left) / box.width) * this.#period.span;
    }

    /// Returns the number of the lane at a vertical position in the window; negative above the lanes.
    laneAt(clientY) {
        return Math.floor((clientY - this.#canvas.getBoundingClientRect().top - this.#top + this.#view.scrollTop) / this.#lane);
    }

    /// Returns the load at a point of the window; `null` if there is none.
    loadAt(clientX, clientY) {
        const box = this.#canvas.getBoundingClientRect();
        const [x, y] = [clientX - box.left, clientY - box.top];
        if (y < this.#axis || y > box.height) return null;
        const loads = y < this.#top ? this.#model.hits : this.#model.lanes[this.laneAt(clientY)]?.loads ?? [];
        let [found, least] = [null, REACH];
        for (const load of loads) {
            const {left, right} = this.#place(load, box.width);
            const distance = x < left ? left - x : x > right ? x - right : 0;
            if (distance < least) [found, least] = [load, distance];
        }
        return found;
    }

    /// Scrolls until a load's lane is visible.
    reveal({lane}) {
        if (!lane) return;
        const top = this.#model.lanes.indexOf(lane) * this.#lane;
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
        return (width * (time - this.#period.start)) / this.#period.span;
    }

    #y(lane) {
        return this.#top + lane.number * this.#lane - this.#view.scrollTop + (this.#lane - this.#bar) / 2;
    }

    /// The end of a load, or of what is known of one that runs.
    #end(load) {
        return Math.min(load.end ?? this.#period.newest, this.#period.newest);
    }

    #place(load, width) {
        const left = this.#x(load.start, width);
        return {left, right: Math.max(this.#x(this.#end(load), width), left + 2)};
    }

    #drawAxis(width, height) {
        const context = this.#context;
        const {line, muted, font} = this.#palette;
        const {start, end, newest, span} = this.#period;
        const step = STEPS.find(one => (one / span) * width >= LEAST_STEP) ?? STEPS.at(-1);
        context.font = font;
        context.textBaseline = "middle";
        context.lineWidth = 1;
        for (let tick = Math.ceil((newest - end) / step); newest - tick * step > start; tick += 1) {
            const x = Math.round(this.#x(newest - tick * step, width)) - 0.5;
            context.strokeStyle = line;
            context.beginPath();
            context.moveTo(x, this.#axis);
            context.lineTo(x, height);
            context.stroke();
            context.fillStyle = muted;
            context.textAlign = "right";
            const word = this.#period.isLive ? "now" : "held";
            context.fillText(tick === 0 ? word : `−${(tick * step) / 1000} s`, x - 4, this.#axis / 2);
        }
    }

    #drawHits(width) {
        const context = this.#context;
        context.fillStyle = this.#palette.sunken;
        context.fillRect(0, this.#axis, width, this.#hits - 4);
        for (const load of this.#model.hits) drawPoint(context, this.#palette, load, this.#x(load.end, width), this.#axis + 2, this.#hits - 8);
    }

    #drawLane(lane, width) {
        if (lane.title) this.#drawTitle(lane, width);
        for (const load of lane.loads) {
            const {left, right} = this.#place(load, width);
            if (right < 0 || left > width) continue;
            const scale = time => this.#x(Math.min(time ?? this.#end(load), this.#period.newest), width);
            drawBar(this.#context, this.#palette, load, {left, right, y: this.#y(lane), height: this.#bar, width}, scale, this.#end(load) - load.start);
            if (load.joined !== undefined) this.#drawLink(load, left, width);
        }
    }

    /// The name of a group.
    #drawTitle(lane, width) {
        const context = this.#context;
        const y = this.#y(lane) + this.#bar;
        context.fillStyle = this.#palette.text;
        context.textAlign = "left";
        context.font = this.#palette.boldFont;
        context.fillText(lane.title, 4, y - this.#bar / 2);
        context.font = this.#palette.font;
        context.fillStyle = this.#palette.lineStrong;
        context.fillRect(0, y + 1, width, 1);
    }

    /// A line from a waiter to the load that it shares.
    #drawLink(load, x, width) {
        const other = this.#model.loads.get(load.joined);
        if (!other?.lane) return;
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

    #drawArea(width, height) {
        if (!this.area) return;
        const context = this.#context;
        const {start, end, lanes} = this.area;
        const [left, right] = [this.#x(start, width), this.#x(end, width)];
        const [top, bottom] = lanes ? lanes.map((number, side) => this.#top + (number + side) * this.#lane - this.#view.scrollTop) : [this.#top + 1, height - 1];
        context.strokeStyle = this.#palette.accent;
        context.lineWidth = 2;
        context.setLineDash([5, 3]);
        context.strokeRect(left, top, right - left, bottom - top);
        context.setLineDash([]);
        context.globalAlpha = 0.12;
        context.fillStyle = this.#palette.accent;
        context.fillRect(left, top, right - left, bottom - top);
        context.globalAlpha = 1;
    }

    #drawSelection(width) {
        const load = this.selected;
        if (!load || (!load.lane && !load.isPoint)) return;
        const context = this.#context;
        const {left, right} = this.#place(load, width);
        const y = load.lane ? this.#y(load.lane) : this.#axis + 2;
        if (load.lane && y < this.#top) return;
        context.strokeStyle = this.#palette.text;
        context.lineWidth = 2;
        context.strokeRect(left - 3, y - 2, right - left + 6, this.#bar + 4);
    }
}
