// Uploads to the server, two at a time, in pieces (tus.io, "Resumable Upload Protocol 1.0.x"). An upload that was cut off
// continues where it was, also after a reload. Uses XMLHttpRequest, because fetch does not report the sent bytes of a body.

import {APIError, get, isAbort, problem, send} from "../lib/api.js";
import {askForToken} from "../lib/token.js";

const LIMIT = 2;
/// Bytes of a piece: what a restarted server may lose.
const PIECE = 8 << 20;
/// How long to wait before each attempt to continue that follows one without progress, in milliseconds.
const PAUSES = [500, 1000, 2000, 4000, 8000];
const UPLOADS = "/api/publish/uploads";
const VERSION = {"Tus-Resumable": "1.0.0"};

const waiting = [];
let running = 0;

/// Uploads `file` and returns the server's description. `id` is the identifier of an earlier upload of the file to
/// continue, or `null`; `begun(id)` reports that of a new one, `sent(bytes)` the progress. `signal` aborts.
export async function upload(file, {id, begun, sent, signal}) {
    await turn(signal);
    try {
        let offset = id ? await arrived(id, signal) : null;
        if (offset === null) {
            id = await create(file, signal);
            offset = 0;
            begun(id);
        }
        sent(offset);
        await sendRest(file, id, offset, sent, signal);
        return await get(`/api/publish/files/${id}`, {}, signal);
    } finally {
        running -= 1;
        waiting.shift()?.();
    }
}

/// Deletes what the server has of an unfinished upload, also when the user leaves the page.
export function forgetUpload(id) {
    send("DELETE", `${UPLOADS}/${id}`, {headers: VERSION, keepalive: true}).catch(() => {});
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

async function create(file, signal) {
    const name = btoa(Array.from(new TextEncoder().encode(file.name), byte => String.fromCharCode(byte)).join(""));
    const headers = {...VERSION, "Upload-Length": file.size, "Upload-Metadata": `filename ${name}`};
    const response = await send("POST", UPLOADS, {headers, signal});
    return response.headers.get("Location").split("/").at(-1);
}

/// Returns how much of an upload the server has; `null` if it no longer has the upload.
async function arrived(id, signal) {
    try {
        const response = await send("HEAD", `${UPLOADS}/${id}`, {headers: VERSION, signal});
        return Number(response.headers.get("Upload-Offset"));
    } catch (error) {
        if (error.status === 404) return null;
        throw error;
    }
}

/// Sends what is missing. After a failure that may pass, continues where the server is.
async function sendRest(file, id, offset, sent, signal) {
    let failures = 0;
    // Also without missing bytes: the server may not have finished what it has.
    do {
        try {
            offset = await piece(file, id, offset, sent, signal);
            failures = 0;
        } catch (error) {
            if (isAbort(error) || !mayPass(error) || failures === PAUSES.length) throw error;
            await pause(PAUSES[failures], signal);
            failures += 1;
            const now = await arrived(id, signal).catch(other => {
                if (isAbort(other)) throw other;
                return offset;
            });
            if (now === null) throw error;
            if (now > offset) failures = 0;
            offset = now;
            sent(offset);
        }
    } while (offset < file.size);
}

function mayPass({status}) {
    return status === 0 || status === 409 || status === 423 || (status >= 500 && status !== 507);
}

function pause(time, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, time);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(signal.reason);
        }, {once: true});
    });
}

/// Sends the next piece; returns how much of the file has arrived with it.
async function piece(file, id, offset, sent, signal) {
    for (;;) {
        const request = await sendPiece(file.slice(offset, offset + PIECE), id, offset, sent, signal);
        if (request.status < 300) return Number(request.getResponseHeader("Upload-Offset"));
        const refusal = await problem(new Response(request.responseText, {status: request.status}));
        if (refusal.status !== 401) throw refusal;
        await askForToken(signal);
    }
}

function sendPiece(bytes, id, offset, sent, signal) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open("PATCH", `${UPLOADS}/${id}`);
        const headers = {...VERSION, "Upload-Offset": offset, "Content-Type": "application/offset+octet-stream"};
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        request.upload.addEventListener("progress", event => sent(offset + event.loaded));
        request.addEventListener("load", () => resolve(request));
        request.addEventListener("error", () => reject(new APIError("no_answer", "The connection to the server was lost.", 0)));
        const abort = () => {
            request.abort();
            reject(signal.reason);
        };
        signal.addEventListener("abort", abort, {once: true});
        request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
        request.send(bytes);
    });
}
