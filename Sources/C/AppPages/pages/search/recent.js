// The last searches of this browser, which are offered when the search field is empty.

import {h, symbol} from "../lib/dom.js";
import {store, stored} from "../lib/storage.js";

const PLACE = "recent-searches";
const MOST = 8;

/// The last searches as `{term, country}`, newest first.
export function recent() {
    const list = stored(PLACE);
    return Array.isArray(list) ? list.filter(isSearch).slice(0, MOST) : [];
}

/// Puts a search first.
export function remember({term, country}) {
    const others = recent().filter(one => one.country !== country || one.term.toLowerCase() !== term.toLowerCase());
    store(PLACE, [{term, country}, ...others].slice(0, MOST));
}

/// Calls `action` when another page of this browser has changed the searches.
export function onRecentChange(action) {
    addEventListener("storage", ({key}) => (key === PLACE || key === null) && action());
}

/// Returns the section with the last searches, `null` if there are none. `choose(search)` runs one, `cleared()`
/// is called when the user has cleared them; `nameOf(country)` returns a country's name.
export function recentSection(choose, cleared, nameOf) {
    const list = recent();
    if (list.length === 0) return null;
    const chip = search => h(
        "li", {},
        h("button.chip", {type: "button", onclick: () => choose(search)},
            h("bdi.recent-term", {}, search.term), search.country === "us" ? null : h("span.muted", {}, nameOf(search.country))),
    );
    const clear = () => {
        store(PLACE, null);
        cleared();
    };
    return h(
        "section.recent", {"aria-labelledby": "recent-title"},
        h("div.recent-head", {},
            h("h2", {id: "recent-title"}, "Recent searches"),
            h("button.button.quiet.compact", {type: "button", id: "recent-clear", "aria-label": "Clear recent searches", onclick: clear}, symbol("cancel"), "Clear")),
        h("ul.chips", {}, list.map(chip)),
    );
}

/// Whether a stored value is a search; the storage may contain what another version wrote.
function isSearch(value) {
    return typeof value?.term === "string" && value.term.trim() !== "" && typeof value.country === "string";
}
