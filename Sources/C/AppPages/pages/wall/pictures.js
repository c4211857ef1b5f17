// The cells of a wall: a picture, what failed, or a place that is still empty.

import {h, symbol} from "../lib/dom.js";
import {Grid} from "../lib/grid.js";
import "../lib/pictures.js";
import {nameOf} from "../lib/words.js";

export class WallPictures {
    #model = null;
    #isListed = false;
    #grid;

    /// `open(index)` shows one larger; `side()` is the least length of a cell in CSS pixels.
    constructor(open, side) {
        this.#grid = new Grid(document.querySelector("#pictures"), {
            size: side, make,
            show: (cell, position) => show(cell, position, this.#model.entries[this.indexAt(position)]),
            open: position => {
                if (this.#model.entries[this.indexAt(position)]) open(this.indexAt(position));
            },
        });
    }

    /// Shows another wall, its pictures as they are listed or as they end.
    begin(model, isListed) {
        this.#model = model;
        this.#isListed = isListed;
        this.#grid.count = 0;
    }

    /// The server has told how many there will be.
    size() {
        this.#grid.count = this.#model.total;
    }

    /// Shows what has ended: `fresh` are numbers in the list, and `before` is how many had ended then.
    add(fresh, before) {
        fresh.forEach((index, number) => this.#grid.refresh(this.#isListed ? index : before + number));
    }

    /// Nothing more will come: places that stay empty go, where they are at the end.
    end() {
        if (!this.#isListed) this.#grid.count = this.#model.finished.length;
        else this.#grid.refreshAll();
    }

    /// Arranges the pictures anew.
    arrange(isListed) {
        this.#isListed = isListed;
        this.#grid.count = isListed || this.#model.isRunning ? this.#model.total : this.#model.finished.length;
    }

    /// The number in the list of what stands at a position; `undefined` where nothing does yet.
    indexAt(position) {
        return this.#isListed ? position : this.#model.finished[position];
    }

    /// The numbers in the list of all that can be opened, as they are arranged.
    get order() {
        return this.#isListed ? this.#model.finished.toSorted((one, other) => one - other) : this.#model.finished;
    }

    focus(index) {
        const position = this.#isListed ? index : this.#model.finished.indexOf(index);
        if (position >= 0) this.#grid.focus(position);
    }
}

function make(cell) {
    cell.append(h("lazy-picture", {alt: ""}), h("span.wall-mark", {hidden: true}, symbol("warning"), h("span")));
}

function show(cell, position, entry) {
    const [picture, mark] = cell.children;
    const isGood = entry?.status === "ok";
    cell.dataset.status = entry?.status ?? "waiting";
    picture.hidden = !isGood;
    mark.hidden = !entry || isGood;
    if (isGood) picture.setAttribute("src", entry.src);
    else picture.removeAttribute("src");
    if (entry && !isGood) {
        // A long code is broken between its words.
        const words = entry.code.split(/(?<=_)/);
        mark.lastElementChild.replaceChildren(...words.flatMap(word => [word, document.createElement("wbr")]).slice(0, -1));
    }
    cell.setAttribute("aria-label", label(position, entry));
}

function label(position, entry) {
    if (!entry) return `${position + 1}: not there yet`;
    return entry.status === "ok" ? nameOf(entry.url) : `${nameOf(entry.url)}: failed, ${entry.code}`;
}
