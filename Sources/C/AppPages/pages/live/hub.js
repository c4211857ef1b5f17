// The server's timeline as one stream for all pages of a browser: browsers open six connections to a server at a
// time, and each page would take one.

import {events} from "../lib/events.js";
import {Loads, SPAN} from "./loads.js";

/// The pauses before the next attempts to connect, in milliseconds.
const PAUSES = [500, 1000, 2000, 5000];
/// The interval at which walls of hidden pages are looked at, in milliseconds; the server ends those that nobody has
/// looked at for a minute.
const LOOK_INTERVAL = 20_000;

export class Hub {
    #loads = new Loads();
    /// The ports of the pages that follow.
    #pages = new Set();
    #abort = null;
    /// What a page must know that joins the others; `null` before the first event.
    #status = null;
    #unlock = () => {};
    /// The walls of hidden pages, by the port of the page.
    #walls = new Map();
    #looks = null;

    /// Serves a page through a port. The page sends "follow", "leave", and "unlocked" when the user has entered the
    /// server's token, and `{wall}` with the name of a wall to look at, or `null`. It receives the stream's events as
    /// `{event, data}`, "lost" with a message when the connection is lost, and "locked" when the server requires a token.
    connect(port) {
        const handlers = {follow: () => this.#add(port), leave: () => this.#remove(port), unlocked: () => this.#unlock()};
        port.addEventListener("message", ({data}) => typeof data === "string" ? handlers[data]() : this.#lookAt(data.wall, port));
        port.addEventListener("close", () => {
            this.#remove(port);
            this.#lookAt(null, port);
        });
        port.start();
    }

    #add(port) {
        this.#pages.add(port);
        if (this.#abort === null) this.#run();
        else if (this.#status) port.postMessage(this.#status.event === "live" ? {event: "state", data: this.#loads.state} : this.#status);
    }

    #remove(port) {
        this.#pages.delete(port);
        if (this.#pages.size > 0) return;
        this.#abort?.abort();
        this.#abort = null;
        this.#status = null;
    }

    /// Keeps the wall of a page running that is not connected to it.
    #lookAt(wall, port) {
        if (wall === null) this.#walls.delete(port);
        else this.#walls.set(port, wall);
        if (this.#walls.size === 0) {
            clearInterval(this.#looks);
            this.#looks = null;
            return;
        }
        const look = name => fetch(`/api/walls/${encodeURIComponent(name)}`, {credentials: "same-origin"}).catch(() => {}); // the next look may succeed
        if (wall !== null) look(wall);
        this.#looks ??= setInterval(() => new Set(this.#walls.values()).forEach(look), LOOK_INTERVAL);
    }

    /// Follows the server, and reconnects if the connection is lost, as long as there are pages.
    async #run() {
        const {signal} = (this.#abort = new AbortController());
        for (let failures = 0; !signal.aborted; failures += 1) {
            try {
                for await (const {event, data} of events("GET", "/api/timeline", {signal, unlock: ending => this.#unlocked(ending)})) {
                    failures = 0;
                    if (event === "state") this.#loads.begin(data);
                    else this.#loads.take(data);
                    this.#loads.forget(data.now - SPAN);
                    this.#tell({event, data}, {event: "live"});
                }
            } catch (error) {
                if (signal.aborted) return;
                this.#tell({event: "lost", data: error.message});
            }
            await new Promise(resolve => setTimeout(resolve, PAUSES[Math.min(failures, PAUSES.length - 1)]));
        }
    }

    #tell(message, status = message) {
        this.#status = status;
        for (const page of this.#pages) page.postMessage(message);
    }

    /// Lets a page ask for the token; resolves when one has it.
    #unlocked(signal) {
        const {promise, resolve, reject} = Promise.withResolvers();
        this.#unlock = resolve;
        signal.addEventListener("abort", () => reject(signal.reason));
        this.#tell({event: "locked"});
        return promise;
    }
}
