// The loads of the last minute, and the lane of each in the chart.

import {Loads} from "../live/loads.js";
import {hostOf} from "../lib/words.js";

/// Minimum time between the end of a load and the next one in its lane, in milliseconds.
const GAP = 150;

/// How loads are grouped: the title of a load's group, and that of the loads that belong to none.
const GROUPS = {
    none: null,
    host: {titleOf: ({source}) => hostOf(source), rest: "no host"},
    page: {titleOf: ({page, wall}) => page ?? (wall && "wall"), rest: "no page"},
    wall: {titleOf: ({wall}) => wall && `wall ${wall.slice(0, 8)}`, rest: "no wall"},
};

export class TimelineModel extends Loads {
    /// Immediate cache hits, which have no lane.
    hits = [];
    /// The lanes of each group by its title, in the order in which the groups appeared.
    #groups = new Map();
    #lanes = [];
    #areNumbered = true;
    #grouping = GROUPS.none;
    #text = "";

    begin(data) {
        this.#clear();
        super.begin(data);
    }

    /// The lanes from top to bottom: the loads of each in order of their start, the time from which it is free, and
    /// its number. The first lane of a group has no loads, but the group's name as `title`.
    get lanes() {
        if (this.#areNumbered) return this.#lanes;
        const grouping = this.#grouping;
        this.#lanes = [...this.#groups].flatMap(([title, lanes]) => grouping ? [{title: title || grouping.rest, loads: []}, ...lanes] : lanes);
        this.#lanes.forEach((lane, number) => (lane.number = number));
        this.#areNumbered = true;
        return this.#lanes;
    }

    /// Groups loads: by "host", by "page", by "wall", or "none".
    group(name) {
        this.#grouping = GROUPS[name] ?? null;
        this.#arrange();
    }

    /// Shows only loads whose URL contains `text`.
    filter(text) {
        this.#text = text.trim().toLowerCase();
        this.#arrange();
    }

    get isFiltered() {
        return this.#text !== "";
    }

    /// Whether the filter shows a load.
    matches({source}) {
        return this.#text === "" || source.toLowerCase().includes(this.#text);
    }

    /// The loads that the filter shows.
    get shown() {
        const all = [...this.loads.values()];
        return this.#text === "" ? all : all.filter(load => this.matches(load));
    }

    /// Removes loads that ended before `time`, empty lanes at the end of each group, and empty groups.
    forget(time) {
        super.forget(time);
        this.hits = this.hits.filter(load => load.end >= time);
        let isChanged = false;
        for (const [title, lanes] of this.#groups) {
            for (const lane of lanes) lane.loads = lane.loads.filter(load => this.loads.has(load.id));
            for (; lanes.at(-1)?.loads.length === 0; isChanged = true) lanes.pop();
            if (lanes.length === 0) this.#groups.delete(title);
        }
        if (isChanged) this.#areNumbered = false;
    }

    put(told) {
        const {load, isKnown} = super.put(told);
        // A cache hit that was not reported before was too fast for a bar.
        if (!isKnown) load.isPoint = isHit(load);
        if (this.matches(load)) this.#place(load);
        return {load, isKnown};
    }

    #place(load) {
        if (isHit(load) && !load.isListed) {
            load.isListed = true;
            this.hits.push(load);
        }
        if (!load.lane && !load.isPoint) this.#placeInLane(load);
        if (load.lane?.loads.at(-1) === load) load.lane.free = freeFrom(load);
    }

    #placeInLane(load) {
        const title = this.#grouping?.titleOf(load) ?? "";
        const lanes = this.#groups.get(title) ?? [];
        this.#groups.set(title, lanes);
        let lane = lanes.find(({free}) => free <= load.start);
        if (!lane) {
            lane = {loads: [], free: 0, number: 0};
            lanes.push(lane);
            this.#areNumbered = false;
        }
        lane.loads.push(load);
        load.lane = lane;
    }

    #clear() {
        this.#groups.clear();
        this.#areNumbered = false;
        this.hits = [];
    }

    /// Gives each load a lane again.
    #arrange() {
        this.#clear();
        for (const load of [...this.loads.values()].sort((one, other) => one.start - other.start)) {
            load.lane = undefined;
            load.isListed = false;
            if (this.matches(load)) this.#place(load);
        }
    }
}

function isHit({end, origin}) {
    return end !== undefined && (origin === "memory" || origin === "store");
}

function freeFrom(load) {
    return load.end === undefined ? Infinity : load.end + GAP;
}
