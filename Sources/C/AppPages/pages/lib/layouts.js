// Where the cells of a grid are. Positions count cells, and lengths are in CSS pixels.
//
// A layout has `count` cells in `rowCount` rows, at most `columns` in a row, and is `height` high. Row `number` has the
// cells from `first(number)` to before `end(number)`, with `widths(number)`, at `top(number)`, and is `heightOf(number)`
// high. `rowOf(position)` and `rowAt(y)` find rows; `isLike(other)` is true if the cells of both are in the same places.

/// Rows of cells of equal size.
export class EvenRows {
    #cell;
    #gap;

    /// Lays out `count` cells of `width` and `height`, with `gap` between them.
    constructor(count, {columns, width, height, gap}) {
        this.count = count;
        this.columns = columns;
        this.#cell = {width, height};
        this.#gap = gap;
    }

    get rowCount() {
        return Math.ceil(this.count / this.columns);
    }

    get height() {
        return this.rowCount === 0 ? 0 : this.top(this.rowCount) - this.#gap;
    }

    first(number) {
        return number * this.columns;
    }

    end(number) {
        return Math.min((number + 1) * this.columns, this.count);
    }

    top(number) {
        return number * (this.#cell.height + this.#gap);
    }

    heightOf() {
        return this.#cell.height;
    }

    widths() {
        return Array(this.columns).fill(this.#cell.width);
    }

    rowOf(position) {
        return Math.floor(position / this.columns);
    }

    rowAt(y) {
        return Math.floor(y / (this.#cell.height + this.#gap));
    }

    isLike(other) {
        return other instanceof EvenRows && other.columns === this.columns && other.#cell.width === this.#cell.width;
    }
}

/// Rows that images fill exactly, each of one height, with the ratios of the images.
export class JustifiedRows {
    #ratios;
    #about;
    /// The first position of each row, and the number of cells.
    #starts = [0];
    /// The top of each row, and that of the row after the last.
    #tops = [0];
    columns = 0;

    /// Lays out images by the ratios of their width to their height, in rows of about `size` in height across `room`.
    constructor(ratios, {room, size, gap}) {
        this.#ratios = ratios;
        this.#about = {room, size, gap};
        let sum = 0;
        for (let position = 0; position < ratios.length; position += 1) {
            const before = this.#heightFor(sum, position - this.#starts.at(-1));
            const after = this.#heightFor(sum + ratios[position], position + 1 - this.#starts.at(-1));
            // The image belongs to the row if that brings the row's height closer to what is wanted.
            if (sum > 0 && after < size && before - size < size - after) {
                this.#close(position, before);
                sum = 0;
            }
            sum += ratios[position];
        }
        // The last row has the usual height if it would be higher with the whole width.
        if (sum > 0) this.#close(ratios.length, Math.min(size, this.#heightFor(sum, ratios.length - this.#starts.at(-1))));
    }

    #heightFor(sum, count) {
        return sum === 0 ? Infinity : Math.max(1, (this.#about.room - this.#about.gap * (count - 1)) / sum);
    }

    #close(end, height) {
        this.columns = Math.max(this.columns, end - this.#starts.at(-1));
        this.#starts.push(end);
        this.#tops.push(this.#tops.at(-1) + height + this.#about.gap);
    }

    get count() {
        return this.#ratios.length;
    }

    get rowCount() {
        return this.#starts.length - 1;
    }

    get height() {
        return this.rowCount === 0 ? 0 : this.#tops.at(-1) - this.#about.gap;
    }

    first(number) {
        return this.#starts[number];
    }

    end(number) {
        return this.#starts[number + 1];
    }

    top(number) {
        return this.#tops[number];
    }

    heightOf(number) {
        return this.#tops[number + 1] - this.#tops[number] - this.#about.gap;
    }

    widths(number) {
        return this.#ratios.slice(this.first(number), this.end(number)).map(ratio => ratio * this.heightOf(number));
    }

    rowOf(position) {
        return lastNotAbove(this.#starts, position);
    }

    rowAt(y) {
        return lastNotAbove(this.#tops, y);
    }

    isLike(other) {
        if (!(other instanceof JustifiedRows) || other.#ratios !== this.#ratios) return false;
        return ["room", "size", "gap"].every(key => other.#about[key] === this.#about[key]);
    }
}

/// Returns the last index in a sorted array whose value is at most `value`; -1 if there is none.
function lastNotAbove(values, value) {
    let [low, high] = [0, values.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}
