// Uploads to the server, two at a time. Uses XMLHttpRequest, because fetch does not report the sent bytes of
// a body.

import {APIError, path, problem} from "../lib/api.js";
import {askForToken} from "../lib/token.js";

const LIMIT = 2;
const waiting = [];
let running = 0;

/// Uploads `file` and returns the server's description. `sent(bytes)` reports progress, `signal` aborts.
export async function upload(file, {sent, signal}) {
    await turn(signal);
    try {
        for (;;) {
            const request = await whole(file, sent, signal);
            if (request.status < 300) return JSON.parse(request.responseText);
            const refusal = await problem(new Response(request.responseText, {status: request.status}));
            if (refusal.status !== 401) throw refusal;
            await askForToken(signal);
        }
    } finally {
        running -= 1;
        waiting.shift()?.();
    }
}

/// Waits until another upload may run; from then on the caller counts as running.
async function turn(signal) {
    signal.throwIfAborted();
    if (running >= LIMIT) {
        await new Promise((resolve, reject) => {
            waiting.push(resolve);
            signal.addEventListener("abort", () => {
                const place = waiting.indexOf(resolve);
                if (place >= 0) waiting.splice(place, 1);
                reject(signal.reason);
            }, {once: true});
        });
    }
    running += 1;
}

function whole(file, sent, signal) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open("POST", path("/api/publish/files", {name: file.name}));
        request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
        request.upload.addEventListener("progress", event => sent(event.loaded));
        request.addEventListener("load", () => resolve(request));
        request.addEventListener("error", () => reject(new APIError("no_answer", "The connection to the server was lost.", 0)));
        signal.addEventListener("abort", () => {
            request.abort();
            reject(signal.reason);
        }, {once: true});
        request.send(file);
    });
}
