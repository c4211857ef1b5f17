// What loads wait for. The server reports how full its gates are and how many loads wait at each, but not which
// ones; a load's gate follows from its stage and its host.

import {figure, h} from "../lib/dom.js";
import {bytes, hostOf, nameOf} from "../lib/words.js";

/// Maximum number of marks of a gate.
const MOST_MARKS = 60;

/// Returns what a load waits for: the gate's key and the reason in words; `null` if it does not wait.
export function waitOf(load, gates, loads) {
    if (load.state !== "running") return null;
    const last = load.stages.at(-1);
    if (!last) return null;
    if (last.end !== undefined) return last.name === "failed try" ? {gate: "retry", why: "The last attempt failed. It waits to try again."} : null;
    if (last.name === "wait") return {gate: "another", why: forAnother(loads.get(load.joined))};
    if (last.name === "queue") return queued(hostOf(load.source), gates);
    if (last.name === "decode" && gates.decodes?.waiting > 0) {
        const {used, limit, waiting} = gates.decodes;
        return {gate: "decodes", why: `It decodes, or waits for a decode thread: ${figure(used)} of ${figure(limit)} are in use, and ${count(waiting)} for one.`};
    }
    return null;
}

function queued(host, {hosts, connections, encodedBytes, names}) {
    const own = hosts?.busiest.find(one => one.host === host);
    if (own) {
        const limit = figure(hosts.limit);
        return {gate: `host ${host}`, why: `It waits for a connection to ${host}: all ${limit} of ${limit} that a host may have are in use, and ${count(own.waiting)} for this host.`};
    }
    const {used = 0, limit = 0, waiting = 0} = connections ?? {};
    const forAny = waiting - (hosts?.waiting ?? 0);
    if (forAny > 0) return {gate: "connections", why: `It waits for a connection: ${figure(used)} of ${figure(limit)} are in use, and ${count(forAny)} for one.`};
    if (encodedBytes?.waiting > 0) return {gate: "encodedBytes", why: `It waits for memory: ${bytes(encodedBytes.used)} of ${bytes(encodedBytes.limit)} are in use, and ${count(encodedBytes.waiting)}.`};
    if (names?.used > 0) return {gate: "names", why: `It waits for a name lookup: ${figure(names.used)} in progress.`};
    return {gate: "turn", why: "It waits for its turn. No gate is full now."};
}

function forAnother(other) {
    return other ? `It waits for ${nameOf(other.source)}, which another load started.` : "It waits for work that another load started.";
}

function count(loads) {
    return loads === 1 ? "1 load waits" : `${figure(loads)} loads wait`;
}

/// The lane of waiting loads right of "now", by gate.
export class WaitingLane {
    #list;
    #nothing;
    #choose;

    /// Shows the lane in `place`, which contains a list and what is shown without waiting loads; `choose(load)` selects
    /// a load.
    constructor(place, choose) {
        this.#list = place.querySelector("ul");
        this.#nothing = place.querySelector("p");
        this.#choose = choose;
    }

    tell(model) {
        const found = Map.groupBy(model.running.filter(load => model.matches(load)), load => waitOf(load, model.gates, model.loads)?.gate ?? "");
        found.delete("");
        const items = [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([gate, loads]) => this.#item(gate, loads));
        this.#list.replaceChildren(...items);
        this.#nothing.hidden = items.length > 0;
    }

    #item(gate, loads) {
        const marks = loads.slice(0, MOST_MARKS).map(load => h("i", {title: nameOf(load.source), onclick: () => this.#choose(load)}));
        const rest = loads.length - marks.length;
        const head = h("p.waiting-head", {}, h("bdi", {}, titleOf(gate)), h("b.numbers", {}, figure(loads.length)));
        return h("li", {data: {gate}}, head, h("span.waiting-marks", {"aria-hidden": "true"}, marks, rest > 0 ? `+${figure(rest)}` : null));
    }
}

const TITLES = {
    retry: "A new attempt", another: "Another load", decodes: "Decoding or its turn", connections: "A connection", encodedBytes: "Memory", names: "A name lookup",
    turn: "Their turn",
};

function titleOf(gate) {
    return TITLES[gate] ?? gate.replace(/^host /, "");
}
