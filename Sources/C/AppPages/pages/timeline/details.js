// The details of one load, in words.

import {figure, h} from "../lib/dom.js";
import {bytes, meaning, nameOf, time} from "../lib/words.js";
import {letterOf} from "./bars.js";
import {waitOf} from "./waits.js";

const ORIGINS = {
    memory: "from memory", store: "from disk", revalidated: "not modified at the origin", own: "loaded from the source", shared: "shared another load",
};

export class Details {
    #panel;
    #hint;

    /// Shows details in `panel`, whose content says how to select a load.
    constructor(panel) {
        this.#panel = panel;
        this.#hint = panel.firstElementChild;
    }

    /// Shows `load` of a model at `now`; without a load, shows how to select one.
    tell(load, now, {loads: all, gates}) {
        if (!load) return this.#panel.replaceChildren(this.#hint);
        const end = load.end ?? now;
        const wait = waitOf(load, gates, all);
        this.#panel.replaceChildren(
            h("p.details-head", {},
                h("strong", {dir: "auto"}, nameOf(load.source)), h(`span.badge.${kindOf(load)}`, {}, load.state), h("span.numbers", {}, time(end - load.start))),
            h("p.mono.details-source", {title: load.source}, load.source),
            h("p.muted.small", {}, factsOf(load, all).join(" · ")),
            ...(wait ? [h("p.small.details-wait", {}, h("strong", {}, "Why does it wait? "), wait.why)] : []),
            h("ul.details-stages", {}, load.stages.map(stage =>
                h("li", {}, swatch(stage.name), `${stage.name} `, h("span.numbers", {}, time((stage.end ?? end) - stage.start))))),
        );
    }
}

/// Returns a stage's colour with its letter.
export function swatch(stage) {
    return h("span.swatch", {data: {stage}, "aria-hidden": "true"}, letterOf(stage));
}

/// The colour of a state.
export function kindOf({state}) {
    return {running: "info", finished: "good", failed: "bad", cancelled: "bad"}[state] ?? "info";
}

/// Returns the number of failed requests to the origin.
export function failedTries({stages}) {
    return stages.filter(stage => stage.name === "failed try").length;
}

function factsOf(load, all) {
    const {subject, code, origin, bytes: size, joined, start} = load;
    const facts = [subject === "document" ? "A document" : "A picture"];
    const tries = failedTries(load);
    if (tries > 0) facts.push(tries === 1 ? "1 failed attempt" : `${figure(tries)} failed attempts`);
    if (code) facts.push(`${code}: ${meaning(code)}`);
    if (origin) facts.push(ORIGINS[origin] ?? origin);
    if (size !== undefined) facts.push(bytes(size));
    const other = joined === undefined ? null : all.get(joined);
    if (other) facts.push(`shares the load that started ${time(Math.max(0, start - other.start))} before`);
    return facts;
}
