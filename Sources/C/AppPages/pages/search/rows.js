// The rows of a search's results.

import {facts} from "../lib/apps.js";
import {h} from "../lib/dom.js";

const SKELETONS = 12;

/// Returns the row of an app; `country` is the store's.
export function row(app, country) {
    const address = new URLSearchParams({id: app.id});
    if (country !== "us") address.set("country", country);
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

/// Returns placeholder rows.
export function skeletons() {
    const row = () => h(
        "li.result", {}, h("div.result-icon.skeleton"),
        h("div.result-text", {}, h("div.skeleton.line.wide"), h("div.skeleton.line"), h("div.skeleton.line.short")),
    );
    return h("ul.results", {"aria-hidden": "true"}, Array.from({length: SKELETONS}, row));
}

/// Tells the app's page where the user came from.
function opened(app) {
    const address = location.pathname + location.search;
    sessionStorage.setItem("results", JSON.stringify({address, opened: String(app.id)}));
}
