// The pipeline's work as it changes. All pages of a browser share one connection to the server.

import {askForToken} from "./token.js";

/// An invisible page no longer follows after this time, in milliseconds.
export const HIDDEN_LIMIT = 2000;

/// The hub of this page, if it cannot share one.
let own = null;

/// Calls `take({event, data})` with each event of the server's timeline while the page is visible, with "lost" and a
/// message if the connection is lost, and with "asleep" when it no longer follows. Returns a function that ends this.
export function follow(take) {
    const abort = new AbortController();
    const {signal} = abort;
    let port = null;
    let isFollowing = false;

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
        if (isFollowing || document.hidden) return;
        isFollowing = true;
        port?.postMessage("follow");
    }

    function end() {
        if (!isFollowing) return;
        isFollowing = false;
        port?.postMessage("leave");
        take({event: "asleep"});
    }

    onVisibility(begin, end, signal);
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

/// Calls `shown()` when the page becomes visible, and `hidden()` when it has been invisible for a while.
export function onVisibility(shown, hidden, signal) {
    let timer = 0;
    document.addEventListener("visibilitychange", () => {
        clearTimeout(timer);
        if (document.hidden) timer = setTimeout(hidden, HIDDEN_LIMIT);
        else shown();
    }, {signal});
    signal?.addEventListener("abort", () => clearTimeout(timer));
}

/// Keeps a wall running without a connection of its own, until the returned function is called; `null` if this browser
/// has no shared workers.
export function keepRunning(wall) {
    if (!("SharedWorker" in globalThis)) return null;
    const {port} = sharedHub();
    port.start();
    port.postMessage({wall});
    const end = () => {
        port.postMessage({wall: null});
        port.close();
        removeEventListener("pagehide", end);
    };
    addEventListener("pagehide", end);
    return end;
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
    const worker = sharedHub();
    worker.addEventListener("error", alone);
    use(worker.port);
}

function sharedHub() {
    return new SharedWorker("/app/live/worker.js", {type: "module", name: "calotype"});
}
