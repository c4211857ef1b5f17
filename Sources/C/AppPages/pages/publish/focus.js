// The dialog for the focus point of a picture: the part that stays visible where the picture is cropped.

import {h} from "../lib/dom.js";

/// How far an arrow key moves the point, as a share of the side.
const STEP = 0.05;

/// Asks for the focus point of the picture at `src`, beginning with `point`. Resolves to two numbers from -1 to 1 (right,
/// top), to `null` for the centre, or to `undefined` if the user changes nothing.
export function chosenFocus(name, src, point) {
    const {promise, resolve} = Promise.withResolvers();
    const before = document.activeElement;
    // Shares of the width and the height, from the top left.
    let [x, y] = point ? [(point[0] + 1) / 2, (1 - point[1]) / 2] : [0.5, 0.5];
    const mark = h("button.focus-mark", {type: "button"});
    const stage = h("div.focus-stage", {}, h("img", {src, alt: "", draggable: "false"}), mark);
    const place = (left, top) => {
        [x, y] = [Math.min(Math.max(left, 0), 1), Math.min(Math.max(top, 0), 1)];
        Object.assign(mark.style, {left: `${100 * x}%`, top: `${100 * y}%`});
        const where = `${Math.round(100 * x)} % from the left, ${Math.round(100 * y)} % from the top`;
        mark.setAttribute("aria-label", `Focus point, ${where}. Move it with the arrow keys.`);
    };
    const follow = event => {
        const {left, top, width, height} = stage.getBoundingClientRect();
        place((event.clientX - left) / width, (event.clientY - top) / height);
    };
    stage.addEventListener("pointerdown", event => {
        if (event.button !== 0) return;
        event.preventDefault();
        mark.focus();
        stage.setPointerCapture(event.pointerId);
        follow(event);
    });
    stage.addEventListener("pointermove", event => stage.hasPointerCapture(event.pointerId) && follow(event));
    mark.addEventListener("keydown", event => {
        const by = {ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP]}[event.key];
        if (!by) return;
        event.preventDefault();
        place(x + by[0], y + by[1]);
    });
    place(x, y);
    const dialog = h(
        "dialog.dialog.focus-dialog", {"aria-labelledby": "focus-title", "aria-describedby": "focus-text"},
        h("form", {method: "dialog"},
            h("h2", {id: "focus-title"}, "Focus point"),
            h("p.muted", {id: "focus-text"}, "Choose the part of ", h("bdi", {}, name), " that stays visible where the picture is cropped."),
            stage,
            h("div.chips", {},
                h("button.button.main", {type: "submit", value: "done"}, "Done"),
                h("button.button", {type: "button", onclick: () => place(0.5, 0.5)}, "Centre"),
                h("button.button.quiet", {type: "submit", value: ""}, "Cancel"))),
    );
    dialog.addEventListener("close", () => {
        dialog.remove();
        before?.focus();
        if (dialog.returnValue !== "done") return resolve(undefined);
        const rounded = [2 * x - 1, 1 - 2 * y].map(value => Math.round(100 * value) / 100 + 0);
        resolve(rounded.some(value => value !== 0) ? rounded : null);
    });
    document.body.append(dialog);
    dialog.showModal();
    mark.focus();
    return promise;
}
