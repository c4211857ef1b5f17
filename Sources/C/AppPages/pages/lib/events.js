// Server-sent events over fetch, so that a POST can start a stream and an AbortController can end it.

import {APIError, isAbort, send} from "./api.js";

/// The events of a stream as `{event, data}`, with the data parsed as JSON. Ends when the server ends the
/// stream; throws an `APIError` if the connection is lost. Leaving the loop, or aborting the signal, closes
/// the connection.
///
///     for await (const {event, data} of events("POST", "/api/walls", {json, signal})) { … }
export async function* events(method, route, options = {}) {
    const response = await send(method, route, options);
    const reader = response.body.getReader();
    const parser = new EventParser();
    try {
        for (;;) {
            const {done, value} = await reader.read();
            if (done) return;
            yield* parser.take(value);
        }
    } catch (error) {
        if (isAbort(error)) throw error;
        throw new APIError("cut_off", "The connection to the server was lost.", 0);
    } finally {
        reader.cancel().catch(() => {}); // an earlier failure has been reported
    }
}

/// Splits the bytes of a stream into events.
class EventParser {
    #decoder = new TextDecoder();
    #rest = "";
    #event = "";
    #data = [];

    *take(bytes) {
        const lines = (this.#rest + this.#decoder.decode(bytes, {stream: true})).split("\n");
        this.#rest = lines.pop();
        for (const line of lines) {
            const ended = this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
            if (ended) yield ended;
        }
    }

    #line(line) {
        if (line === "") return this.#ended();
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "event") this.#event = value;
        if (name === "data") this.#data.push(value);
        return null;
    }

    #ended() {
        const text = this.#data.join("\n");
        const event = this.#event || "message";
        this.#data = [];
        this.#event = "";
        return text === "" ? null : {event, data: JSON.parse(text)};
    }
}
