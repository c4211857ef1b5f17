// The wall: a list, an album or a search as a stream of images, which are shown as they finish. Each wall has an
// address, and the server continues to load it for a minute after you leave its page.

import "./lib/nav.js";
import {get, isAbort, remove, send} from "./lib/api.js";
import {figure} from "./lib/dom.js";
import {events} from "./lib/events.js";
import {HIDDEN_LIMIT, keepRunning, onVisibility} from "./lib/live.js";
import {sideFor} from "./lib/sides.js";
import {store, stored} from "./lib/storage.js";
import {imagesText} from "./lib/words.js";
import {Failures} from "./wall/failures.js";
import {complain, showForm, takeOrders} from "./wall/form.js";
import {largerEntries} from "./wall/larger.js";
import {WallModel} from "./wall/model.js";
import {WallPictures} from "./wall/pictures.js";

const PHONE = matchMedia("(width < 48rem)");
/// Interval for announcements to screen readers, in milliseconds.
const TELL_INTERVAL = 5000;
/// The names and styles of the states.
const STATES = {
    starting: ["starting", "info"], running: ["running", "info"], finished: ["complete", "good"], cancelled: ["cancelled", "warn"], abandoned: ["cancelled", "warn"],
    broken: ["interrupted", "bad"],
};
/// The path of the form; that of a wall is below it.
const PATH = "/app/wall";

/// The keys of what the browser remembers: the order of the images, and the size of thumbnails in CSS pixels.
const [ORDER, THUMBNAIL] = ["wall-order", "wall-thumbnail"];

let thumbnail = stored(THUMBNAIL);
/// The size of thumbnails in CSS pixels: by default three columns on a phone.
const cell = () => thumbnail ?? (PHONE.matches ? 104 : 120);
const $ = id => document.getElementById(id);
const pictures = new WallPictures(index => larger.open(index), cell, () => {
    passed += 1;
    draw();
});
const larger = largerEntries(pictures, () => model, index => retry([index]));
const failures = new Failures(index => larger.open(index));

let model = null;
let abort = null;
/// Ends what keeps the wall of this hidden page running; `null` while the page is connected.
let release = null;
let frame = 0;
let toldAt = 0;
/// The number of images that were scrolled past before they had loaded.
let passed = 0;

takeOrders(order => start("POST", "/api/walls", {json: {side: sideFor(cell() * 2), ...order}}));
$("cancel").addEventListener("click", cancel);
$("retry").addEventListener("click", () => retry());
for (const kind of ["zip", "report"]) $(kind).addEventListener("click", download);
$("again").addEventListener("click", () => {
    history.pushState(null, "", PATH);
    again();
});
addEventListener("popstate", open);
addEventListener("pageshow", event => event.persisted && open());
onVisibility(reconnect, disconnect);
takeLayout();
setUpTabs();
if (location.pathname !== PATH) open();

/// Shows what the page's address names: a wall, or the form.
function open() {
    const id = location.pathname.slice(PATH.length + 1);
    if (id) start("GET", `/api/walls/${id}/events`);
    else again();
}

/// Shows the wall whose events a request streams; `refuse(error)` is called if the server refuses the request.
function start(method, route, options, refuse = refused) {
    const mine = (model = new WallModel());
    pictures.begin(mine, $("arranged").value);
    failures.begin(mine);
    showWall();
    release?.();
    release = null;
    if (document.hidden) setTimeout(disconnect, HIDDEN_LIMIT);
    return watch(mine, method, route, options, refuse);
}

/// Follows the events of a wall until it ends, or until another request follows.
async function watch(mine, method, route, options, refuse) {
    abort?.abort();
    abort = new AbortController();
    try {
        await take(mine, events(method, route, {...options, signal: abort.signal}));
        mine.end("broken");
    } catch (error) {
        // The page or this wall was left, the page is not seen, or the server has not started the wall.
        if (model !== mine || isAbort(error)) return;
        if (mine.id === null) return refuse(error);
        mine.end("broken");
        $("wall-problem").textContent = `${error.message} Reload the page to see the current state of the wall.`;
    }
    if (model === mine) ended();
}

/// Ends the connection of a hidden page: browsers open six to a server at a time, and other pages need them. The wall
/// continues.
function disconnect() {
    if (!document.hidden || !model?.isRunning || release) return;
    if (model.id === null) return setTimeout(disconnect, HIDDEN_LIMIT);
    release = keepRunning(model.id);
    if (release) abort.abort();
}

/// Shows what has happened to the wall since the page was hidden.
function reconnect() {
    if (!release) return;
    release();
    release = null;
    if (model?.isRunning) watch(model, "GET", `/api/walls/${encodeURIComponent(model.id)}/events`);
}

/// Cancels the wall; it ends when the server has stopped all loads.
async function cancel() {
    if (model.id === null) {
        abort.abort();
        return again();
    }
    try {
        await remove(`/api/walls/${encodeURIComponent(model.id)}`);
    } catch (error) {
        if (!isAbort(error)) $("wall-problem").textContent = error.message;
    }
}

/// Downloads what a link leads to; if the server refuses it, says why instead of leaving the page or saving the error.
async function download(event) {
    event.preventDefault();
    const {href} = event.currentTarget;
    $("wall-problem").textContent = "";
    try {
        await send("HEAD", href);
        location.assign(href);
    } catch (refusal) {
        // A response to HEAD does not say why.
        const error = refusal.status > 0 ? await get(href).catch(reason => reason) : refusal;
        if (!isAbort(error)) $("wall-problem").textContent = error.message;
    }
}

