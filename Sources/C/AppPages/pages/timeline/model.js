// The server's loads of the last minute, and the lane of each in the chart. All times are the server's, in
// milliseconds.

/// How long past loads are stored.
export const SPAN = 60_000;
/// Minimum time between the end of a load and the next one in its lane.
const GAP = 150;
/// Maximum number of stored loads.
const MOST_LOADS = 20_000;

export class TimelineModel {
    /// The loads by identifier, in the order in which they were reported.
    loads = new Map();
    /// The loads of each lane in order of their start, and the time from which it is free.
    lanes = [];
    /// Immediate cache hits, which have no lane.
    hits = [];
    gates = {};
    counts = {};
    /// The difference between the page's clock and the server's; the smallest one seen has the least network
    /// delay.
    #ahead = null;

    /// Starts again with the server's first data.
    begin(data) {
        this.loads.clear();
        this.lanes = [];
        this.hits = [];
        this.#ahead = null;
        this.take(data);
    }

    /// Applies changes.
    take({now, loads, gates, counts}) {
        const ahead = performance.now() - now;
        this.#ahead = this.#ahead === null ? ahead : Math.min(this.#ahead, ahead);
        this.gates = gates;
        this.counts = counts;
        for (const load of loads) this.#put(load);
    }

    /// Returns the server's current time.
    get now() {
        return this.#ahead === null ? 0 : performance.now() - this.#ahead;
    }

    /// The loads in progress.
    get running() {
        return [...this.loads.values()].filter(load => load.state === "running");
    }

    /// Removes loads that ended before `time`, and empty lanes at the end.
    forget(time) {
        for (const [id, load] of this.loads) {
            const isOver = load.end !== undefined && load.end < time;
            if (isOver || (this.loads.size > MOST_LOADS && load.end !== undefined)) this.loads.delete(id);
        }
        this.hits = this.hits.filter(load => load.end >= time);
        for (const lane of this.lanes) lane.loads = lane.loads.filter(load => this.loads.has(load.id));
        while (this.lanes.at(-1)?.loads.length === 0) this.lanes.pop();
    }

    #put(told) {
        const known = this.loads.get(told.id);
        const load = known ? Object.assign(known, told) : told;
        this.loads.set(load.id, load);
        const isHit = load.end !== undefined && (load.origin === "memory" || load.origin === "store");
        if (isHit && !load.isHit) {
            load.isHit = true;
            this.hits.push(load);
        }
        // A cache hit that was not reported before was too fast for a bar.
        if (load.lane === undefined && !(isHit && !known)) this.#placeInLane(load);
        if (load.lane !== undefined) this.lanes[load.lane].free = this.lanes[load.lane].loads.at(-1) === load ? freeFrom(load) : this.lanes[load.lane].free;
    }

    #placeInLane(load) {
        let number = this.lanes.findIndex(lane => lane.free <= load.start);
        if (number < 0) number = this.lanes.push({loads: [], free: 0}) - 1;
        const lane = this.lanes[number];
        lane.loads.push(load);
        lane.free = freeFrom(load);
        load.lane = number;
    }
}

function freeFrom(load) {
    return load.end === undefined ? Infinity : load.end + GAP;
}
