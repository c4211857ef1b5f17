// The overview: the engine's figures as they change, a demo, the last walls and posts, and what this server is set
// up for.

import {h} from "./lib/dom.js";
import {follow} from "./lib/live.js";
import {session} from "./lib/nav.js";
import {prepareDemo} from "./overview/demo.js";
import {tellFlow} from "./overview/flow.js";
import {showPosts, showWalls} from "./overview/recent.js";

const problem = document.querySelector("#flow-problem");

// An address of the search, which once was the first page.
if (new URLSearchParams(location.search).has("q")) location.replace(`/app/search${location.search}`);
prepareDemo(showWalls);
follow(take);
// The footer shows an error.
session.then(start, () => {});

function start(server) {
    showServer(server);
    const showRecent = () => {
        if (document.hidden) return;
        showWalls();
        if (server.canPublish) showPosts();
    };
    // The user comes back from a wall or a post in another tab.
    document.addEventListener("visibilitychange", showRecent);
    showRecent();
}

function take({event, data}) {
    if (event === "asleep") return;
    problem.textContent = event === "lost" ? `${data} Retrying…` : "";
    if (event !== "lost") tellFlow(data);
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
