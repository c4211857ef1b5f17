// The list of failures, with a filter by reason and by URL.

import {sentence} from "../lib/api.js";
import {debounced, figure, h} from "../lib/dom.js";
import {Grid} from "../lib/grid.js";
import {meaning} from "../lib/words.js";
import {nameIn} from "./model.js";

const FILTER_DELAY = 120;
const LINE_HEIGHT = 60;

const codes = document.querySelector("#filter-code");
const text = document.querySelector("#filter-text");
const none = document.querySelector("#no-failures");

export class Failures {
    #model = null;
    /// Positions in the list that match the filter.
    #shown = [];
    #told = 0;
    #grid;

    /// `open(index)` opens an entry.
    constructor(open) {
        const make = cell => cell.append(h("span.failure-code"), h("span.failure-url"), h("span.failure-message"));
        const show = (cell, position) => this.#show(cell, position);
        this.#grid = new Grid(document.querySelector("#failures"), {
            columns: 1, height: LINE_HEIGHT, gap: 0, make, show, open: position => open(this.#shown[position]),
        });
        codes.addEventListener("change", () => this.#filter());
        text.addEventListener("input", debounced(FILTER_DELAY, () => this.#filter()));
    }

    /// Shows the failures of another wall.
    begin(model) {
        this.#model = model;
        text.value = "";
        codes.replaceChildren(new Option("All reasons", ""));
        this.#filter();
    }

    /// Shows the failures since the last call.
    update() {
        const {failures} = this.#model;
        if (failures.length === this.#told) return;
        const fresh = failures.slice(this.#told).filter(index => this.#passes(index));
        this.#told = failures.length;
        this.#listCodes();
        this.#shown.push(...fresh);
        this.#tell();
    }

    #filter() {
        this.#shown = this.#model.failures.filter(index => this.#passes(index));
        this.#told = this.#model.failures.length;
        this.#listCodes();
        this.#tell();
    }

    #passes(index) {
        const {code, url} = this.#model.entries[index];
        return (codes.value === "" || code === codes.value) && url.toLowerCase().includes(text.value.trim().toLowerCase());
    }

    #listCodes() {
        const known = new Map([...codes.options].map(option => [option.value, option]));
        for (const [code, count] of this.#model.codes) {
            const option = known.get(code) ?? codes.appendChild(new Option("", code));
            option.textContent = `${code} (${figure(count)})`;
        }
    }

    #tell() {
        const isFiltered = this.#model.failures.length > 0;
        none.hidden = this.#shown.length > 0;
        none.textContent = isFiltered ? "No matches." : "No failures.";
        this.#grid.count = this.#shown.length;
    }

    #show(cell, position) {
        const entry = this.#model.entries[this.#shown[position]];
        const {code, url, message} = entry;
        const [badge, address, reason] = cell.children;
        badge.textContent = code;
        address.textContent = url;
        reason.textContent = sentence(message || meaning(code));
        cell.setAttribute("aria-label", `${nameIn(entry)}: ${code}, ${reason.textContent}`);
    }
}
