// The dialog that asks for the server's token. The server answers the right one with a cookie that scripts cannot read.

import {h} from "./dom.js";

let asking = null;

/// Resolves when the server has accepted a token; one dialog is for all who wait. Whoever aborts leaves without an answer.
export function askForToken(signal) {
    asking ??= ask().finally(() => (asking = null));
    return signal ? Promise.race([asking, aborted(signal)]) : asking;
}

function aborted(signal) {
    return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), {once: true});
    });
}

function ask() {
    const {promise, resolve} = Promise.withResolvers();
    const input = h("input.input", {
        id: "token", type: "password", autocomplete: "current-password", required: true, "aria-describedby": "token-problem",
    });
    const told = h("p.problem", {id: "token-problem", role: "alert"});
    const form = h(
        "form", {method: "dialog"},
        h("h2", {id: "token-title"}, "This server asks for a token"),
        h("p.muted", {}, "It is the text that the server was started with, by --app-token or CALOTYPE_APP_TOKEN."),
        // What a password manager keeps the token under.
        h("input", {type: "text", autocomplete: "username", value: "calotype", hidden: true}),
        h("div.field", {}, h("label", {for: "token"}, "Token"), input, told),
        h("button.button.main", {type: "submit"}, "Open"),
    );
    const dialog = h("dialog.dialog", {"aria-labelledby": "token-title"}, form);
    // Without the token there is nothing to go back to; a browser lets Escape close any dialog at the second time.
    dialog.addEventListener("cancel", event => event.preventDefault());
    dialog.addEventListener("close", () => dialog.isConnected && dialog.showModal());
    form.addEventListener("submit", async event => {
        event.preventDefault();
        told.textContent = await refusal(input.value);
        input.toggleAttribute("aria-invalid", told.textContent !== "");
        if (told.textContent !== "") return input.select();
        dialog.remove();
        resolve();
    });
    document.body.append(dialog);
    dialog.showModal();
    return promise;
}

async function refusal(token) {
    try {
        const response = await fetch("/api/session", {
            method: "POST", credentials: "same-origin", headers: {"Content-Type": "application/json"}, body: JSON.stringify({token}),
        });
        if (response.ok) return "";
        if (response.status === 429) return "Too many wrong tokens have come. Try again in a minute.";
        return response.status === 401 ? "That is not this server's token." : `The server answered ${response.status}.`;
    } catch {
        return "The server cannot be reached.";
    }
}
