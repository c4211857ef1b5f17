// The dialog that asks for confirmation before something is lost.

import {h} from "./dom.js";

/// Resolves to whether the user agrees. `title` is the question, `text` says what will be lost, `action` is
/// the button's label.
export function confirmed({title, text, action}) {
    const {promise, resolve} = Promise.withResolvers();
    const before = document.activeElement;
    const dialog = h(
        "dialog.dialog", {"aria-labelledby": "confirm-title", "aria-describedby": "confirm-text"},
        h("form", {method: "dialog"},
            h("h2", {id: "confirm-title"}, title),
            h("p.muted", {id: "confirm-text"}, text),
            h("div.chips", {},
                h("button.button", {type: "submit", value: "no"}, "Keep it"),
                h("button.button.danger", {type: "submit", value: "yes"}, action))),
    );
    dialog.addEventListener("close", () => {
        dialog.remove();
        before?.focus();
        resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    return promise;
}
