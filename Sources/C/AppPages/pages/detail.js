// One app: its facts, its summary, and screenshots that load when they become visible and can be enlarged.
// Leaving the page aborts the loads.

import {get, isAbort} from "./lib/api.js";
import {facts} from "./lib/apps.js";
import {failure, figure, h, notice, symbol} from "./lib/dom.js";
import {Larger} from "./lib/larger.js";
import "./lib/nav.js";
import "./lib/pictures.js";
import {sideFor} from "./lib/sides.js";

const ICON = 128;
/// The longer side of a screenshot, in CSS pixels.
const SHOT = 400;

const place = document.querySelector("#app");
const status = document.querySelector("#status");
const back = document.querySelector("#back");
const query = new URLSearchParams(location.search);
const id = query.get("id") ?? "";
const country = query.get("country") ?? "us";

// A user who came from the results returns to the same place there.
const from = JSON.parse(sessionStorage.getItem("results") ?? "{}");
if (from.opened === id) {
    back.href = from.address;
    back.addEventListener("click", event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || history.length < 2) return;
        event.preventDefault();
        history.back();
    });
}
open();

async function open() {
    if (!/^\d{1,18}$/.test(id)) return unknown();
    loading();
    try {
        show("results", await get(`/api/apps/${id}`, {country, side: sideFor(ICON), shot: sideFor(SHOT)}));
    } catch (error) {
        if (isAbort(error)) return;
        error.code === "not_found" || error.code === "no_such_app" ? unknown(error) : failed(error);
    }
}

function put(state, ...children) {
    place.dataset.state = state;
    place.setAttribute("aria-busy", String(state === "loading"));
    place.replaceChildren(...children);
}

function unknown(error) {
    document.title = "App not found – Calotype";
    put("empty", h("h1.visually-hidden", {}, "App not found"), notice({
        sign: "search", title: "App not found",
        text: error?.message ?? "The address does not contain an app. Use the search to find one.",
        actions: [h("a.button", {href: "/app/search"}, "Go to the search")],
    }));
}

function failed(error) {
    status.textContent = "";
    put("failed", h("h1.visually-hidden", {}, "App"), failure("Couldn't load the app", error, open));
}

function loading() {
    status.textContent = "Loading the app…";
    const line = h("div.skeleton.line");
    put(
        "loading", h("h1.visually-hidden", {}, "App"),
        h(
            "div.app-head", {"aria-hidden": "true"}, h("div.app-icon.skeleton"),
            h("div.app-title", {}, h("div.skeleton.line.name"), line, line.cloneNode()),
        ),
        h("div.app-body", {"aria-hidden": "true"}, h("div.strip", {}, Array.from({length: 8}, () => h("div.shot.skeleton")))),
    );
}

function show(state, app) {
    document.title = `${app.name} – Calotype`;
    status.textContent = `${app.name} loaded.`;
    const none = app.screenshots.length + app.tabletScreenshots.length === 0;
    put(
        state, head(app),
        h(
            "div.app-body", {},
            strip("Screenshots", app, "screenshots", "shot"), strip("On a tablet", app, "tabletScreenshots", "shot.tablet"),
            none ? notice({title: "No screenshots", text: "The store has no screenshots of this app."}) : null,
            about(app),
        ),
    );
}

function head(app) {
    return h(
        "header.app-head", {},
        h("lazy-picture.app-icon", {src: app.icon.src, alt: "", name: `icon of ${app.name}`}),
        h(
            "div.app-title", {},
            h("h1", {dir: "auto"}, app.name), h("p.muted", {dir: "auto"}, app.developer ?? "Unknown developer"),
            facts(app, ...app.genres.slice(0, 2), app.version ? `Version ${app.version}` : null),
            h("p.app-offer", {}, app.price ? h("span.badge", {}, app.price) : null, storeLink(app.page)),
        ),
    );
}

/// The address comes from outside, so only a web address becomes a link.
function storeLink(page) {
    if (!/^https?:\/\//i.test(page ?? "")) return null;
    return h("a.store", {href: page, rel: "noreferrer external"}, "View in App Store", symbol("open"));
}

/// Returns the section with the screenshots in `app[list]`; each opens larger.
function strip(name, app, list, kind) {
    const pictures = app[list];
    if (pictures.length === 0) return null;
    const larger = largerShots(pictures, list, index => shots[index].querySelector(".enlarge"));
    const shots = pictures.map((picture, index) => h(
        "li", {},
        h(`lazy-picture.${kind}`, {src: picture.src, alt: picture.title, name: `${name}, ${index + 1}`}),
        h("button.enlarge", {type: "button", "aria-label": `Enlarge: ${picture.title}`, onclick: () => larger.open(index)}),
    ));
    const about = {role: "list", "aria-label": `${name}, ${figure(shots.length)} pictures`};
    return h("section", {}, h("h2", {}, name), h("ul.strip", about, shots));
}

/// Returns the larger view of screenshots, by index; `button(index)` is what opened one.
function largerShots(pictures, list, button) {
    const larger = index => async (shot, signal) => (await get(`/api/apps/${id}`, {country, side: sideFor(ICON), shot}, signal))[list][index].src;
    const describe = index => {
        const {src, title, url} = pictures[index];
        return {name: title, facts: [], source: url, image: {src, larger: larger(index)}};
    };
    return new Larger({describe, neighbour: (index, by) => pictures[index + by] && index + by, closed: index => button(index).focus()});
}

function about({summary}) {
    if (!summary) return null;
    const text = h("p.summary", {dir: "auto"}, summary);
    const more = h("button.button.quiet.compact", {type: "button", "aria-expanded": "false", hidden: true}, "Read all");
    more.addEventListener("click", () => {
        const isOpen = text.classList.toggle("open");
        more.setAttribute("aria-expanded", String(isOpen));
        more.textContent = isOpen ? "Read less" : "Read all";
    });
    new ResizeObserver(() => {
        if (!text.classList.contains("open")) more.hidden = text.scrollHeight <= text.clientHeight + 1;
    }).observe(text);
    return h("section.about", {}, h("h2", {}, "About"), text, more);
}
