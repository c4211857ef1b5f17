// A grid of thousands of cells. The document contains only the visible rows and one more on either side, and
// rows that become invisible are reused, so neither memory nor the work per frame grows with the number of
// cells. A cell's place does not depend on what is in it, so nothing moves when one is filled.

import {h} from "./dom.js";
import {EvenRows, JustifiedRows} from "./layouts.js";

/// The number of rows to prepare above and below the visible ones.
const MARGIN = 1;

export class Grid {
    #element;
    #options;
    #count = 0;
    #layout = new EvenRows(0, {columns: 1, width: 0, height: 0, gap: 0});
    #rows = new Map();
    #spare = [];
    #changed = new Set();
    #active = 0;
    #frame = 0;
    /// Whether cells are being moved or removed for another reason than scrolling.
    isLayingOut = false;
    #observer = new ResizeObserver(() => this.#measure());
    #wake = () => {
        this.#frame ||= requestAnimationFrame(() => {
            this.#frame = 0;
            this.#render();
        });
    };

    /// Makes `element` a grid. `size()` returns the minimum width of a cell, and `gap` is the space between
    /// cells, both in CSS pixels. `height` is the height of a cell, by default its width. `columns` sets a
    /// fixed number of columns. If `ratios()` returns the ratios of all cells (width to height), each row is as wide as
    /// the grid, and about `size()` high. `make(cell)` creates the content of a cell, `show(cell, position)` fills it,
    /// and `open(position)` handles a click, Enter and the space bar.
    constructor(element, {size = () => 112, gap = 8, height = null, columns = null, ratios = () => null, make, show, open}) {
        this.#element = element;
        this.#options = {size, gap, height, columns, ratios, make, show, open};
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
        if (!this.#rows.has(this.#layout.rowOf(position))) return;
        this.#changed.add(position);
        this.#wake();
    }

    /// Fills all visible cells again in the next frame.
    refreshAll() {
        for (const {number, cells} of this.#rows.values()) {
            cells.forEach((_, column) => this.#changed.add(this.#layout.first(number) + column));
        }
        this.#wake();
    }

    /// Lays the cells out again, after a change of what `size()` returns.
    resize() {
        this.#measure();
    }

    /// Scrolls to the cell at `position` and focuses it.
    focus(position) {
        if (this.#count === 0) return;
        this.#active = clamp(position, 0, this.#count - 1);
        const number = this.#layout.rowOf(this.#active);
        const row = this.#rows.get(number) ?? this.#place(number);
        row.element.scrollIntoView({block: "nearest"});
        row.cells[this.#active - this.#layout.first(number)].focus({preventScroll: true});
        this.#render();
    }

    /// Lays the cells out; if their places change, a visible row stays where it is.
    #measure() {
        const room = this.#element.clientWidth;
        if (room === 0) return this.#wake();
        const layout = this.#layoutFor(room);
        this.isLayingOut = true;
        if (layout.isLike(this.#layout)) {
            this.#layout = layout;
            this.#tellSize();
        } else {
            const anchor = this.#anchor;
            this.#clear();
            this.#layout = layout;
            this.#tellSize();
            if (anchor) scrollBy(0, this.#topOf(anchor.position) - anchor.top);
        }
        this.#render();
        this.isLayingOut = false;
    }

    #layoutFor(room) {
        const {size, gap, height, ratios} = this.#options;
        const known = ratios();
        if (known?.length === this.#count) return new JustifiedRows(known, {room, size: size(), gap});
        const columns = this.#options.columns ?? Math.max(1, Math.floor((room + gap) / (size() + gap)));
        const width = (room - gap * (columns - 1)) / columns;
        return new EvenRows(this.#count, {columns, width, height: height ?? width, gap});
    }

    #tellSize() {
        this.#element.style.height = `${this.#layout.height}px`;
        this.#element.setAttribute("aria-rowcount", this.#layout.rowCount);
        this.#element.setAttribute("aria-colcount", this.#layout.columns);
    }

    /// A cell in view, and where it is in the window; `null` at the beginning of the grid.
    get #anchor() {
        const {top} = this.#element.getBoundingClientRect();
        if (top >= 0 || this.#layout.height === 0) return null;
        const position = this.#layout.first(this.#rowAt(innerHeight / 3 - top));
        return {position, top: this.#topOf(position)};
    }

    #topOf(position) {
        const number = this.#layout.rowOf(clamp(position, 0, Math.max(0, this.#count - 1)));
        return this.#element.getBoundingClientRect().top + this.#layout.top(Math.max(0, number));
    }

    /// The row at a height of the grid, or the one that is closest to it.
    #rowAt(y) {
        return clamp(this.#layout.rowAt(y), 0, Math.max(0, this.#layout.rowCount - 1));
    }

    /// The first cell of the topmost visible row; 0 at the beginning of the grid.
    get #firstInView() {
        const {top} = this.#element.getBoundingClientRect();
        return top >= 0 || this.#layout.height === 0 ? 0 : this.#layout.first(this.#rowAt(-top));
    }

    /// The rows that must be in the document, from the first up to the end.
    get #wanted() {
        const box = this.#element.getBoundingClientRect();
        if (box.width === 0 || this.#layout.height === 0 || box.top > innerHeight) return [0, 0];
        const first = Math.max(0, this.#rowAt(-box.top) - MARGIN);
        return [first, Math.min(this.#rowAt(innerHeight - box.top) + 1 + MARGIN, this.#layout.rowCount)];
    }

    /// Adds visible rows to the document, and removes the others except the one with the focus.
    #render() {
        const [first, end] = this.#wanted;
        const hasFocus = this.#element.contains(document.activeElement);
        const kept = hasFocus ? this.#layout.rowOf(this.#active) : -1;
        for (const row of [...this.#rows.values()]) {
            const isWanted = (row.number >= first && row.number < end) || row.number === kept;
            if (!isWanted || row.number >= this.#layout.rowCount) this.#takeAway(row);
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
                cell.tabIndex = this.#layout.first(row.number) + column === this.#active ? 0 : -1;
            });
        }
    }

    #place(number) {
        const row = this.#spare.pop() ?? {element: h("div.grid-row", {role: "row"}), cells: []};
        row.number = number;
        this.#rows.set(number, row);
        const widths = this.#layout.widths(number);
        while (row.cells.length < widths.length) this.#addCell(row);
        while (row.cells.length > widths.length) row.cells.pop().remove();
        const {style} = row.element;
        style.transform = `translateY(${this.#layout.top(number)}px)`;
        style.height = `${this.#layout.heightOf(number)}px`;
        style.gridTemplateColumns = widths.map(width => `${width}px`).join(" ");
        style.columnGap = `${this.#options.gap}px`;
        row.element.setAttribute("aria-rowindex", number + 1);
        row.cells.forEach((_, column) => this.#fill(this.#layout.first(number) + column));
        this.#element.insertBefore(row.element, this.#elementAfter(number));
        return row;
    }

    #addCell(row) {
        const cell = h("div.grid-cell", {role: "gridcell", "aria-colindex": row.cells.length + 1, tabindex: -1});
        this.#options.make(cell);
        row.cells.push(cell);
        row.element.append(cell);
    }

    /// The rows are in order, which is the reading order.
    #elementAfter(number) {
        let next = null;
        for (const row of this.#rows.values()) {
            if (row.number > number && (next === null || row.number < next.number)) next = row;
        }
        return next?.element ?? null;
    }

    /// Removing a row aborts the loads of its images.
    #takeAway(row) {
        this.#rows.delete(row.number);
        row.element.remove();
        this.#spare.push(row);
    }

    #clear() {
        for (const row of [...this.#rows.values()]) this.#takeAway(row);
        this.#changed.clear();
    }

    #fill(position) {
        const number = this.#layout.rowOf(position);
        const cell = this.#rows.get(number)?.cells[position - this.#layout.first(number)];
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
        const [at, last] = [this.#active, this.#count - 1];
        const number = this.#layout.rowOf(at);
        const page = innerHeight - this.#layout.heightOf(number);
        const targets = {
            ArrowRight: () => Math.min(at + 1, last),
            ArrowLeft: () => Math.max(at - 1, 0),
            ArrowDown: () => this.#under(at, number + 1),
            ArrowUp: () => this.#under(at, number - 1),
            PageDown: () => this.#under(at, Math.max(this.#rowAt(this.#layout.top(number) + page), number + 1)),
            PageUp: () => this.#under(at, Math.min(this.#rowAt(this.#layout.top(number) - page), number - 1)),
            Home: () => (ctrlKey ? 0 : this.#layout.first(number)),
            End: () => (ctrlKey ? last : this.#layout.end(number) - 1),
        };
        return targets[key]?.() ?? null;
    }

    /// Returns the cell of another row that is under or over the middle of the cell at `position`; without such a row,
    /// `position`.
    #under(position, number) {
        if (number < 0 || number >= this.#layout.rowCount) return position;
        const x = this.#middle(position);
        let found = this.#layout.first(number);
        for (let other = found + 1; other < this.#layout.end(number); other += 1) {
            if (Math.abs(this.#middle(other) - x) < Math.abs(this.#middle(found) - x)) found = other;
        }
        return found;
    }

    /// The middle of a cell in its row.
    #middle(position) {
        const number = this.#layout.rowOf(position);
        const widths = this.#layout.widths(number);
        const column = position - this.#layout.first(number);
        return widths.slice(0, column).reduce((sum, width) => sum + width + this.#options.gap, 0) + widths[column] / 2;
    }
}

function clamp(value, least, most) {
    return Math.min(Math.max(value, least), most);
}
