// What the pages say of an app.

import {figure, h} from "./dom.js";

const compactFigures = new Intl.NumberFormat(undefined, {notation: "compact", maximumFractionDigits: 1});

/// A line of its rating and of further facts.
export function facts(app, ...more) {
    const others = more.filter(Boolean).map(text => h("span", {dir: "auto"}, text));
    return h("p.facts.numbers", {}, rating(app), others);
}

function rating({rating}) {
    if (!rating) return h("span", {}, "Not rated yet");
    const voters = `by ${figure(rating.count)} ${rating.count === 1 ? "person" : "people"}`;
    return h(
        "span.rating", {},
        h("span.visually-hidden", {}, `Rated ${rating.text} of 5 ${voters}`),
        h("span", {"aria-hidden": "true"}, h("span.star"), rating.text, h("small", {}, `(${compact(rating.count)})`)),
    );
}

function compact(number) {
    return compactFigures.format(number);
}
