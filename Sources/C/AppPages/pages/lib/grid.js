// A grid of thousands of cells. The document contains only the visible rows and one more on either side, and
// rows that become invisible are reused, so neither memory nor the work per frame grows with the number of
// cells. All cells have the same size, so nothing moves when one is filled.

import {h} from "./dom.js";

/// The number of rows to prepare above and below the visible ones.
const MARGIN = 1;

export class Grid {
    #element;
    #options;
    #count = 0;
    #columns = 1;
    #width = 0;
    #height = 0;
    #rows = new Map();
    #spare = [];
    #changed = new Set();
    #active = 0;
    #frame = 0;
    #observer = new ResizeObserver(() => this.#measure());
    #wake = () => {
        this.#frame ||= requestAnimationFrame(() => {
            this.#frame = 0;
            this.#render();
        });
    };

    /// Makes `element` a grid. `size()` returns the minimum width of a cell, and `gap` is the space between
    /// cells, both in CSS pixels. `height` is the height of a cell, by default its width. `columns` sets a
    /// fixed number of columns. `make(cell)` creates the content of a cell, `show(cell, position)` fills it,
    /// and `open(position)` handles a click, Enter and the space bar.
    constructor(element, {size = () => 112, gap = 8, height = null, columns = null, make, show, open}) {
        this.#element = element;
        this.#options = {size, gap, height, columns, make, show, open};
        element.setAttribute("role", "grid");
        element.classList.add("grid");
        element.addEventListener("keydown", event => this.#pressed(event));
        element.addEventListener("click", event => this.#clicked(event));
        element.addEventListener("focusin", event => this.#focused(event));
        // Capturing receives the scroll events of all elements, whichever one contains the grid.
        addEventListener("scroll", this.#wake, {passive: true, capture: true});
        addEventListener("resize", this.#wake, {passive: true});
        this.#observer.observe(element);
    }

    get count() {
        return this.#count;
    }

    /// The number of cells; setting it fills the visible cells again.
    set count(count) {
        this.#count = count;
        this.#active = clamp(this.#active, 0, Math.max(0, count - 1));
        this.#measure();
        this.refreshAll();
    }

    /// Fills the cell at `position` again in the next frame, if it is visible.
    refresh(position) {
        if (!this.#rows.has(Math.floor(position / this.#columns))) return;
        this.#changed.add(position);
        this.#wake();
    }

    /// Fills all visible cells again in the next frame.
    refreshAll() {
        for (const number of this.#rows.keys()) {
            for (let column = 0; column < this.#columns; column += 1) this.#changed.add(number * this.#columns + column);
        }
        this.#wake();
    }

    /// Scrolls to the cell at `position` and focuses it.
    focus(position) {
        if (this.#count === 0) return;
        this.#active = clamp(position, 0, this.#count - 1);
        const number = Math.floor(this.#active / this.#columns);
        const row = this.#rows.get(number) ?? this.#place(number);
        row.element.scrollIntoView({block: "nearest"});
        row.cells[this.#active % this.#columns].focus({preventScroll: true});
        this.#render();
    }

    /// Lays the cells out again, after a change of what `size()` returns.
    resize() {
        this.#measure();
    }

    get #step() {
        return this.#height + this.#options.gap;
    }

    get #rowCount() {
        return Math.ceil(this.#count / this.#columns);
    }

    /// Computes the number of columns; if it changes, the first visible cell stays visible.
    #measure() {
        const room = this.#element.clientWidth;
        if (room === 0) return this.#wake();
        const {size, gap, height} = this.#options;
        const columns = this.#options.columns ?? Math.max(1, Math.floor((room + gap) / (size() + gap)));
        const width = (room - gap * (columns - 1)) / columns;
        const anchor = this.#firstInView;
        if (columns !== this.#columns || width !== this.#width) {
            this.#clear(columns !== this.#columns);
            this.#columns = columns;
            this.#width = width;
            this.#height = height ?? width;
            this.#tellSize();
            if (anchor > 0) scrollBy(0, this.#element.getBoundingClientRect().top + Math.floor(anchor / columns) * this.#step);
        }
        this.#tellSize();
        this.#render();
    }

    #tellSize() {
        const rows = this.#rowCount;
        this.#element.style.height = rows === 0 ? "0" : `${rows * this.#step - this.#options.gap}px`;
        this.#element.setAttribute("aria-rowcount", rows);
        this.#element.setAttribute("aria-colcount", this.#columns);
    }

    /// The first cell of the topmost visible row; 0 at the beginning of the grid.
    get #firstInView() {
        const top = this.#element.getBoundingClientRect().top;
        return top >= 0 || this.#height === 0 ? 0 : Math.floor(-top / this.#step) * this.#columns;
    }

    /// The rows that must be in the document, from the first up to the end.
    get #wanted() {
        const box = this.#element.getBoundingClientRect();
        if (box.width === 0 || this.#height === 0) return [0, 0];
        const first = clamp(Math.floor(-box.top / this.#step) - MARGIN, 0, this.#rowCount);
        const end = clamp(Math.ceil((innerHeight - box.top) / this.#step) + MARGIN, first, this.#rowCount);
        return [first, end];
    }

    /// Adds visible rows to the document, and removes the others except the one with the focus.
    #render() {
        const [first, end] = this.#wanted;
        const hasFocus = this.#element.contains(document.activeElement);
        const kept = hasFocus ? Math.floor(this.#active / this.#columns) : -1;
        for (const row of [...this.#rows.values()]) {
            const isWanted = (row.number >= first && row.number < end) || row.number === kept;
            if (!isWanted || row.number >= this.#rowCount) this.#takeAway(row);
        }
        for (const position of this.#changed) this.#fill(position);
        this.#changed.clear();
        for (let number = first; number < end; number += 1) {
            if (!this.#rows.has(number)) this.#place(number);
        }
        if (!hasFocus) this.#active = clamp(this.#firstInView, 0, Math.max(0, this.#count - 1));
        this.#markActive();
    }

    /// Lets the tab key reach only one cell.
    #markActive() {
        for (const row of this.#rows.values()) {
            row.cells.forEach((cell, column) => {
                cell.tabIndex = row.number * this.#columns + column === this.#active ? 0 : -1;
            });
        }
    }

    #place(number) {
        const row = this.#spare.pop() ?? this.#makeRow();
        row.number = number;
        this.#rows.set(number, row);
        const {style} = row.element;
        style.transform = `translateY(${number * this.#step}px)`;
        style.height = `${this.#height}px`;
        style.gridTemplateColumns = `repeat(${this.#columns}, ${this.#width}px)`;
        style.columnGap = `${this.#options.gap}px`;
        row.element.setAttribute("aria-rowindex", number + 1);
        for (let column = 0; column < this.#columns; column += 1) this.#fill(number * this.#columns + column);
        this.#element.insertBefore(row.element, this.#elementAfter(number));
        return row;
    }

    /// The rows are in order, which is the reading order.
    #elementAfter(number) {
        let next = null;
        for (const row of this.#rows.values()) {
            if (row.number > number && (next === null || row.number < next.number)) next = row;
        }
        return next?.element ?? null;
    }

    #makeRow() {
        const cells = Array.from({length: this.#columns}, (_, column) => {
            const cell = h("div.grid-cell", {role: "gridcell", "aria-colindex": column + 1, tabindex: -1});
            this.#options.make(cell);
            return cell;
        });
        return {element: h("div.grid-row", {role: "row"}, cells), cells, number: -1};
    }

    /// Removing a row aborts the loads of its images.
    #takeAway(row) {
        this.#rows.delete(row.number);
        row.element.remove();
        this.#spare.push(row);
    }

    #clear(isOtherShape) {
        for (const row of [...this.#rows.values()]) this.#takeAway(row);
        if (isOtherShape) this.#spare = [];
    }

    #fill(position) {
        const cell = this.#rows.get(Math.floor(position / this.#columns))?.cells[position % this.#columns];
        if (!cell) return;
        cell.hidden = position >= this.#count;
        cell.dataset.position = position;
        if (!cell.hidden) this.#options.show(cell, position);
    }

    #positionOf(target) {
        const cell = target.closest(".grid-cell");
        return cell ? Number(cell.dataset.position) : null;
    }

    #clicked(event) {
        const position = this.#positionOf(event.target);
        if (position !== null) this.#options.open(position);
    }

    #focused(event) {
        const position = this.#positionOf(event.target);
        if (position === null || position === this.#active) return;
        this.#active = position;
        this.#markActive();
    }

    #pressed(event) {
        // Elements in a cell, such as a button, handle their own keys.
        if (!event.target.matches(".grid-cell") || event.altKey || event.metaKey) return;
        const isOpening = event.key === "Enter" || event.key === " ";
        const target = isOpening ? null : this.#target(event);
        if (!isOpening && target === null) return;
        event.preventDefault();
        isOpening ? this.#options.open(this.#active) : this.focus(target);
    }

    /// Returns the target of a key; `null` if it has none.
    #target({key, ctrlKey}) {
        const [at, columns, last] = [this.#active, this.#columns, this.#count - 1];
        const page = Math.max(1, Math.floor(innerHeight / this.#step) - 1) * columns;
        const start = at - (at % columns);
        const targets = {
            ArrowRight: Math.min(at + 1, last),
            ArrowLeft: Math.max(at - 1, 0),
            ArrowDown: at + columns <= last ? at + columns : at,
            ArrowUp: at - columns >= 0 ? at - columns : at,
            PageDown: Math.min(at + page, last),
            PageUp: Math.max(at - page, 0),
            Home: ctrlKey ? 0 : start,
            End: ctrlKey ? last : Math.min(start + columns - 1, last),
        };
        return targets[key] ?? null;
    }
}

function clamp(value, least, most) {
    return Math.min(Math.max(value, least), most);
}
