// The dialog for the server's token. For the correct token, the server sends a cookie that scripts cannot
// read.

import {h} from "./dom.js";

let asking = null;

/// Resolves when the server has accepted a token. All callers share one dialog; a caller can abort its own
/// wait.
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
        h("h2", {id: "token-title"}, "This server requires a token"),
        h("p.muted", {}, "Enter the value of --app-token or CALOTYPE_APP_TOKEN that the server was started with."),
        // The name under which a password manager stores the token.
        h("input", {type: "text", autocomplete: "username", value: "calotype", hidden: true}),
        h("div.field", {}, h("label", {for: "token"}, "Token"), input, told),
        h("button.button.main", {type: "submit"}, "Open"),
    );
    const dialog = h("dialog.dialog", {"aria-labelledby": "token-title"}, form);
    // Without the token there is nothing to return to; but browsers let a second Escape close any dialog.
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
        if (response.status === 429) return "Too many wrong tokens. Try again in a minute.";
        return response.status === 401 ? "Wrong token." : `The server responded with ${response.status}.`;
    } catch {
        return "The server cannot be reached.";
    }
}
