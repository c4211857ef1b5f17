// The loads of the last minute, and the lane of each in the chart.

import {Loads} from "../live/loads.js";

/// Minimum time between the end of a load and the next one in its lane, in milliseconds.
const GAP = 150;

export class TimelineModel extends Loads {
    /// The loads of each lane in order of their start, and the time from which it is free.
    lanes = [];
    /// Immediate cache hits, which have no lane.
    hits = [];

    begin(data) {
        this.lanes = [];
        this.hits = [];
        super.begin(data);
    }

    /// Removes loads that ended before `time`, and empty lanes at the end.
    forget(time) {
        super.forget(time);
        this.hits = this.hits.filter(load => load.end >= time);
        for (const lane of this.lanes) lane.loads = lane.loads.filter(load => this.loads.has(load.id));
        while (this.lanes.at(-1)?.loads.length === 0) this.lanes.pop();
    }

    put(told) {
        const {load, isKnown} = super.put(told);
        const isHit = load.end !== undefined && (load.origin === "memory" || load.origin === "store");
        if (isHit && !load.isHit) {
            load.isHit = true;
            this.hits.push(load);
        }
        // A cache hit that was not reported before was too fast for a bar.
        if (load.lane === undefined && !(isHit && !isKnown)) this.#placeInLane(load);
        if (load.lane !== undefined) this.lanes[load.lane].free = this.lanes[load.lane].loads.at(-1) === load ? freeFrom(load) : this.lanes[load.lane].free;
        return {load, isKnown};
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
