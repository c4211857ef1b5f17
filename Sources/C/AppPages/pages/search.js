// The search: a term in the address, one search at a time, and rows whose icons load when they become
// visible.

import {get, isAbort} from "./lib/api.js";
import {failure, figure, h, notice} from "./lib/dom.js";
import "./lib/nav.js";
import "./lib/pictures.js";
import {inSlices, painted} from "./lib/slices.js";
import {row, skeletons} from "./search/rows.js";

// From search/begin.js, which has started the first search.
const {asked, path} = globalThis.searches;

/// The delay before placeholder rows appear, in milliseconds.
const PATIENCE = 80;
/// The number of rows that fill a large screen.
const AT_ONCE = 24;
const EXAMPLES = ["camera", "weather", "music", "café", "photo"];

const form = document.querySelector("#form");
const term = document.querySelector("#term");
const country = document.querySelector("#country");
const results = document.querySelector("#results");
const status = document.querySelector("#status");
const title = document.title;

let running = new AbortController();
/// The address of the current search.
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
// The address also changes when the user skips to the content.
addEventListener("popstate", () => location.pathname + location.search === shown || open());
// The scroll position is stored in the history entry, because the list does not exist yet when a page is
// shown again.
history.scrollRestoration = "manual";
addEventListener("scrollend", () => {
    if (results.dataset.state === "results") history.replaceState({scroll: scrollY}, "");
});
open();

/// Puts the query into the address, then runs it.
function go() {
    const text = term.value.trim();
    const query = new URLSearchParams(text ? {q: text} : {});
    if (text && country.value !== "us") query.set("country", country.value);
    const address = query.size > 0 ? `/app/search?${query}` : "/app/search";
    // A field that was emptied on the way to another term needs no history entry.
    const put = history.state?.isEmptied ? "replaceState" : "pushState";
    if (address !== location.pathname + location.search) history[put]({scroll: 0, isEmptied: !text}, "", address);
    open();
}

/// Runs the query in the address.
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

/// Returns the server's response; the first search has already started.
function answer(wanted, signal) {
    const {begun} = globalThis.searches;
    globalThis.searches.begun = null;
    if (begun?.path === path(wanted)) return get(path(wanted), undefined, signal, begun);
    begun?.abort.abort();
    return get(path(wanted), undefined, signal);
}

async function search(wanted, signal) {
    status.textContent = `Searching for “${wanted.term}”…`;
    // An immediate response needs no placeholder rows.
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
        text: "Type the name of an app or a developer, or what an app should do. Or start with one of these.",
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
        sign: "search", title: `No results for “${text}”`, actions: EXAMPLES.slice(0, 3).map(example),
        text: "Try fewer or other words, or another country. These terms have results:",
    }));
}

function failed(error) {
    status.textContent = "";
    show("failed", failure("The search failed", error, open));
}

async function listed({term: text, country: store, apps, skipped}, signal) {
    const left = skipped > 0 ? ` ${figure(skipped)} more could not be read.` : "";
    status.textContent = `${figure(apps.length)} ${apps.length === 1 ? "app" : "apps"} for “${text}”.${left}`;
    // Visible rows first; a user who returns to a later place waits for all rows.
    const scroll = history.state?.scroll ?? 0;
    const first = scroll > 0 ? apps.length : AT_ONCE;
    const list = h("ol.results", {"aria-label": "Apps"}, apps.slice(0, first).map(app => row(app, store)));
    list.setAttribute("aria-busy", String(first < apps.length));
    show("results", list);
    if (scroll > 0) scrollTo(0, scroll);
    await painted();
    if (await inSlices(apps.slice(first), app => list.append(row(app, store)), signal)) list.setAttribute("aria-busy", "false");
}
