// The search in the address. This is not a module: it runs immediately, while modules wait until the page is
// parsed. So the response is already on its way when search.js needs it.

"use strict";

globalThis.searches = (() => {
    const LIMIT = 200;
    /// The size of an icon in CSS pixels; the server rounds the size in device pixels up.
    const ICON = 64;

    /// The query in an address: a term, which may be empty, and a country.
    function asked() {
        const query = new URLSearchParams(location.search);
        return {term: (query.get("q") ?? "").trim(), country: query.get("country") ?? "us"};
    }

    /// Returns the path of a search in the API.
    function path({term, country}) {
        const side = Math.ceil(ICON * (window.devicePixelRatio || 1));
        return `/api/search?${new URLSearchParams({term, country, limit: LIMIT, side})}`;
    }

    function begin() {
        const wanted = asked();
        if (!wanted.term) return null;
        const abort = new AbortController();
        const response = fetch(path(wanted), {signal: abort.signal, credentials: "same-origin"});
        response.catch(() => {}); // the caller that awaits it gets the error
        return {path: path(wanted), response, abort};
    }

    return {asked, path, begun: begin()};
})();
