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

    /// Shows gates in `place`: names of the server's, and "hosts" for the loads that wait for their host.
    constructor(place, names) {
        this.#gates = new Map(names.map(name => [name, name === "hosts" ? new Hosts() : new Gate(name, GATES[name])]));
        place.replaceChildren(...[...this.#gates.values()].map(gate => gate.element));
    }

    tell(gates) {
        for (const [name, gate] of this.#gates) gate.tell(gates[name]);
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

/// The loads that wait because their host has as many connections as it may have.
class Hosts {
    #count = h("b.numbers", {}, "0");
    #hosts = h("bdi");

    constructor() {
        const head = h("p.gate-head", {}, h("span", {}, "Waiting for a host"));
        this.element = h("div.gate", {data: {gate: "hosts"}}, head, h("p.muted.small.gate-hosts", {}, this.#count, this.#hosts));
    }

    tell({waiting, busiest}) {
        const list = busiest.map(({host, waiting: count}) => `${host} ${figure(count)}`);
        this.#count.textContent = figure(waiting);
        this.#hosts.textContent = list.length === 1 ? busiest[0].host : list.join(", ");
        this.element.title = list.join("\n");
    }
}
