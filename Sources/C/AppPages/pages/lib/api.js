// Requests to the server's API. Aborting the signal of a call closes its connection, and the server ends the work.

import {askForToken} from "./token.js";

/// An answer that says what went wrong.
export class APIError extends Error {
    /// `code` is a stable word, `status` the answer's; 0 where no answer came.
    constructor(code, message, status) {
        super(message);
        this.name = "APIError";
        this.code = code;
        this.status = status;
    }
}

/// Aborted when the page is left: a page that the browser keeps for the way back would go on with its calls. If one was
/// ended so, the page begins anew when it is shown again.
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

/// Whether `error` only tells that somebody aborted the call.
export function isAbort(error) {
    return error?.name === "AbortError";
}

/// The path of a call with its query; what is `null` or `undefined` is left out.
export function path(route, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const text = new URLSearchParams(given).toString();
    return text ? `${route}?${text}` : route;
}

/// Sends a request and returns the response, whose status is below 400. Where the server wants a token, the reader is asked
/// for it and the request is sent again.
///
/// `json` is a body to be sent as JSON, `body` one to be sent as it is with `type`. The response's body, too, ends with the
/// signal, and when the page is left. `begun` is the request itself where it is under way already: `{response, abort}`.
export async function send(method, route, {query, json, body, type, signal, begun = null} = {}) {
    const signals = AbortSignal.any(signal ? [signal, leaving.signal] : [leaving.signal]);
    const request = {method, signal: signals, credentials: "same-origin", headers: {}};
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
        await askForToken(signals);
    }
}

/// The JSON that the server answers; `begun` is the request where it is under way already.
export async function get(route, query, signal, begun) {
    return call("GET", route, {query, signal, begun});
}

/// Sends JSON; returns the JSON that is answered, `null` for an empty answer.
export async function post(route, json, signal) {
    return call("POST", route, {json, signal});
}

/// Removes what is at the route.
export async function remove(route, signal) {
    return call("DELETE", route, {signal});
}

/// The error that a refused response tells.
export async function problem(response) {
    const text = await response.text().catch(() => "");
    try {
        const {code, message} = JSON.parse(text).error;
        return new APIError(code, sentence(message), response.status);
    } catch {
        // Not of the API: a thumbnail's few lines, or a proxy's page.
        const isText = response.headers.get("Content-Type")?.startsWith("text/plain");
        const [line] = isText ? text.trim().split("\n") : [""];
        const code = (isText && text.match(/^code: (\w+)$/m)?.[1]) || `http_${response.status}`;
        return new APIError(code, line ? sentence(`${line} (${code})`) : `The server answered ${response.status}.`, response.status);
    }
}

/// The server's messages begin small and have no full stop, as those of commands do.
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
    return new APIError("no_answer", "The server cannot be reached. See whether it is running, then try again.", 0);
}
