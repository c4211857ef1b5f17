// The overview: the engine's figures as they change, a demo, and what this server is set up for.

import {isAbort} from "./lib/api.js";
import {h} from "./lib/dom.js";
import {events} from "./lib/events.js";
import {session} from "./lib/nav.js";
import {prepareDemo} from "./overview/demo.js";
import {tellFlow} from "./overview/flow.js";

/// The pauses before the next attempts to connect, in milliseconds.
const PAUSES = [500, 1000, 2000, 5000];
const problem = document.querySelector("#flow-problem");

let abort = new AbortController();

// An address of the search, which once was the first page.
if (new URLSearchParams(location.search).has("q")) location.replace(`/app/search${location.search}`);
prepareDemo();
// A hidden page needs no figures, and leaves its connection to others.
document.addEventListener("visibilitychange", () => document.hidden ? abort.abort() : follow());
addEventListener("pagehide", () => abort.abort());
addEventListener("pageshow", event => event.persisted && follow());
follow();
// The footer shows an error.
session.then(showServer, () => {});

async function follow() {
    abort.abort();
    const mine = (abort = new AbortController());
    for (let failures = 0; !mine.signal.aborted; failures += 1) {
        try {
            for await (const {data} of events("GET", "/api/timeline", {signal: mine.signal})) {
                failures = 0;
                problem.textContent = "";
                tellFlow(data);
            }
        } catch (error) {
            if (isAbort(error)) return;
            problem.textContent = `${error.message} Retrying…`;
        }
        await new Promise(resolve => setTimeout(resolve, PAUSES[Math.min(failures, PAUSES.length - 1)]));
    }
}

function showServer({catalog, canPublish, needsToken, version}) {
    const facts = [
        ["Version", version],
        ["Catalogue", new URL(catalog).host],
        ["Publishing", canPublish ? "set up" : "no profile; start with --publish-profile"],
        ["Access", needsToken ? "with a token" : "this machine only, no token needed"],
    ];
    document.querySelector("#server").replaceChildren(...facts.map(([name, value]) =>
        h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}
