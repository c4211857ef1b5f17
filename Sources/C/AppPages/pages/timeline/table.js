// The loads as a table, with the information of the chart.

import {figure, h} from "../lib/dom.js";
import {bytes, nameOf, time} from "../lib/words.js";
import {failedTries, kindOf} from "./details.js";
import {waitOf} from "./waits.js";

/// Maximum number of rows; further loads are only counted.
const MOST_ROWS = 40;

const body = document.querySelector("#loads");
const more = document.querySelector("#loads-more");
const which = document.querySelector("#which");

export class LoadTable {
    #rows = new Map();
    #choose;

    /// `choose(load)` selects a load in the chart.
    constructor(choose) {
        this.#choose = choose;
        which.addEventListener("change", () => this.onchange?.());
    }

    /// Called when the user selects other loads.
    onchange = null;

    show(model, now) {
        const isWanted = load => which.value === "waiting" ? waitOf(load, model.gates, model.loads) : which.value === "all" || load.state === which.value;
        const wanted = model.shown.filter(isWanted).reverse();
        const shown = wanted.slice(0, MOST_ROWS);
        const ids = new Set(shown.map(load => load.id));
        for (const [id, row] of this.#rows) {
            // The row with the focus stays while it has the focus.
            if (ids.has(id) || row.element.contains(document.activeElement)) continue;
            row.element.remove();
            this.#rows.delete(id);
        }
        shown.forEach((load, position) => {
            const row = this.#rows.get(load.id) ?? this.#make(load);
            if (body.children[position] !== row.element) body.insertBefore(row.element, body.children[position] ?? null);
            tell(row, load, now);
        });
        const rest = wanted.length - shown.length;
        more.textContent = rest > 0 ? `and ${figure(rest)} more` : wanted.length > 0 ? "" : model.isFiltered ? "No loads match." : NONE[which.value];
    }

    #make(load) {
        const row = {state: h("span.badge"), stage: h("td"), since: h("td.numbers"), size: h("td.numbers")};
        const name = h("button.link", {type: "button", title: load.source, onclick: () => this.#choose(load)}, nameOf(load.source));
        row.element = h("tr", {data: {id: load.id}}, h("th", {scope: "row"}, name), h("td", {}, row.state), row.stage, row.since, row.size);
        this.#rows.set(load.id, row);
        return row;
    }
}

const NONE = {
    running: "No loads are running.", waiting: "No loads are waiting.", cancelled: "No loads were cancelled in the last minute.", failed: "No loads failed in the last minute.",
    all: "No loads in the last minute.",
};

function tell(row, load, now) {
    row.state.textContent = load.code ?? load.state;
    row.state.className = `badge ${kindOf(load)}`;
    row.element.dataset.state = load.state;
    row.stage.textContent = stageOf(load);
    row.since.textContent = time((load.end ?? now) - load.start);
    row.size.textContent = load.bytes === undefined ? "" : bytes(load.bytes);
}

/// Returns the stage or the outcome of a load, and the number of failed attempts.
function stageOf(load) {
    const last = load.stages.at(-1);
    const isBetweenTries = load.state === "running" && last?.name === "failed try";
    const stage = load.joined !== undefined ? "waiting for another load" : isBetweenTries ? "waiting to retry" : last?.name ?? load.origin ?? "";
    const tries = failedTries(load);
    return tries > 0 && last?.name !== "failed try" ? `${stage}, ${figure(tries)} failed ${tries === 1 ? "attempt" : "attempts"}` : stage;
}
