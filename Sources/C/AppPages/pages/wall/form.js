// The form that selects the images of a wall: a list, an album or a search.

import {listText, takeLists} from "./list.js";

const form = document.querySelector("#order");
const problem = document.querySelector("#order-problem");

/// Calls `start(order)` with the request when a complete form is submitted.
export function takeOrders(start) {
    takeLists();
    for (const radio of form.elements.from) radio.addEventListener("change", choose);
    form.elements.format.addEventListener("change", tellQuality);
    form.addEventListener("submit", event => {
        event.preventDefault();
        const order = read();
        const images = order && readImages();
        if (images) start({...order, ...images});
    });
    choose();
    // A browser may restore the choices of the last visit.
    tellQuality();
}

export function showForm(isShown) {
    form.hidden = !isShown;
    if (isShown) form.querySelector("section:not([hidden]) :is(textarea, .input):not([hidden])")?.focus();
}

/// Shows why the request was rejected.
export function complain(message) {
    problem.textContent = message;
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
        return album.valueAsNumber >= 1 ? {album: Math.floor(album.valueAsNumber)} : miss(album, "Enter an album number, 1 or more.");
    case "search":
        if (term.value.trim() === "") return miss(term, "Enter a search term.");
        return {search: term.value.trim(), country: country.value.trim() || "us"};
    default:
        return listText().trim() === "" ? miss(form.elements.list, "Enter at least one URL, or choose a file.") : {list: listText()};
    }
}

/// Returns the size, format and quality of the images, without what the page or the server chooses.
function readImages() {
    const {size, format, quality} = form.elements;
    const images = {format: format.value, ...(size.value && {side: Number(size.value)})};
    if (!hasQuality() || (quality.value === "" && quality.validity.valid)) return images;
    const isGood = Number.isInteger(quality.valueAsNumber) && quality.validity.valid;
    return isGood ? {...images, quality: quality.valueAsNumber} : miss(quality, "Enter a quality from 1 to 100, or leave it empty.");
}

function hasQuality() {
    return form.elements.format.value !== "png";
}

function tellQuality() {
    document.querySelector("#quality-field").hidden = !hasQuality();
}

function miss(field, message) {
    complain(message);
    field.focus();
    return null;
}
