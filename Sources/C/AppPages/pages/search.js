// The search: a term in the address, one search at a time, rows whose icons load when they come into view.

import {get, isAbort} from "./lib/api.js";
import {failure, figure, h, notice} from "./lib/dom.js";
import "./lib/nav.js";
import "./lib/pictures.js";
import {inSlices, painted} from "./lib/slices.js";
import {row, skeletons} from "./search/rows.js";

// Of search/begin.js, which has begun the first search.
const {asked, path} = globalThis.searches;

/// How long no rows stand in for those that are to come, in milliseconds.
const PATIENCE = 80;
/// So many rows fill a large screen.
const AT_ONCE = 24;
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
    const text = term.value.trim();
    const query = new URLSearchParams(text ? {q: text} : {});
    if (text && country.value !== "us") query.set("country", country.value);
    const address = query.size > 0 ? `/app/?${query}` : "/app/";
    // A field that was emptied on the way to another term is no place to come back to.
    const put = history.state?.isEmptied ? "replaceState" : "pushState";
    if (address !== location.pathname + location.search) history[put]({scroll: 0, isEmptied: !text}, "", address);
    open();
}

/// Does what the address says.
function open() {
    shown = location.pathname + location.search;
    const wanted = asked();
    if (document.activeElement !== term || term.value.trim() !== wanted.term) term.value = wanted.term;
    country.value = wanted.country;
    if (country.selectedIndex < 0) country.value = "us";
    document.title = wanted.term ? `${wanted.term} – ${title}` : title;
    running.abort();
    running = new AbortController();
    if (wanted.term) search({...wanted, country: country.value}, running.signal);
    else initial();
}

/// The server's answer; to the first search it is on its way already.
function answer(wanted, signal) {
    const {begun} = globalThis.searches;
    globalThis.searches.begun = null;
    if (begun?.path === path(wanted)) return get(path(wanted), undefined, signal, begun);
    begun?.abort.abort();
    return get(path(wanted), undefined, signal);
}

async function search(wanted, signal) {
    status.textContent = `Searching for “${wanted.term}”…`;
    // An answer that comes at once needs no rows to stand in for it.
    const late = setTimeout(() => signal.aborted || loading(), PATIENCE);
    try {
        const found = await answer(wanted, signal);
        if (!signal.aborted) found.apps.length > 0 ? listed(found, signal) : empty(found);
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
    show("loading", skeletons());
}

function empty({term: text}) {
    status.textContent = `No apps for “${text}”`;
    show("empty", notice({
        sign: "search", title: `Nothing for “${text}”`, actions: EXAMPLES.slice(0, 3).map(example),
        text: "Fewer or other words may help, or the store of another country. Some terms that do find something:",
    }));
}

function failed(error) {
    status.textContent = "";
    show("failed", failure("The search failed", error, open));
}

async function listed({term: text, country: store, apps, skipped}, signal) {
    const left = skipped > 0 ? ` ${figure(skipped)} more could not be read.` : "";
    status.textContent = `${figure(apps.length)} ${apps.length === 1 ? "app" : "apps"} for “${text}”.${left}`;
    // Those on the screen first; who comes back to a place further down waits for all.
    const scroll = history.state?.scroll ?? 0;
    const first = scroll > 0 ? apps.length : AT_ONCE;
    const list = h("ol.results", {"aria-label": "Apps"}, apps.slice(0, first).map(app => row(app, store)));
    list.setAttribute("aria-busy", String(first < apps.length));
    show("results", list);
    if (scroll > 0) scrollTo(0, scroll);
    await painted();
    if (await inSlices(apps.slice(first), app => list.append(row(app, store)), signal)) list.setAttribute("aria-busy", "false");
}
