// The pipeline's work as it changes. All pages of a browser share one connection to the server.

import {askForToken} from "./token.js";

/// An invisible page no longer follows after this time, in milliseconds.
const HIDDEN_LIMIT = 2000;

/// The hub of this page, if it cannot share one.
let own = null;

/// Calls `take({event, data})` with each event of the server's timeline while the page is visible, with "lost" and a
/// message if the connection is lost, and with "asleep" when it no longer follows. Returns a function that ends this.
export function follow(take) {
    const abort = new AbortController();
    const {signal} = abort;
    let port = null;
    let isFollowing = false;
    let timer = 0;

    function use(other) {
        port = other;
        port.addEventListener("message", ({data}) => {
            if (!isFollowing) return;
            if (data.event === "locked") askForToken(signal).then(() => other.postMessage("unlocked"), () => {});
            else take(data);
        }, {signal});
        port.start();
        if (isFollowing) port.postMessage("follow");
    }

    function begin() {
        clearTimeout(timer);
        if (isFollowing || document.hidden) return;
        isFollowing = true;
        port?.postMessage("follow");
    }

    function end() {
        clearTimeout(timer);
        if (!isFollowing) return;
        isFollowing = false;
        port?.postMessage("leave");
        take({event: "asleep"});
    }

    const seen = () => document.hidden ? (timer = setTimeout(end, HIDDEN_LIMIT)) : begin();
    document.addEventListener("visibilitychange", seen, {signal});
    addEventListener("pagehide", end, {signal});
    addEventListener("pageshow", begin, {signal});
    connect(other => signal.aborted || use(other));
    begin();
    return () => {
        end();
        abort.abort();
        port?.close();
    };
}

/// Calls `use(port)` with a port to the shared hub; in a browser without shared workers, and if the worker cannot be
/// loaded, with a port to the page's own hub.
function connect(use) {
    const alone = async () => {
        const {Hub} = await import("../live/hub.js");
        own ??= new Hub();
        const {port1, port2} = new MessageChannel();
        own.connect(port2);
        use(port1);
    };
    if (!("SharedWorker" in globalThis)) return alone();
    const worker = new SharedWorker("/app/live/worker.js", {type: "module", name: "calotype"});
    worker.addEventListener("error", alone);
    use(worker.port);
}
