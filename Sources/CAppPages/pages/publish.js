// Publishing: media are brought to the server while the post is written; then the server publishes it, and the page looks on.

import {session} from "./lib/nav.js";
import {get, post as send, remove} from "./lib/api.js";
import {debounced, figure} from "./lib/dom.js";
import {Draft, keep, kept} from "./publish/draft.js";
import {MediaList} from "./publish/media.js";
import {Posts} from "./publish/posts.js";

const KEEP_DELAY = 200;

const $ = id => document.getElementById(id);
const form = $("draft");
const draft = new Draft();
const segmenter = new Intl.Segmenter();
const keepSoon = debounced(KEEP_DELAY, keepNow);

let isSending = false;
let isReady = false;

new MediaList(draft, complain);
const posts = new Posts(message => ($("posts-problem").textContent = message));
begin();

async function begin() {
    try {
        const {canPublish} = await session;
        const {profiles} = canPublish ? await get("/api/publish/profiles") : {profiles: []};
        profiles.length > 0 ? await open(profiles) : show("not-set-up");
    } catch (error) {
        $("broken-problem").textContent = error.message;
        show("broken");
    }
}

function show(id) {
    for (const part of ["opening", "not-set-up", "broken", "board"]) $(part).hidden = part !== id;
}

async function open(profiles) {
    const before = kept();
    $("profile").replaceChildren(...profiles.map(({name, kind, host}) => new Option(`${name} (${kind}, ${host})`, name)));
    if (profiles.some(({name}) => name === before.profile)) $("profile").value = before.profile;
    $("visibility").value = before.visibility;
    $("text").value = before.text;
    listen();
    const [{files}] = await Promise.all([get("/api/publish/files"), posts.load()]);
    restore(before.media, files);
    isReady = true;
    tell();
    // All at once, so that nothing moves when more comes.
    show("board");
}

/// What was brought to the server before the page was loaded: the draft's come back, others are offered.
function restore(media, files) {
    const held = new Map(files.map(file => [file.id, file]));
    for (const {id, alt} of media) {
        if (held.has(id)) draft.adopt(held.get(id), alt);
        held.delete(id);
    }
    const used = posts.files;
    const others = [...held.values()].filter(({id}) => !used.has(id));
    $("others").hidden = others.length === 0;
    $("others-count").textContent = others.length === 1 ? "1 more file is on the server." : `${figure(others.length)} more files are on the server.`;
    $("others-add").onclick = () => {
        others.forEach(file => draft.adopt(file));
        $("others").hidden = true;
    };
    $("others-remove").onclick = async () => {
        $("others").hidden = true;
        await Promise.all(others.map(({id}) => remove(`/api/publish/files/${encodeURIComponent(id)}`))).catch(error => complain(error.message));
    };
}

function listen() {
    for (const kind of ["change", "progress", "described"]) draft.addEventListener(kind, tell);
    for (const kind of ["change", "described"]) draft.addEventListener(kind, keepSoon);
    form.addEventListener("input", () => {
        keepSoon();
        tell();
    });
    form.addEventListener("submit", event => {
        event.preventDefault();
        publish();
    });
    $("choose").addEventListener("click", () => $("files").click());
    $("files").addEventListener("change", () => {
        draft.add($("files").files);
        $("files").value = "";
    });
    takeDrops();
    addEventListener("pagehide", keepNow);
}

function takeDrops() {
    const zone = $("drop");
    // The whole page takes files, or one dropped beside the zone would replace the page.
    addEventListener("dragover", event => {
        event.preventDefault();
        zone.classList.add("is-over");
    });
    addEventListener("dragleave", event => event.relatedTarget ?? zone.classList.remove("is-over"));
    addEventListener("drop", event => {
        event.preventDefault();
        zone.classList.remove("is-over");
        draft.add(event.dataTransfer.files);
    });
    addEventListener("paste", event => {
        if (event.clipboardData.files.length > 0) draft.add(event.clipboardData.files);
    });
}

function keepNow() {
    if (!isReady) return;
    keep(draft, {text: $("text").value, profile: $("profile").value, visibility: $("visibility").value});
}

/// Tells the counts, and what is missing before it can be published.
function tell() {
    const count = [...segmenter.segment($("text").value)].length;
    $("text-count").textContent = count === 1 ? "1 character" : `${figure(count)} characters`;
    const {media, undescribed} = draft;
    $("alt-missing").hidden = media.length === 0;
    $("alt-missing").className = undescribed > 0 ? "badge warn" : "badge good";
    $("alt-missing").textContent = undescribed > 0 ? `${undescribed} of ${media.length} without a description` : "all described";
    const missing = missingNow();
    $("send").setAttribute("aria-disabled", missing !== "");
    $("missing").textContent = missing;
}

function missingNow() {
    if (isSending) return "The post is handed over…";
    if (draft.isUploading) return "Files are on their way to the server.";
    if (draft.hasFailed) return "A file has not come through: try again, or remove it.";
    return draft.media.length === 0 && $("text").value.trim() === "" ? "Write something, or add a photo or a video." : "";
}

async function publish() {
    if (!isReady || missingNow() !== "") return;
    isSending = true;
    tell();
    complain("");
    const order = {profile: $("profile").value, text: $("text").value, media: draft.media.map(({id, alt}) => ({file: id, alt: alt.trim()}))};
    if ($("visibility").value) order.visibility = $("visibility").value;
    try {
        const made = await send("/api/publish/posts", order);
        draft.clear();
        $("text").value = "";
        keepNow();
        posts.add(made);
    } catch (error) {
        complain(error.message);
    } finally {
        isSending = false;
        tell();
    }
}

function complain(message) {
    $("draft-problem").textContent = message;
}
