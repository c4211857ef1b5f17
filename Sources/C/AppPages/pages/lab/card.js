// The card of one way: a cell for each image, its figures, and its Swift.

import {figure, h} from "../lib/dom.js";
import {STATES, stateOf} from "./ways.js";

export class Card {
    #cells;
    #badge = h("span.badge");
    #lane;
    #values = {};
    #code = h("code");

    /// Creates the card of `way` for `count` images.
    constructor(way, count) {
        this.#cells = Array.from({length: count}, () => h("span.lab-cell"));
        this.#lane = h("div.lab-cells", {role: "img", "aria-label": ""}, this.#cells);
        const figures = [["time", "Time"], ["requests", "Requests"], ["loaded", "Loaded"], ["late", "After cancel"]];
        this.element = h("section.card.lab-way", {"aria-labelledby": `way-${way.name}`, data: {way: way.name}},
            h("div.lab-way-head", {}, h("h2", {id: `way-${way.name}`}, way.title), this.#badge),
            h("p.small.muted", {}, way.text),
            this.#lane,
            h("dl.lab-figures.numbers", {}, figures.map(([name, title]) => {
                this.#values[name] = h("dd", {data: {figure: name}});
                return h("div", {}, h("dt", {}, title), this.#values[name]);
            })),
            h("details", {}, h("summary", {}, "Show the Swift"), h("pre", {tabindex: 0}, this.#code)),
        );
        this.clear();
    }

    /// The function that runs.
    set swift(text) {
        this.#code.textContent = text;
    }

    /// Shows that no image was requested yet; `word` is the badge's.
    clear(word = "ready") {
        this.show({images: "w".repeat(this.#cells.length), requests: 0, late: 0, start: null, cancelled: null, end: null}, 0);
        this.#tell(word, "");
    }

    /// Shows that the run ended early.
    interrupt() {
        this.#tell("interrupted", "warn");
    }

    /// Shows the state of the way at `now`.
    show({images, requests, late, start, cancelled, end}, now) {
        const states = [...images].map(letter => stateOf(letter, cancelled !== null));
        states.forEach((state, index) => {
            const cell = this.#cells[index];
            if (cell.dataset.state === state) return;
            cell.dataset.state = state;
            cell.textContent = STATES[state].sign;
        });
        const count = name => states.filter(state => state === name).length;
        this.#lane.setAttribute("aria-label", Object.entries(STATES)
            .filter(([name]) => count(name) > 0).map(([name, {word}]) => `${count(name)} ${word}`).join(", "));
        this.#show("time", start === null ? "–" : seconds((end ?? now) - start));
        this.#show("requests", figure(requests));
        this.#show("loaded", figure(count("finished")));
        this.#show("late", cancelled === null ? "–" : figure(late), late > 0);
        this.#tell(...told({start, cancelled, end, now, running: count("unstopped")}));
    }

    #tell(word, kind) {
        this.#badge.textContent = word;
        this.#badge.className = `badge ${kind}`;
    }

    #show(name, text, isBad = false) {
        this.#values[name].textContent = text;
        this.#values[name].classList.toggle("is-bad", isBad);
    }
}

/// Returns the words and the kind of the badge.
function told({start, cancelled, end, now, running}) {
    if (start === null) return ["ready", ""];
    if (cancelled === null) return end === null ? ["running", "info"] : ["done", "good"];
    if (end === null) return [`${running} still running, ${seconds(now - cancelled)}`, "bad"];
    const after = end - cancelled;
    return [`stopped after ${after < 100 ? `${Math.round(after)} ms` : seconds(after)}`, after < 100 ? "good" : "bad"];
}

function seconds(milliseconds) {
    return `${(Math.max(0, milliseconds) / 1000).toFixed(2)} s`;
}
