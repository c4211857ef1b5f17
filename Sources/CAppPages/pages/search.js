// The search: a term in the address, one search at a time, rows whose icons load when they come into view.

import {get, isAbort} from "./lib/api.js";
import {failure, figure, h, notice} from "./lib/dom.js";
import "./lib/nav.js";
import {sideFor} from "./lib/pictures.js";
import {facts} from "./lib/apps.js";

const LIMIT = 200;
const ICON = 64;
const PATIENCE = 80;
const AT_ONCE = 30;
const SKELETONS = 12;
const EXAMPLES = ["camera", "weather", "music", "café", "photo"];

const form = document.querySelector("#form");
const term = document.querySelector("#term");
const country = document.querySelector("#country");
const results = document.querySelector("#results");
const status = document.querySelector("#status");
const title = document.title;

let running = new AbortController();
/// The address whose search is shown.
let shown = "";

form.addEventListener("submit", event => {
    event.preventDefault();
    go();
});
country.addEventListener("change", () => {
    if (term.value.trim()) go();
});
term.addEventListener("input", () => {
    if (term.value === "") go();
});
// The address changes, too, when somebody skips to the content.
addEventListener("popstate", () => location.pathname + location.search === shown || open());
// The place in a long list is kept with its entry of the history, because the list is not there yet when a page is shown again.
history.scrollRestoration = "manual";
addEventListener("scrollend", () => {
    if (results.dataset.state === "results") history.replaceState({scroll: scrollY}, "");
});
open();

/// Puts what is asked for into the address, then does it.
function go() {
    const asked = term.value.trim();
    const query = new URLSearchParams(asked ? {q: asked} : {});
    if (asked && country.value !== "us") query.set("country", country.value);
    const address = query.size > 0 ? `/app/?${query}` : "/app/";
    // A field that was emptied on the way to another term is no place to come back to.
    const put = history.state?.isEmptied ? "replaceState" : "pushState";
    if (address !== location.pathname + location.search) history[put]({scroll: 0, isEmptied: !asked}, "", address);
    open();
}

/// Does what the address says.
function open() {
    shown = location.pathname + location.search;
    const query = new URLSearchParams(location.search);
    const asked = (query.get("q") ?? "").trim();
    if (document.activeElement !== term || term.value.trim() !== asked) term.value = asked;
    country.value = query.get("country") ?? "us";
    if (country.selectedIndex < 0) country.value = "us";
    document.title = asked ? `${asked} – ${title}` : title;
    running.abort();
    running = new AbortController();
    if (asked) search(asked, country.value, running.signal);
    else initial();
}

async function search(asked, store, signal) {
    status.textContent = `Searching for “${asked}”…`;
    // An answer that comes at once needs no rows to stand in for it.
    const late = setTimeout(() => signal.aborted || loading(), PATIENCE);
    try {
        const answer = await get(
            "/api/search", {term: asked, country: store, limit: LIMIT, side: sideFor(ICON)}, signal,
        );
        if (!signal.aborted) answer.apps.length > 0 ? listed(answer) : empty(answer);
    } catch (error) {
        if (!signal.aborted && !isAbort(error)) failed(error);
    } finally {
        clearTimeout(late);
    }
}

function show(state, ...children) {
    results.dataset.state = state;
    results.setAttribute("aria-busy", String(state === "loading"));
    results.replaceChildren(...children);
}

function initial() {
    status.textContent = "";
    show("initial", notice({
        sign: "search", title: "What are you looking for?", actions: EXAMPLES.map(example),
        text: "Type the name of an app, a developer, or what an app should do. Or begin with one of these.",
    }));
}

function example(text) {
    const choose = () => {
        term.value = text;
        go();
    };
    return h("button.chip", {type: "button", onclick: choose}, text);
}

function loading() {
    const row = () => h(
        "li.result", {}, h("div.result-icon.skeleton"),
        h("div.result-text", {}, h("div.skeleton.line.wide"), h("div.skeleton.line"), h("div.skeleton.line.short")),
    );
    show("loading", h("ul.results", {"aria-hidden": "true"}, Array.from({length: SKELETONS}, row)));
}

function empty({term: asked}) {
    status.textContent = `No apps for “${asked}”`;
    show("empty", notice({
        sign: "search", title: `Nothing for “${asked}”`, actions: EXAMPLES.slice(0, 3).map(example),
        text: "Fewer or other words may help, or the store of another country. Some terms that do find something:",
    }));
}

function failed(error) {
    status.textContent = "";
    show("failed", failure("The search failed", error, open));
}

function listed({term: asked, apps, skipped}) {
    const left = skipped > 0 ? ` ${figure(skipped)} more could not be read.` : "";
    status.textContent = `${figure(apps.length)} ${apps.length === 1 ? "app" : "apps"} for “${asked}”.${left}`;
    // Those on the screen first; who comes back to a place further down waits for all.
    const scroll = history.state?.scroll ?? 0;
    const first = scroll > 0 ? apps.length : AT_ONCE;
    const list = h("ol.results", {"aria-label": "Apps"}, apps.slice(0, first).map(row));
    show("results", list);
    if (scroll > 0) scrollTo(0, scroll);
    else setTimeout(() => list.append(...apps.slice(first).map(row)));
}

/// Tells the app's page where it was opened from.
function opened(app) {
    const address = location.pathname + location.search;
    sessionStorage.setItem("results", JSON.stringify({address, opened: String(app.id)}));
}

function row(app) {
    const address = new URLSearchParams({id: app.id});
    if (country.value !== "us") address.set("country", country.value);
    return h(
        "li.result", {},
        h("lazy-picture.result-icon", {src: app.icon.src, alt: "", name: `icon of ${app.name}`}),
        h(
            "div.result-text", {},
            h("a.result-name", {href: `/app/app?${address}`, dir: "auto", onclick: () => opened(app)}, app.name),
            h("p.result-by", {dir: "auto"}, app.developer ?? "Unknown developer"),
            facts(app, app.genres[0]),
        ),
        app.price ? h("span.badge", {}, app.price) : null,
    );
}
