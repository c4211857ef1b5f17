// The occupancy of the pipeline's gates.

import {figure, h} from "../lib/dom.js";
import {bytes} from "../lib/words.js";

const GATES = {
    names: {title: "Name lookups", unit: figure}, connections: {title: "Connections", unit: figure}, queue: {title: "Requests", unit: figure},
    encodedBytes: {title: "Bytes in flight", unit: bytes}, decodes: {title: "Decodes", unit: figure}, decodedBytes: {title: "Decode memory", unit: bytes},
};
/// A gate that is at least this full delays others.
const FULL = 0.9;

export class Gates {
    #gates;

    /// Shows gates in `place`: names of the server's, and "hosts" for the limit of each host.
    constructor(place, names) {
        this.#gates = new Map(names.map(name => [name, name === "hosts" ? new Hosts() : new Gate(name, GATES[name])]));
        place.replaceChildren(...[...this.#gates.values()].map(gate => gate.element));
    }

    tell(gates) {
        const {connections, hosts} = gates;
        // The gauge of hosts shows the loads that wait for their host.
        const others = {...connections, waiting: Math.max(connections.waiting - hosts.waiting, 0)};
        for (const [name, gate] of this.#gates) gate.tell(name === "connections" ? others : gates[name]);
    }
}

class Gate {
    #unit;
    #meter;
    #value = h("span.numbers");
    #waiting = h("span.badge.warn", {hidden: true});

    constructor(name, {title, unit}) {
        this.#unit = unit;
        this.#meter = h("div.meter", {role: "meter", "aria-label": title, "aria-valuemin": 0, "aria-valuenow": 0}, h("span"));
        const head = h("p.gate-head", {}, h("span", {}, title), this.#waiting);
        this.element = h("div.gate", {data: {gate: name}}, head, this.#meter, h("p.muted.small", {}, this.#value));
    }

    tell({used, limit, waiting = 0}) {
        // A gate without a limit reports none.
        const share = limit > 0 ? Math.min(used / limit, 1) : 0;
        const text = limit > 0 ? `${this.#unit(used)} of ${this.#unit(limit)}` : this.#unit(used);
        this.#meter.firstElementChild.style.width = `${100 * share}%`;
        this.#meter.setAttribute("aria-valuenow", used);
        this.#meter.setAttribute("aria-valuemax", limit ?? used);
        this.#meter.setAttribute("aria-valuetext", text);
        this.#value.textContent = text;
        this.element.dataset.full = share >= FULL;
        this.#waiting.hidden = waiting === 0;
        this.#waiting.textContent = `${figure(waiting)} wait`;
    }
}

/// The hosts that have as many connections as a host may have, and the loads that wait for them.
class Hosts {
    #waiting = h("span.badge.warn", {hidden: true});
    #meter = h("div.meter", {role: "meter", "aria-label": "Connections of a host", "aria-valuemin": 0, "aria-valuenow": 0}, h("span"));
    #hosts = h("p.muted.small.gate-hosts");

    constructor() {
        const head = h("p.gate-head", {}, h("span", {}, "Per host"), this.#waiting);
        this.element = h("div.gate", {data: {gate: "hosts"}}, head, this.#meter, this.#hosts);
    }

    tell({limit, waiting, busiest}) {
        // Loads wait for a host only while it is at its limit.
        const isFull = busiest.length > 0;
        const list = busiest.map(({host, waiting: count}) => `${host}: ${figure(limit)} of ${figure(limit)}, ${figure(count)} wait`);
        const text = isFull ? list.join("; ") : `no host at its limit of ${figure(limit)}`;
        this.#meter.firstElementChild.style.width = isFull ? "100%" : "0";
        this.#meter.setAttribute("aria-valuemax", limit);
        this.#meter.setAttribute("aria-valuenow", isFull ? limit : 0);
        this.#meter.setAttribute("aria-valuetext", text);
        this.element.dataset.full = isFull;
        this.#waiting.hidden = waiting === 0;
        this.#waiting.textContent = `${figure(waiting)} wait`;
        this.#hosts.textContent = text;
        this.element.title = list.join("\n");
    }
}
