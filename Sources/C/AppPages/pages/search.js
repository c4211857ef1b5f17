// The search: results while the user types, the term in the address, one search at a time, and rows whose icons
// load when they become visible.

import {get, isAbort} from "./lib/api.js";
import {debounced, failure, figure, h, notice} from "./lib/dom.js";
import "./lib/nav.js";
import "./lib/pictures.js";
import {inSlices, painted} from "./lib/slices.js";
import {onRecentChange, recentSection, remember} from "./search/recent.js";
import {row, skeletons} from "./search/rows.js";

// From search/begin.js, which has started the first search.
const {asked, path} = globalThis.searches;

/// A pause in typing after which the search starts, in milliseconds.
const TYPING_PAUSE = 250;
/// The delay before placeholder rows appear.
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

const typed = debounced(TYPING_PAUSE, goOn);
form.addEventListener("submit", event => {
    event.preventDefault();
    typed.cancel();
    go();
    settle();
});
country.addEventListener("change", () => {
    if (!term.value.trim()) return;
    go();
    settle();
});
term.addEventListener("input", event => event.isComposing || onInput());
// The last input event of a composition comes before its end.
term.addEventListener("compositionend", onInput);
term.addEventListener("blur", settle);
term.addEventListener("keydown", onEscape);
addEventListener("keydown", onSlash);
addEventListener("pagehide", keep);
onRecentChange(() => results.dataset.state === "initial" && initial());
// The address also changes when the user skips to the content.
addEventListener("popstate", () => location.pathname + location.search === shown || open());
// The scroll position is stored in the history entry, because the list does not exist yet when a page is
// shown again.
history.scrollRestoration = "manual";
addEventListener("scrollend", () => {
    if (results.dataset.state === "results") history.replaceState({...history.state, scroll: scrollY}, "");
});
open();

/// Returns the address of the query in the form.
function address() {
    const text = term.value.trim();
    const query = new URLSearchParams(text ? {q: text} : {});
    if (text && country.value !== "us") query.set("country", country.value);
    return query.size > 0 ? `/app/search?${query}` : "/app/search";
}

/// Puts the query into the address, and runs it unless its results are already here or on their way.
function go() {
    const wanted = address();
    if (wanted === shown && results.dataset.state !== "failed") return;
    // A term on the way to another one needs no history entry.
    const put = history.state?.isTyped ? "replaceState" : "pushState";
    if (wanted !== location.pathname + location.search) history[put]({scroll: 0, isTyped: true}, "", wanted);
    open();
}

/// Runs the query that the user has typed so far.
function goOn() {
    // A single letter means little, and the store limits the number of searches; a word of other scripts may have one sign.
    if (!/^[ -~]$/.test(term.value.trim())) go();
}

function onInput() {
    typed();
    if (term.value !== "") return;
    typed.cancel();
    go();
}

/// The user means the term that is searched for: its history entry stays, and it becomes a recent search.
function settle() {
    if (keep() && history.state?.isTyped) history.replaceState({...history.state, isTyped: false}, "");
}

/// Makes the current search a recent one; returns false if the field is empty or contains another term.
function keep() {
    const wanted = asked();
    if (!wanted.term || wanted.term !== term.value.trim()) return false;
    remember(wanted);
    return true;
}

/// Escape clears the field, and leaves it if it is empty.
function onEscape(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    if (term.value === "") return term.blur();
    term.value = "";
    onInput();
}

/// A slash goes to the field, unless the user types it elsewhere.
function onSlash(event) {
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, dialog, [contenteditable]")) return;
    event.preventDefault();
    term.focus();
    term.select();
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
    results.replaceChildren(...children.filter(Boolean));
}

function initial() {
    status.textContent = "";
    const cleared = () => {
        initial();
        term.focus();
    };
    show("initial", recentSection(choose, cleared, nameOf), notice({
        sign: "search", title: "What are you looking for?", actions: EXAMPLES.map(example),
        text: "Type the name of an app or a developer, or what an app should do. Or start with one of these.",
    }));
}

function example(text) {
    return h("button.chip", {type: "button", onclick: () => choose({term: text, country: country.value})}, text);
}

/// Runs a search that the page offers.
function choose(search) {
    term.value = search.term;
    country.value = search.country;
    if (country.selectedIndex < 0) country.value = "us";
    go();
    settle();
}

function nameOf(code) {
    return [...country.options].find(option => option.value === code)?.text ?? code;
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
