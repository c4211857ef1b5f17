// The cells of a wall: an image, a failure, or an empty place.

import {h, symbol} from "../lib/dom.js";
import {Grid} from "../lib/grid.js";
import "../lib/pictures.js";
import {nameIn} from "./model.js";

export class WallPictures {
    #model = null;
    #isListed = false;
    #grid;

    /// `open(index)` opens an entry; `side()` returns the minimum side of a cell in CSS pixels.
    constructor(open, side) {
        this.#grid = new Grid(document.querySelector("#pictures"), {
            size: side, make,
            show: (cell, position) => show(cell, position, this.#model.entries[this.indexAt(position)]),
            open: position => {
                if (this.#model.entries[this.indexAt(position)]) open(this.indexAt(position));
            },
        });
    }

    /// Shows another wall, with its images in the order of the list or of completion.
    begin(model, isListed) {
        this.#model = model;
        this.#isListed = isListed;
        this.#grid.count = 0;
    }

    /// Sets the number of images, as reported by the server.
    size() {
        this.#grid.count = this.#model.total;
    }

    /// Shows finished entries: `fresh` contains their positions in the list, and `before` is the previous
    /// number of finished entries.
    add(fresh, before) {
        fresh.forEach((index, number) => this.#grid.refresh(this.#isListed ? index : before + number));
    }

    /// Nothing more will arrive: removes empty places at the end.
    end() {
        if (!this.#isListed) this.#grid.count = this.#model.finished.length;
        else this.#grid.refreshAll();
    }

    /// Changes the order of the images.
    arrange(isListed) {
        this.#isListed = isListed;
        this.#grid.count = isListed || this.#model.isRunning ? this.#model.total : this.#model.finished.length;
    }

    /// Returns the position in the list of the entry in a cell; `undefined` if the cell is empty.
    indexAt(position) {
        return this.#isListed ? position : this.#model.finished[position];
    }

    /// Returns the positions in the list of all entries that can be opened, in display order.
    get order() {
        return this.#isListed ? this.#model.finished.toSorted((one, other) => one - other) : this.#model.finished;
    }

    focus(index) {
        const position = this.#isListed ? index : this.#model.finished.indexOf(index);
        if (position >= 0) this.#grid.focus(position);
    }
}

function make(cell) {
    cell.append(h("lazy-picture", {alt: ""}), h("span.wall-mark", {hidden: true}, symbol("warning"), h("span")), h("span.wall-caption", {"aria-hidden": "true", dir: "auto"}));
}

function show(cell, position, entry) {
    const [picture, mark, caption] = cell.children;
    const isGood = entry?.status === "ok";
    cell.dataset.status = entry?.status ?? "waiting";
    picture.hidden = !isGood;
    mark.hidden = !entry || isGood;
    caption.textContent = isGood ? entry.caption ?? "" : "";
    picture.setAttribute("alt", caption.textContent);
    if (isGood) picture.setAttribute("src", entry.src);
    else picture.removeAttribute("src");
    if (entry && !isGood) {
        // A long code can break between its words.
        const words = entry.code.split(/(?<=_)/);
        mark.lastElementChild.replaceChildren(...words.flatMap(word => [word, document.createElement("wbr")]).slice(0, -1));
    }
    cell.setAttribute("aria-label", label(position, entry));
}

function label(position, entry) {
    if (!entry) return `${position + 1}: not loaded yet`;
    const name = entry.caption ?? nameIn(entry);
    return entry.status === "ok" ? name : `${name}: failed, ${entry.code}`;
}