/// Loads entries again, or all that failed or were not loaded.
function retry(entries) {
    start("POST", `/api/walls/${encodeURIComponent(model.id)}/retry`, {json: {entries}}, error => {
        open();
        $("wall-problem").textContent = error.message;
    });
}

async function take(mine, stream) {
    for await (const {event, data} of stream) {
        if (event === "wall") {
            mine.begin(data);
            const path = `${PATH}/${data.id}`;
            if (location.pathname !== path) history.pushState(null, "", path);
            pictures.size();
        } else if (event === "entries") {
            const before = mine.finished.length;
            pictures.add(mine.add(data), before);
        } else if (event === "end") {
            mine.end(data.ending);
        }
        draw();
    }
}

/// Nothing was started: returns to the form, with the reason.
function refused(error) {
    if (location.pathname !== PATH) history.replaceState(null, "", PATH);
    again();
    complain(error.message);
}

function again() {
    abort?.abort();
    model = null;
    $("wall").hidden = true;
    showForm(true);
}

function showWall() {
    showForm(false);
    complain("");
    $("wall").hidden = false;
    $("wall-problem").textContent = "";
    select($("tab-pictures"));
    $("cancel").hidden = false;
    for (const id of ["retry", "zip", "report", "again"]) $(id).hidden = true;
    toldAt = passed = 0;
    tellFigures();
    $("cancel").focus();
}

function ended() {
    const hadFocus = document.activeElement === $("cancel");
    for (const kind of ["zip", "report"]) {
        $(kind).href = `/api/walls/${encodeURIComponent(model.id)}/${kind}`;
        $(kind).hidden = kind === "zip" && model.done === 0;
    }
    $("cancel").hidden = true;
    $("again").hidden = false;
    const {state, total, done, failed} = model;
    $("retry").hidden = state === "broken" || done === total;
    $("retry-text").textContent = done + failed < total ? "Load the rest" : "Retry failed";
    if (state === "abandoned") $("wall-problem").textContent = "Cancelled because nobody had this page open for a minute.";
    if (hadFocus) $("again").focus();
    pictures.end();
    toldAt = 0;
    draw();
}

/// Shows the newest figures in the next frame, however many arrive until then.
function draw() {
    frame ||= requestAnimationFrame(() => {
        frame = 0;
        if (model === null) return;
        tellFigures();
        failures.update();
        tellAloud();
    });
}

function tellFigures() {
    const {total, done, failed, loading} = model;
    tellTitle();
    $("count-done").textContent = figure(done);
    $("count-failed").textContent = figure(failed);
    $("count-failed").classList.toggle("is-bad", failed > 0);
    $("count-loading").textContent = figure(loading);
    $("count-total").textContent = figure(total);
    $("count-rate").textContent = Number.isNaN(model.rate) ? "–" : `${figure(Math.round(model.rate))}/s`;
    $("tab-failed").textContent = figure(failed);
    $("passed").textContent = passed > 0 ? `${figure(passed)} scrolled past and cancelled` : "";
    const share = count => `${total > 0 ? (100 * count) / total : 0}%`;
    $("meter-done").style.width = share(done);
    $("meter-failed").style.width = share(failed);
    $("progress").setAttribute("aria-valuenow", done + failed);
    $("progress").setAttribute("aria-valuemax", total);
}

/// Shows the wall's source and state.
function tellTitle() {
    const {id, state, title, total, images} = model;
    const shown = id === null ? "starting" : state;
    const [word, kind] = STATES[shown];
    $("wall-title").textContent = title || (total === 1 ? "1 image" : `${figure(total)} images`);
    $("wall-badge").textContent = word;
    $("wall-images").textContent = images ? imagesText(images) : "";
    $("wall-badge").className = `badge ${kind}`;
    $("wall").dataset.state = shown;
}

function tellAloud() {
    const now = performance.now();
    if (model.isRunning && now - toldAt < TELL_INTERVAL) return;
    toldAt = now;
    const {total, done, failed, state} = model;
    $("live").textContent = `${STATES[state][0]}: ${figure(done)} of ${figure(total)} done, ${figure(failed)} failed`;
}

/// Lets the user choose the order of the images and the size of thumbnails; the browser remembers both.
function takeLayout() {
    const [order, density] = [$("arranged"), $("density")];
    order.value = stored(ORDER) ?? "finished";
    if (order.selectedIndex < 0) order.value = "finished";
    order.addEventListener("change", () => {
        store(ORDER, order.value);
        pictures.arrange(order.value);
    });
    if (!(thumbnail >= Number(density.min) && thumbnail <= Number(density.max))) thumbnail = null;
    density.value = cell();
    density.addEventListener("input", () => {
        thumbnail = density.valueAsNumber;
        density.setAttribute("aria-valuetext", `${thumbnail} pixels`);
        store(THUMBNAIL, thumbnail);
        pictures.resize();
    });
}

// The tabs.

function setUpTabs() {
    const tabs = [$("tab-pictures"), $("tab-failures")];
    for (const [number, tab] of tabs.entries()) {
        tab.addEventListener("click", () => select(tab));
        tab.addEventListener("keydown", event => {
            if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
            select(tabs[1 - number]);
            tabs[1 - number].focus();
        });
    }
}

function select(tab) {
    for (const other of [$("tab-pictures"), $("tab-failures")]) {
        other.setAttribute("aria-selected", other === tab);
        other.tabIndex = other === tab ? 0 : -1;
        $(other.getAttribute("aria-controls")).hidden = other !== tab;
    }
}
