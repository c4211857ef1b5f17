// What is known of a wall: its entries as the server tells of them, in the list's order and in that of their ends.

/// How far back the rate looks, in milliseconds.
const RATE_SPAN = 3000;

export class WallModel {
    id = null;
    title = "";
    total = 0;
    done = 0;
    failed = 0;
    loading = 0;
    /// By their number in the list; nothing where one has not ended.
    entries = [];
    /// Numbers in the list, in the order of the ends.
    finished = [];
    /// Those of them that failed.
    failures = [];
    /// How many failed with each code.
    codes = new Map();
    /// `running`, `finished`, `cancelled` or `broken`.
    state = "running";
    #started = performance.now();
    #ended = null;
    #samples = [];

    begin({id, total, title}) {
        Object.assign(this, {id, total, title: title ?? ""});
    }

    /// Takes what has ended since the last time; returns the numbers in the list of what is new.
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

    /// Entries that end each second: of late while it runs, all in all afterwards.
    get rate() {
        const first = this.#samples[0];
        if (!this.isRunning || !first) return this.finished.length / this.seconds;
        const span = (performance.now() - first.time) / 1000;
        return (this.finished.length - first.count) / Math.max(span, 0.25);
    }

    #addFailure(entry) {
        this.failures.push(entry.index);
        this.codes.set(entry.code, (this.codes.get(entry.code) ?? 0) + 1);
    }

    #sample() {
        const time = performance.now();
        if (this.#samples.length === 0) this.#samples.push({time: this.#started, count: 0});
        this.#samples.push({time, count: this.finished.length});
        while (this.#samples.length > 2 && this.#samples[0].time < time - RATE_SPAN) this.#samples.shift();
    }
}
