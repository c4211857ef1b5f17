// The search that the address asks for. This is no module: it runs as soon as it is there, while modules wait until the page is
// read and painted. So the answer is on its way when search.js comes to ask for it.

"use strict";

globalThis.searches = (() => {
    const LIMIT = 200;
    /// The side of an icon in CSS pixels; the server rounds up what it is on the screen.
    const ICON = 64;

    /// What an address asks for: a term, which may be empty, and a country.
    function asked() {
        const query = new URLSearchParams(location.search);
        return {term: (query.get("q") ?? "").trim(), country: query.get("country") ?? "us"};
    }

    /// The path of a search, as the API describes it.
    function path({term, country}) {
        const side = Math.ceil(ICON * (window.devicePixelRatio || 1));
        return `/api/search?${new URLSearchParams({term, country, limit: LIMIT, side})}`;
    }

    function begin() {
        const wanted = asked();
        if (!wanted.term) return null;
        const abort = new AbortController();
        const response = fetch(path(wanted), {signal: abort.signal, credentials: "same-origin"});
        response.catch(() => {}); // told to whoever takes it
        return {path: path(wanted), response, abort};
    }

    return {asked, path, begun: begin()};
})();
