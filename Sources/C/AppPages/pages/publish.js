// Publishing: media are uploaded to the server while the user writes the post; then the server publishes it,
// and the page shows the progress.

import {session} from "./lib/nav.js";
import {get, post as send, remove} from "./lib/api.js";
import {confirmed} from "./lib/confirm.js";
import {debounced, figure} from "./lib/dom.js";
import {Draft} from "./publish/draft.js";
import {MediaList} from "./publish/media.js";
import {FIELDS} from "./publish/merge.js";
import {Posts} from "./publish/posts.js";

const KEEP_DELAY = 200;

const $ = id => document.getElementById(id);
const form = $("draft");
const draft = new Draft();
const segmenter = new Intl.Segmenter();
const keepSoon = debounced(KEEP_DELAY, keepNow);

let isSending = false;
let isReady = false;

new MediaList(draft);
const posts = new Posts(message => ($("posts-problem").textContent = message), edit);
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
    $("profile").replaceChildren(...profiles.map(({name, kind, host}) => new Option(`${name} (${kind}, ${host})`, name)));
    listen();
    const [{files}] = await Promise.all([get("/api/publish/files"), posts.load()]);
    isReady = true;
    draft.open(files);
    showFields();
    offer(files);
    tell();
    // All together, so that nothing moves later.
    show("board");
}

/// Shows the draft, which another tab may have changed.
function showFields() {
    for (const name of FIELDS) {
        const value = draft.field(name);
        // A profile that the server no longer has cannot be selected.
        const isChoice = $(name).tagName !== "SELECT" || [...$(name).options].some(option => option.value === value);
        if (isChoice && $(name).value !== value) $(name).value = value;
    }
    tell();
}

/// Offers the uploaded files that belong neither to the draft nor to a post.
function offer(files) {
    const used = new Set([...posts.files, ...draft.media.map(({id}) => id)]);
    const others = files.filter(({id}) => !used.has(id));
    $("others").hidden = others.length === 0;
    $("others-count").textContent = others.length === 1 ? "1 more file is on the server." : `${figure(others.length)} more files are on the server.`;
    $("others-add").onclick = () => {
        others.forEach(file => draft.adopt(file));
        $("others").hidden = true;
    };
    $("others-remove").onclick = async () => {
        const title = others.length === 1 ? "Remove the file?" : `Remove ${figure(others.length)} files?`;
        if (!(await confirmed({title, text: `From this server: ${others.map(({name}) => name).join(", ")}`, action: "Remove"}))) return;
        $("others").hidden = true;
        await Promise.all(others.map(({id}) => remove(`/api/publish/files/${encodeURIComponent(id)}`))).catch(error => complain(error.message));
    };
}

function listen() {
    for (const kind of ["change", "progress", "described"]) draft.addEventListener(kind, tell);
    for (const kind of ["change", "described"]) draft.addEventListener(kind, keepSoon);
    draft.addEventListener("fields", showFields);
    draft.addEventListener("removed", showRemoved);
    form.addEventListener("input", ({target}) => {
        if (FIELDS.includes(target.id)) draft.set(target.id, target.value);
        keepSoon();
        tell();
    });
    $("undo").addEventListener("click", undo);
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
    // The user may continue writing in another tab.
    for (const kind of ["pagehide", "blur"]) addEventListener(kind, keepNow);
}

function takeDrops() {
    const zone = $("drop");
    // The whole page accepts files; otherwise a file dropped next to the zone would replace the page.
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
    if (isReady) draft.sync();
}

function showRemoved() {
    $("removed").hidden = !draft.removed;
    $("removed-name").textContent = draft.removed ? `${draft.removed.name} removed.` : "";
}

function undo() {
    draft.undo();
    // The button is removed; the focus must not get lost.
    $("choose").focus();
}

/// Adds the content of a post to the draft, after its present content.
async function edit(post) {
    const {files} = await get("/api/publish/files");
    if (draft.isEmpty) {
        draft.set("profile", post.profile);
        draft.set("visibility", post.visibility ?? "");
    }
    draft.set("text", [draft.field("text").trimEnd(), post.text].filter(Boolean).join("\n\n"));
    for (const {file, name, alt} of post.media) {
        draft.adopt(files.find(({id}) => id === file) ?? {id: file, name, isLost: true}, alt);
    }
    keepNow();
    showFields();
    complain(post.problem ? `The post was not accepted: ${post.problem}` : "");
    $("text").focus();
    $("text").scrollIntoView({block: "center"});
}

/// Shows the counts, and what is missing for publishing.
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
    if (isSending) return "Sending the post…";
    if (draft.isUploading) return "Files are being uploaded.";
    if (draft.hasFailed) return "An upload failed. Retry it, or remove the file.";
    return draft.media.length === 0 && $("text").value.trim() === "" ? "Write something, or add a photo or a video." : "";
}

async function publish() {
    if (!isReady || missingNow() !== "") return;
    isSending = true;
    tell();
    complain("");
    const {media} = draft;
    const text = draft.field("text");
    const order = {profile: $("profile").value, text, media: media.map(({id, alt}) => ({file: id, alt: alt.value.trim()}))};
    if ($("visibility").value) order.visibility = $("visibility").value;
    try {
        const made = await send("/api/publish/posts", order);
        draft.sent({text, media});
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
