// The server's loads of the last minute, its gates and its counts. All times are the server's, in milliseconds.

/// How long past loads are stored.
export const SPAN = 60_000;
/// Maximum number of stored loads.
const MOST_LOADS = 20_000;
/// The period over which the throughput is measured.
const RATE_SPAN = 5000;

export class Loads {
    /// The loads by identifier, in the order in which they were reported.
    loads = new Map();
    gates = {};
    counts = {};
    /// The difference between the page's clock and the server's; the smallest one seen has the least delay.
    #ahead = null;
    /// Times and numbers of finished loads, oldest first.
    #samples = [];

    /// Starts again with the server's first data.
    begin(data) {
        this.loads.clear();
        this.#ahead = null;
        this.#samples = [];
        this.take(data);
    }

    /// Applies changes.
    take({now, loads, gates, counts}) {
        const ahead = performance.now() - now;
        this.#ahead = this.#ahead === null ? ahead : Math.min(this.#ahead, ahead);
        this.gates = gates;
        this.counts = counts;
        for (const load of loads) this.put(load);
        const old = this.#samples.findLastIndex(sample => sample.now < now - RATE_SPAN);
        this.#samples.splice(0, Math.max(old, 0));
        this.#samples.push({now, finished: counts.finished});
    }

    /// Returns the server's current time.
    get now() {
        return this.#ahead === null ? 0 : performance.now() - this.#ahead;
    }

    /// The loads in progress.
    get running() {
        return [...this.loads.values()].filter(load => load.state === "running");
    }

    /// Everything, as the server would send it to a new page.
    get state() {
        return {now: this.now, loads: [...this.loads.values()], gates: this.gates, counts: this.counts};
    }

    /// Returns the finished loads, and the bytes of loads from their sources, per second of the last five seconds.
    get throughput() {
        const begin = this.now - RATE_SPAN;
        const first = this.#samples.findLast(sample => sample.now <= begin) ?? this.#samples[0];
        const finished = (this.counts.finished ?? 0) - (first?.finished ?? 0);
        let bytes = 0;
        for (const {end, origin, bytes: size} of this.loads.values()) if (end >= begin && origin === "own") bytes += size ?? 0;
        return {loads: finished / (RATE_SPAN / 1000), bytes: bytes / (RATE_SPAN / 1000)};
    }

    /// Removes loads that ended before `time`.
    forget(time) {
        for (const [id, load] of this.loads) {
            const isOver = load.end !== undefined && load.end < time;
            if (isOver || (this.loads.size > MOST_LOADS && load.end !== undefined)) this.loads.delete(id);
        }
    }

    /// Stores what the server reports about a load; returns the load, and whether it was stored before.
    put(told) {
        const known = this.loads.get(told.id);
        const load = known ? Object.assign(known, told) : told;
        this.loads.set(load.id, load);
        return {load, isKnown: known !== undefined};
    }
}
