// The visible period of the chart: it moves with time, or is held by the user.

import {SPAN} from "../live/loads.js";

/// Minimum length of the visible period in milliseconds.
const LEAST_SPAN = 100;

export class TimeWindow {
    /// Called when the user changes the period.
    onchange = () => {};
    #span;
    #now = 0;
    /// The time at which the period was held; `null` while it is live.
    #heldAt = null;
    #end = 0;

    constructor(span = SPAN) {
        this.#span = span;
    }

    /// Moves a live period on to `now`.
    moveOn(now) {
        this.#now = now;
    }

    get isLive() {
        return this.#heldAt === null;
    }

    /// The end of the minute in which the period can be moved: now, or the time at which it was held.
    get newest() {
        return this.#heldAt ?? this.#now;
    }

    /// The beginning of that minute.
    get oldest() {
        return this.newest - SPAN;
    }

    get end() {
        return this.isLive ? this.#now : this.#end;
    }

    get start() {
        return this.end - this.#span;
    }

    get span() {
        return this.#span;
    }

    set span(span) {
        this.zoom(span / this.#span, this.end);
    }

    /// Stops the period from moving with time.
    hold() {
        if (!this.isLive) return;
        this.#heldAt = this.#end = this.#now;
        this.onchange();
    }

    /// Follows time again.
    goLive() {
        this.#heldAt = null;
        this.onchange();
    }

    /// Makes the period longer or shorter by `factor`, and keeps `time` where it is. A live period stays live if
    /// `time` is its end.
    zoom(factor, time = this.end) {
        const span = Math.min(Math.max(this.#span * factor, LEAST_SPAN), SPAN);
        if (time !== this.end) this.hold();
        if (!this.isLive) this.#end = time + (this.#end - time) * (span / this.#span);
        this.#span = span;
        this.#limit();
    }

    /// Moves the period by `milliseconds`; into the past if they are negative.
    pan(milliseconds) {
        if (this.isLive && milliseconds >= 0) return;
        this.hold();
        this.#end += milliseconds;
        this.#limit();
    }

    #limit() {
        if (!this.isLive) this.#end = Math.min(Math.max(this.#end, this.oldest + this.#span), this.newest);
        this.onchange();
    }
}
