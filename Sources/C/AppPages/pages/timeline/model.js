// What the server has told of its loads: those of the last minute, and the lane that each has in the chart. All times are the
// server's, in milliseconds.

/// How much of the past is kept.
export const SPAN = 60_000;
/// The least time between the end of a load and the next one in its lane.
const GAP = 150;
/// More than these are not kept, whatever the server does.
const MOST_LOADS = 20_000;

export class TimelineModel {
    /// By their identifiers, in the order in which they were told.
    loads = new Map();
    /// For each lane its loads, in the order of their beginnings, and from when on it is free.
    lanes = [];
    /// Those that were answered from a cache at once; they have no lane.
    hits = [];
    gates = {};
    counts = {};
    /// What the page's clock is ahead of the server's by; the least that was seen has the least of the network in it.
    #ahead = null;

    /// Begins anew, with what the server tells at first.
    begin(data) {
        this.loads.clear();
        this.lanes = [];
        this.hits = [];
        this.#ahead = null;
        this.take(data);
    }

    /// Takes what has changed.
    take({now, loads, gates, counts}) {
        const ahead = performance.now() - now;
        this.#ahead = this.#ahead === null ? ahead : Math.min(this.#ahead, ahead);
        this.gates = gates;
        this.counts = counts;
        for (const load of loads) this.#put(load);
    }

    /// The server's time now.
    get now() {
        return this.#ahead === null ? 0 : performance.now() - this.#ahead;
    }

    /// Those that have not ended.
    get running() {
        return [...this.loads.values()].filter(load => load.state === "running");
    }

    /// Forgets what ended before `time`, and lanes at the end that have become empty.
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
        // What came from a cache before anything was told of it has been too quick for a bar.
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
