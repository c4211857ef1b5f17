// Requests to the server's API. Aborting a call's signal closes its connection, and the server cancels the
// work.

import {askForToken} from "./token.js";

/// An error response.
export class APIError extends Error {
    /// `code` is a stable code, and `status` the response's status; 0 without a response.
    constructor(code, message, status) {
        super(message);
        this.name = "APIError";
        this.code = code;
        this.status = status;
    }
}

/// Aborted when the user leaves the page: a page in the browser's back cache would otherwise continue its
/// calls. If a call was aborted this way, the page starts again when it is shown again.
let leaving = new AbortController();
let underWay = 0;
let wasCut = false;

addEventListener("pagehide", () => {
    wasCut = underWay > 0;
    leaving.abort();
});
addEventListener("pageshow", event => {
    if (!event.persisted) return;
    leaving = new AbortController();
    if (wasCut) location.reload();
});

/// Whether `error` only means that a call was aborted.
export function isAbort(error) {
    return error?.name === "AbortError";
}

/// Returns the path of a call with its query, without values that are `null` or `undefined`.
export function path(route, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const text = new URLSearchParams(given).toString();
    return text ? `${route}?${text}` : route;
}

/// Sends a request and returns the response, whose status is below 400. If the server requires a token, asks
/// the user for it and sends the request again.
///
/// `json` is a body to send as JSON, `body` one to send unchanged with `type`, `headers` are more header fields. The response's body also ends
/// with the signal, and when the user leaves the page. `begun` is a request that has already started:
/// `{response, abort}`. `unlock(signal)` resolves when the server has accepted a token. A `keepalive` request continues
/// when the user leaves the page.
export async function send(method, route, {query, json, body, type, headers = {}, signal, begun = null, unlock = askForToken, keepalive = false} = {}) {
    const signals = AbortSignal.any([signal, keepalive ? null : leaving.signal].filter(Boolean));
    const request = {method, signal: signals, credentials: "same-origin", headers: {...headers}, keepalive};
    if (json !== undefined) {
        request.body = JSON.stringify(json);
        request.headers["Content-Type"] = "application/json";
    } else if (body !== undefined) {
        request.body = body;
        if (type) request.headers["Content-Type"] = type;
    }
    if (begun) signals.addEventListener("abort", () => begun.abort.abort());
    for (let first = begun?.response; ; first = undefined) {
        const response = await answered(first ?? fetch(path(route, query), request));
        if (response.ok) return response;
        if (response.status !== 401) throw await problem(response);
        await unlock(signals);
    }
}

/// Returns the server's JSON; `begun` is a request that has already started.
export async function get(route, query, signal, begun) {
    return call("GET", route, {query, signal, begun});
}

/// Sends JSON and returns the JSON of the response, `null` if it is empty.
export async function post(route, json, signal) {
    return call("POST", route, {json, signal});
}

/// Deletes the resource of the route.
export async function remove(route, options = {}) {
    return call("DELETE", route, options);
}

/// Returns the error of a rejected response.
export async function problem(response) {
    const text = await response.text().catch(() => "");
    try {
        const {code, message} = JSON.parse(text).error;
        return new APIError(code, sentence(message), response.status);
    } catch {
        // Not from the API: the text of a thumbnail's error, or a proxy's page.
        const isText = response.headers.get("Content-Type")?.startsWith("text/plain");
        const [line] = isText ? text.trim().split("\n") : [""];
        const code = (isText && text.match(/^code: (\w+)$/m)?.[1]) || `http_${response.status}`;
        return new APIError(code, line ? sentence(`${line} (${code})`) : `The server responded with ${response.status}.`, response.status);
    }
}

/// The server's messages begin in lower case and have no full stop, like those of commands.
export function sentence(text) {
    const whole = text.charAt(0).toUpperCase() + text.slice(1, 500);
    return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

async function call(method, route, options) {
    underWay += 1;
    try {
        return await read(await send(method, route, options));
    } finally {
        underWay -= 1;
    }
}

async function answered(response) {
    try {
        return await response;
    } catch (error) {
        throw translated(error);
    }
}

async function read(response) {
    try {
        return response.status === 204 ? null : await response.json();
    } catch (error) {
        throw translated(error);
    }
}

function translated(error) {
    if (isAbort(error)) return error;
    return new APIError("no_answer", "The server cannot be reached. Check that it is running, then try again.", 0);
}
