// Files on their way to the server, two at a time. XMLHttpRequest, because fetch does not tell how much of a body has left.

import {APIError, path, problem} from "../lib/api.js";
import {askForToken} from "../lib/token.js";

const LIMIT = 2;
const waiting = [];
let running = 0;

/// Brings `file` to the server and returns what the server says of it. `sent(bytes)` hears how much has left, `signal` aborts.
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

/// Waits until one more may run. Whoever is let on counts as running at once.
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
        request.addEventListener("error", () => reject(new APIError("no_answer", "The connection to the server broke off.", 0)));
        signal.addEventListener("abort", () => {
            request.abort();
            reject(signal.reason);
        }, {once: true});
        request.send(file);
    });
}
