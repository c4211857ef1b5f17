// The cells of a wall: an image, a failure, or an empty place.

import {figure, h, symbol} from "../lib/dom.js";
import {Grid} from "../lib/grid.js";
import "../lib/pictures.js";
import {nameIn} from "./model.js";

/// How entries are sorted by the values of the choice; otherwise they are in the order of completion.
const SORTS = {
    slowest: (one, other) => (other.milliseconds ?? -1) - (one.milliseconds ?? -1),
    failures: (one, other) => (one.status === "ok") - (other.status === "ok"),
    largest: (one, other) => (other.bytes ?? -1) - (one.bytes ?? -1),
};

/// The least and the greatest ratio of width to height of a cell; more extreme images are cropped.
const RATIOS = [0.4, 4];

export class WallPictures {
    #model = null;
    #order = "finished";
    /// The positions in the list by position in the grid; `null` if they are the same.
    #places = [];
    /// The ratios of all images, by position in the grid, once they are known.
    #ratios = null;
    #grid;

    /// `open(index)` opens an entry; `side()` returns the size of thumbnails in CSS pixels; `passed()` is called when
    /// an image was scrolled past before it had loaded.
    constructor(open, side, passed) {
        const element = document.querySelector("#pictures");
        this.#grid = new Grid(element, {
            size: side, make, ratios: () => this.#ratios,
            show: (cell, position) => show(cell, position, this.#model.entries[this.indexAt(position)]),
            open: position => {
                if (this.#model.entries[this.indexAt(position)]) open(this.indexAt(position));
            },
        });
        addEventListener("picture-cancelled", () => {
            if (!this.#grid.isLayingOut && element.checkVisibility()) passed();
        });
    }

    /// Shows another wall, in an order: `finished`, `list`, `slowest`, `failures` or `largest`.
    begin(model, order) {
        this.#model = model;
        this.#order = order;
        this.#arrange(() => 0);
    }

    /// Sets the number of images, as reported by the server.
    size() {
        this.#grid.count = this.#model.total;
    }

    /// Shows finished entries: `fresh` contains their positions in the list, and `before` is the previous
    /// number of finished entries. They are sorted when the wall has ended, so that nothing moves until then.
    add(fresh, before) {
        if (this.#places !== null && this.#places !== this.#model.finished) this.#places.push(...fresh);
        fresh.forEach((index, number) => this.#grid.refresh(this.#places === null ? index : before + number));
    }

    /// Nothing more will arrive: removes empty places at the end, and gives each image its ratio.
    end() {
        this.#arrange(() => this.#places?.length ?? this.#model.total);
    }

    /// Changes the order of the images.
    arrange(order) {
        this.#order = order;
        this.#arrange(() => (this.#model.isRunning ? this.#model.total : this.#places?.length ?? this.#model.total));
    }

    /// Lays the images out again, after a change of the size of cells.
    resize() {
        this.#grid.resize();
    }

    /// Sorts the images, and sets the number of cells.
    #arrange(count) {
        const {finished, entries} = this.#model;
        const sort = SORTS[this.#order];
        if (sort) this.#places = finished.toSorted((one, other) => sort(entries[one], entries[other]) || one - other);
        else this.#places = this.#order === "list" ? null : finished;
        const length = count();
        // Until all sizes are known, cells are squares, so that nothing moves while images arrive.
        this.#ratios = this.#model.isRunning ? null : Array.from({length}, (_, position) => ratioOf(entries[this.indexAt(position)]));
        this.#grid.count = length;
    }

    /// Returns the position in the list of the entry in a cell; `undefined` if the cell is empty.
    indexAt(position) {
        return this.#places === null ? position : this.#places[position];
    }

    /// Returns the positions in the list of all entries that can be opened, in display order.
    get order() {
        return this.#places ?? this.#model.finished.toSorted((one, other) => one - other);
    }

    focus(index) {
        const position = this.#places === null ? index : this.#places.indexOf(index);
        if (position >= 0) this.#grid.focus(position);
    }
}

function ratioOf(entry) {
    return entry?.width && entry.height ? Math.min(Math.max(entry.width / entry.height, RATIOS[0]), RATIOS[1]) : 1;
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
    if (!entry) return `Image ${figure(position + 1)}: not loaded yet`;
    const name = entry.caption ?? nameIn(entry);
    return entry.status === "ok" ? name : `${name}: failed, ${entry.code}`;
}
