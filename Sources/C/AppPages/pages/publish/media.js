// The list of a draft's media: thumbnails, descriptions, and the order, which the user changes with buttons,
// keys and dragging.

import {isAbort} from "../lib/api.js";
import {h, symbol} from "../lib/dom.js";
import {fetched} from "../lib/pictures.js";
import {bytes, meaning} from "../lib/words.js";
import {chosenFocus} from "./focus.js";

/// The usual limit for descriptions, in characters, where the server has not told its own.
const MOST_ALT_TEXT = 1500;
/// Dragging so close to an end of the strip scrolls it by a step, both in pixels.
const EDGE = 40;
const STEP = 24;
/// The larger side of the picture in the dialog for the focus point, in pixels.
const FOCUS_SIDE = 800;

const list = document.querySelector("#media");
const live = document.querySelector("#media-live");

/// Shows the media of `draft`, and lets the user edit them.
export class MediaList {
    #draft;
    #items = new Map();
    #dragged = null;
    #mostAltText = MOST_ALT_TEXT;
    #hasFocus = true;

    constructor(draft) {
        this.#draft = draft;
        draft.addEventListener("change", () => this.#show());
        draft.addEventListener("progress", event => this.#tell(event.detail));
        list.addEventListener("pointermove", event => this.#dragged && this.#dragTo(event.clientX));
        for (const end of ["pointerup", "pointercancel"]) list.addEventListener(end, () => this.#endDrag());
        this.#show();
    }

    /// Sets how many characters a description may have; `null` for the usual limit.
    limitAltText(characters) {
        this.#mostAltText = characters ?? MOST_ALT_TEXT;
        for (const {alt} of this.#items.values()) alt.maxLength = this.#mostAltText;
    }

    /// Sets whether the server uses focus points.
    allowFocus(hasFocus) {
        if (hasFocus === this.#hasFocus) return;
        this.#hasFocus = hasFocus;
        this.#draft.media.forEach(medium => this.#tell(medium));
    }

    /// Keeps the elements of unchanged media, so that focus and typed text are not lost.
    #show() {
        const {media} = this.#draft;
        for (const [medium, item] of this.#items) {
            if (media.includes(medium)) continue;
            item.element.remove();
            item.abort.abort();
            this.#items.delete(medium);
        }
        media.forEach((medium, position) => {
            const item = this.#items.get(medium) ?? this.#make(medium);
            if (list.children[position] !== item.element) list.insertBefore(item.element, list.children[position] ?? null);
            this.#place(item, medium, position);
            this.#tell(medium);
        });
        list.hidden = media.length === 0;
    }

    #place(item, medium, position) {
        const count = this.#draft.media.length;
        const place = `${position + 1} of ${count}`;
        item.earlier.disabled = position === 0;
        item.later.disabled = position === count - 1;
        item.handle.setAttribute("aria-label", `Move ${medium.name}, ${place}: drag, or use the arrow keys`);
        item.number.textContent = position + 1;
    }

    #tell(medium) {
        const item = this.#items.get(medium);
        if (!item) return;
        const share = medium.bytes > 0 ? medium.sent / medium.bytes : 0;
        item.element.dataset.state = medium.state;
        item.meter.firstElementChild.style.width = `${100 * share}%`;
        item.meter.setAttribute("aria-valuenow", Math.round(100 * share));
        item.state.textContent = stateOf(medium);
        item.state.classList.toggle("problem", medium.state === "failed");
        item.retry.hidden = medium.state !== "failed" || !medium.file;
        item.fault.textContent = medium.fault ? faultOf(medium.fault) : "";
        if (item.alt.value !== medium.alt.value) item.alt.value = medium.alt.value;
        if (item.preview !== medium.preview) this.#showPreview(item, medium);
        this.#showFocus(item, medium);
        if (medium.src && (item.isUnshown || item.checked !== medium.src)) this.#askServer(item, medium);
    }

    /// Crops the picture as the server may.
    #showFocus(item, {kind, focus: {value}}) {
        const picture = item.picture.firstElementChild;
        item.focus.hidden = !this.#hasFocus || kind !== "image" || picture.tagName !== "IMG";
        const [x, y] = value && this.#hasFocus ? value : [0, 0];
        picture.style.objectPosition = `${50 * (1 + x)}% ${50 * (1 - y)}%`;
    }

    async #chooseFocus(medium) {
        const src = medium.src?.replace(/side=\d+/, `side=${FOCUS_SIDE}`) ?? medium.preview;
        const point = await chosenFocus(medium.name, src, medium.focus.value);
        if (point !== undefined) this.#draft.focus(medium, point);
    }

    #showPreview(item, medium) {
        item.preview = medium.preview;
        item.picture.firstElementChild.replaceWith(this.#thumbnail(item, medium));
    }

    /// The server may be able to show a file that this browser cannot, and gives a reason if it cannot:
    /// browsers show as much of a damaged image as they can.
    async #askServer(item, medium) {
        const {isUnshown} = item;
        Object.assign(item, {isUnshown: false, checked: medium.src});
        try {
            const image = await fetched(medium.src, "", item.abort.signal);
            if (isUnshown) item.picture.firstElementChild.replaceWith(image);
            this.#showFocus(item, medium);
        } catch (error) {
            if (isAbort(error)) return;
            medium.fault = error.code ?? "unsupported_format";
            this.#tell(medium);
        }
    }

