// Texts about an app.

import {figure, h} from "./dom.js";

const UNITS = ["", "K", "M", "B"];

/// Returns a line with the app's rating and other facts.
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

/// Returns a number with at most three digits, such as 4.9, 360 or 1.2K.
function compact(number) {
    let [value, unit] = [number, 0];
    while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
    return `${value < 99.95 ? Number(value.toFixed(1)) : Math.round(value)}${UNITS[unit]}`;
}
