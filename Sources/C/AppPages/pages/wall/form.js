// The form that says which pictures a wall has: a list, an album or a search.

import {listText, takeLists} from "./list.js";

const form = document.querySelector("#order");
const problem = document.querySelector("#order-problem");

/// Calls `start(order)` with what the server is asked for when the form is sent complete.
export function takeOrders(start) {
    takeLists();
    for (const radio of form.elements.from) radio.addEventListener("change", choose);
    form.addEventListener("submit", event => {
        event.preventDefault();
        const order = read();
        if (order) start(order);
    });
    choose();
}

export function showForm(isShown) {
    form.hidden = !isShown;
    if (isShown) form.querySelector("section:not([hidden]) :is(textarea, .input):not([hidden])")?.focus();
}

/// Tells why the order was not taken.
export function complain(message) {
    problem.textContent = message;
}

/// How the pictures are arranged: `finished` or `list`.
export function arrangement() {
    return form.elements.arrangement.value;
}

function choose() {
    for (const part of form.querySelectorAll("section")) part.hidden = part.id !== `from-${form.elements.from.value}`;
    complain("");
}

function read() {
    const {from, album, term, country} = form.elements;
    complain("");
    switch (from.value) {
    case "album":
        return album.valueAsNumber >= 1 ? {album: Math.floor(album.valueAsNumber)} : miss(album, "Give the number of an album, 1 or more.");
    case "search":
        if (term.value.trim() === "") return miss(term, "Give a word to search for.");
        return {search: term.value.trim(), country: country.value.trim() || "us"};
    default:
        return listText().trim() === "" ? miss(form.elements.list, "Give a URL at least, or choose a file.") : {list: listText()};
    }
}

function miss(field, message) {
    complain(message);
    field.focus();
    return null;
}