    /// Shows the local file immediately, whether or not it has been uploaded.
    #thumbnail(item, medium) {
        const {kind, preview, file} = medium;
        if (kind === "video" && file) {
            return h("video", {src: `${preview}#t=0.1`, muted: true, playsinline: true, preload: "metadata", tabindex: -1, "aria-hidden": "true"});
        }
        if (kind !== "image" || !preview) return symbol(kind === "video" ? "video" : "picture");
        const unshown = event => {
            event.target.replaceWith(symbol("picture"));
            item.isUnshown = true;
            this.#tell(medium);
        };
        return h("img", {src: preview, alt: "", decoding: "async", onerror: unshown});
    }

    #make(medium) {
        const id = `alt-${medium.key}`;
        const item = {
            number: h("span.medium-number", {"aria-hidden": "true"}),
            handle: h("button.button.quiet.icon.compact.handle", {type: "button"}, symbol("grip")),
            earlier: button("up", `Move ${medium.name} to an earlier place`, () => this.#move(medium, -1, "earlier")),
            later: button("down", `Move ${medium.name} to a later place`, () => this.#move(medium, 1, "later")),
            retry: h("button.button.compact", {type: "button", onclick: () => this.#draft.retry(medium)}, symbol("retry"), "Retry"),
            state: h("span.muted.small"),
            focus: h("button.button.icon.compact.medium-focus", {type: "button", "aria-label": `Set the focus point of ${medium.name}`, title: "Focus point", onclick: () => this.#chooseFocus(medium)}, symbol("focus")),
            fault: h("p.problem.medium-fault", {role: "status"}),
            picture: h("div.medium-picture"),
            alt: h("textarea.input", {id, rows: 3, maxlength: this.#mostAltText, placeholder: "Describe this for people who can't see it"}),
            preview: medium.preview,
            isUnshown: false,
            checked: null,
            abort: new AbortController(),
            meter: h("div.meter", {role: "progressbar", "aria-label": `Upload of ${medium.name}`, "aria-valuemin": 0, "aria-valuemax": 100}, h("span")),
        };
        item.alt.value = medium.alt.value;
        item.alt.addEventListener("input", () => this.#draft.describe(medium, item.alt.value));
        const away = button("cancel", `Remove ${medium.name}`, () => this.#remove(medium));
        item.element = h(
            "li.medium", {},
            item.picture,
            h("div.medium-text", {},
                h("div.medium-head", {}, h("strong.medium-name", {dir: "auto"}, medium.name), h("div.medium-actions", {}, item.handle, item.earlier, item.later, away)),
                h("div.medium-state", {}, item.state, item.retry), item.fault, item.meter),
            h("div.field", {}, h("label", {for: id}, "Description (alt text)"), item.alt),
        );
        this.#letDrag(item, medium);
        this.#items.set(medium, item);
        item.picture.append(this.#thumbnail(item, medium), item.number, item.focus);
        return item;
    }

    #move(medium, by, which) {
        const {media} = this.#draft;
        this.#draft.move(medium, media.indexOf(medium) + by);
        const item = this.#items.get(medium);
        // At an end of the list, the pressed button becomes disabled.
        const next = item[which];
        (next.disabled ? item.handle : next).focus();
        live.textContent = `${medium.name} is ${this.#draft.media.indexOf(medium) + 1} of ${media.length}`;
    }

    #remove(medium) {
        const position = this.#draft.media.indexOf(medium);
        this.#draft.remove(medium);
        const next = this.#draft.media[Math.min(position, this.#draft.media.length - 1)];
        (next ? this.#items.get(next).handle : document.querySelector("#choose")).focus();
        live.textContent = `${medium.name} removed`;
    }

    /// Follows the pointer: the dragged medium takes the position of the one under it.
    #letDrag(item, medium) {
        const {handle, element} = item;
        handle.addEventListener("keydown", event => {
            const by = {ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1}[event.key];
            if (!by) return;
            event.preventDefault();
            this.#move(medium, by, "handle");
        });
        handle.addEventListener("pointerdown", event => {
            if (event.button !== 0) return;
            event.preventDefault();
            handle.focus();
            // The list stays in place, because an element that is moved in the document loses the pointer.
            list.setPointerCapture(event.pointerId);
            this.#dragged = medium;
            element.classList.add("is-dragged");
        });
    }

    #endDrag() {
        const medium = this.#dragged;
        this.#dragged = null;
        if (!medium) return;
        this.#items.get(medium)?.element.classList.remove("is-dragged");
        live.textContent = `${medium.name} is ${this.#draft.media.indexOf(medium) + 1} of ${this.#draft.media.length}`;
    }

    #dragTo(x) {
        const {left, right} = list.getBoundingClientRect();
        if (x < left + EDGE) list.scrollBy(-STEP, 0);
        if (x > right - EDGE) list.scrollBy(STEP, 0);

        const {media} = this.#draft;
        const from = media.indexOf(this.#dragged);
        const middle = medium => {
            const {left, right} = this.#items.get(medium).element.getBoundingClientRect();
            return (left + right) / 2;
        };
        // The pointer must pass the middle of a neighbour; otherwise two elements would swap endlessly.
        if (from > 0 && x < middle(media[from - 1])) this.#draft.move(this.#dragged, from - 1);
        else if (from < media.length - 1 && x > middle(media[from + 1])) this.#draft.move(this.#dragged, from + 1);
    }
}

function button(sign, label, action) {
    return h("button.button.quiet.icon.compact", {type: "button", "aria-label": label, title: label, onclick: action}, symbol(sign));
}

function stateOf({state, sent, bytes: size, problem}) {
    if (state === "uploading") return sent > 0 ? `${bytes(sent)} of ${bytes(size)}` : `waiting, ${bytes(size)}`;
    return state === "failed" ? problem : bytes(size);
}

/// Describes what is wrong with a file, which can still be published.
function faultOf(code) {
    return `${meaning(code)}. The server cannot show this file, and people who receive the post may not be able to see it.`;
}
