// The search that the address asks for. This module runs as soon as it is there, before the page is complete, so that the answer
// is on its way while the rest is read.

import {get} from "../lib/api.js";
import {sideFor} from "../lib/sides.js";

const LIMIT = 200;
/// The side of an icon in CSS pixels.
const ICON = 64;

let begun = begin();

/// What an address asks for: a term, which may be empty, and a country.
export function asked(query = new URLSearchParams(location.search)) {
    return {term: (query.get("q") ?? "").trim(), country: query.get("country") ?? "us"};
}

/// The server's answer to a search; that which was begun with the page, where it is for the same.
export function answer({term, country}, signal) {
    const first = begun;
    begun = null;
    if (first?.term !== term || first.country !== country) {
        first?.abort.abort();
        return ask({term, country}, signal);
    }
    signal.addEventListener("abort", () => first.abort.abort());
    return first.answer;
}

function begin() {
    const wanted = asked();
    if (!wanted.term) return null;
    const abort = new AbortController();
    const first = {...wanted, abort, answer: ask(wanted, abort.signal)};
    first.answer.catch(() => {}); // told to the page when it asks
    return first;
}

function ask({term, country}, signal) {
    return get("/api/search", {term, country, limit: LIMIT, side: sideFor(ICON)}, signal);
}
