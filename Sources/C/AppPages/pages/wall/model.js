// The state of a wall: the entries that the server has reported, in the order of the list and in that of
// completion.

import {figure} from "../lib/dom.js";
import {nameOf} from "../lib/words.js";

/// The period for measuring the rate, in milliseconds.
const RATE_SPAN = 3000;

/// Returns the name of an entry; a row of a table that cannot be read has no URL.
export function nameIn({index, url}) {
    return nameOf(url) || `Entry ${figure(index + 1)}`;
}

export class WallModel {
    id = null;
    title = "";
    total = 0;
    /// Their size, format and quality, as reported by the server.
    images = null;
    /// The number of entries that had finished before this page followed the wall.
    known = 0;
    done = 0;
    failed = 0;
    loading = 0;
    /// The entries by position in the list; empty for those in progress.
    entries = [];
    /// Positions in the list, in the order of completion.
    finished = [];
    /// The positions of failures.
    failures = [];
    /// The number of failures by code.
    codes = new Map();
    /// `running`, `finished`, `cancelled`, `abandoned` or `broken`.
    state = "running";
    #started = performance.now();
    #ended = null;
    #samples = [];

    begin({id, total, title, known, images}) {
        Object.assign(this, {id, total, title: title ?? "", known, images});
    }

    /// Adds finished entries; returns the positions of new ones.
    add({entries, done, failed, loading, total}) {
        const fresh = entries.filter(entry => !this.entries[entry.index]);
        for (const entry of fresh) {
            this.entries[entry.index] = entry;
            this.finished.push(entry.index);
            if (entry.status !== "ok") this.#addFailure(entry);
        }
        Object.assign(this, {done, failed, loading, total});
        this.#sample();
        return fresh.map(entry => entry.index);
    }

    end(state) {
        if (this.state !== "running") return;
        this.state = state;
        this.loading = 0;
        this.#ended = performance.now();
    }

    get isRunning() {
        return this.state === "running";
    }

    get seconds() {
        return Math.max((this.#ended ?? performance.now()) - this.#started, 1) / 1000;
    }

    /// Entries finished per second: recently while the wall is running, on average afterwards; `NaN` if this page
    /// has seen none finish.
    get rate() {
        const first = this.#samples[0];
        if (this.finished.length <= this.known && !this.isRunning) return NaN;
        if (!this.isRunning || !first) return Math.max(this.finished.length - this.known, 0) / this.seconds;
        const span = (performance.now() - first.time) / 1000;
        return (this.finished.length - first.count) / Math.max(span, 0.25);
    }

    #addFailure(entry) {
        this.failures.push(entry.index);
        this.codes.set(entry.code, (this.codes.get(entry.code) ?? 0) + 1);
    }

    #sample() {
        if (this.finished.length <= this.known) return;
        const time = performance.now();
        if (this.#samples.length === 0) this.#samples.push({time: this.#started, count: this.known});
        this.#samples.push({time, count: this.finished.length});
        while (this.#samples.length > 2 && this.#samples[0].time < time - RATE_SPAN) this.#samples.shift();
    }
}
