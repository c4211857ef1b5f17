// Publishing: media are uploaded to the server while the user writes the post; then the server publishes it,
// and the page shows the progress.

import {session} from "./lib/nav.js";
import {get, post as send, remove} from "./lib/api.js";
import {confirmed} from "./lib/confirm.js";
import {debounced, figure} from "./lib/dom.js";
import {Draft} from "./publish/draft.js";
import {languages} from "./publish/languages.js";
import {counted, limitsOf} from "./publish/limits.js";
import {MediaList} from "./publish/media.js";
import {FIELDS} from "./publish/merge.js";
import {Posts} from "./publish/posts.js";

const KEEP_DELAY = 200;

const $ = id => document.getElementById(id);
const form = $("draft");
const draft = new Draft();
const keepSoon = debounced(KEEP_DELAY, keepNow);

let isSending = false;
let isReady = false;

const strip = new MediaList(draft);
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
    $("language").append(...languages().map(([tag, name]) => new Option(name, tag)));
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
        // A profile that the server no longer has cannot be selected, nor a language that is not in the list.
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
        draft.set("language", post.language ?? "");
    }
    // A post must not lose its warning or its time because something else was begun.
    const warnings = new Set([draft.field("warning"), post.contentWarning].filter(Boolean));
    draft.set("warning", [...warnings].join("; "));
    if (post.schedule && !draft.field("schedule")) draft.set("schedule", localTime(new Date(post.schedule)));
    draft.set("text", [draft.field("text").trimEnd(), post.text].filter(Boolean).join("\n\n"));
    for (const {file, name, alt, focus} of post.media) {
        draft.adopt(files.find(({id}) => id === file) ?? {id: file, name, isLost: true}, {alt, focus});
    }
    keepNow();
    showFields();
    complain(post.problem ? `The post was not accepted: ${post.problem}` : "");
    $("text").focus();
    $("text").scrollIntoView({block: "center"});
}

/// Returns a time as a field for times has it, such as `2026-05-01T09:00`, in the local time zone.
function localTime(date) {
    return new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/// Shows the counts with the server's limits, and what is missing for publishing.
function tell() {
    const limits = limitsOf($("profile").value, tell);
    showLimits(limits);
    const {media, undescribed} = draft;
    $("alt-missing").hidden = media.length === 0;
    $("alt-missing").className = undescribed > 0 ? "badge warn" : "badge good";
    $("alt-missing").textContent = undescribed > 0 ? `${undescribed} of ${media.length} without a description` : "all described";
    const missing = missingNow(limits);
    $("send").setAttribute("aria-disabled", missing !== "");
    $("send").textContent = $("schedule").value ? "Schedule" : "Publish";
    $("missing").textContent = missing;
}

function showLimits(limits) {
    const count = countNow(limits);
    const most = limits.textCharacters;
    const word = (most ?? count) === 1 ? "character" : "characters";
    $("text-count").textContent = most ? `${figure(count)} of ${figure(most)} ${word}` : `${figure(count)} ${word}`;
    $("text-count").classList.toggle("problem", most !== null && count > most);
    $("media-count").hidden = limits.media === null;
    $("media-count").textContent = `${draft.media.length} of ${figure(limits.media ?? 0)}`;
    // Images of any type are converted to one that the server accepts.
    $("files").accept = ["image/*", ...(limits.types?.filter(type => !type.startsWith("image/")) ?? ["video/*"])].join(",");
    strip.limitAltText(limits.altTextCharacters);
    strip.allowFocus(limits.focusPoints);
    for (const option of $("visibility").options) {
        option.disabled = option.value !== "" && limits.visibilities !== null && !limits.visibilities.includes(option.value);
    }
}

/// The characters of the text and its warning, as the server counts them.
function countNow({linkCharacters}) {
    return counted($("text").value, linkCharacters) + counted($("warning").value);
}

function missingNow(limits) {
    const {textCharacters, media: mostMedia, contentWarnings} = limits;
    if (isSending) return "Sending the post…";
    if (draft.isUploading) return "Files are being uploaded.";
    if (draft.hasFailed) return "An upload failed. Retry it, or remove the file.";
    if (draft.media.length === 0 && $("text").value.trim() === "") return "Write something, or add a photo or a video.";
    const excess = textCharacters === null ? 0 : countNow(limits) - textCharacters;
    if (excess > 0) return `The text is ${figure(excess)} ${excess === 1 ? "character" : "characters"} too long for ${$("profile").value}.`;
    if (mostMedia !== null && draft.media.length > mostMedia) return `${$("profile").value} accepts at most ${figure(mostMedia)} files in a post. Remove ${figure(draft.media.length - mostMedia)}.`;
    if (!contentWarnings && $("warning").value) return `${$("profile").value} has no content warnings. Write it at the beginning of the text.`;
    if ($("visibility").selectedOptions[0]?.disabled) return `${$("profile").value} does not support this visibility. Choose another.`;
    return $("schedule").value && new Date($("schedule").value) <= new Date() ? "The time for publishing has passed. Choose a later one." : "";
}

async function publish() {
    if (!isReady || missingNow(limitsOf($("profile").value, tell)) !== "") return;
    isSending = true;
    tell();
    complain("");
    const {media} = draft;
    const text = draft.field("text");
    const order = {profile: $("profile").value, text, media: media.map(({id, alt, focus}) => ({file: id, alt: alt.value.trim(), focus: focus.value ?? undefined}))};
    for (const name of ["visibility", "language"]) {
        if ($(name).value) order[name] = $(name).value;
    }
    const warning = $("warning").value;
    if (warning) order.contentWarning = warning;
    const schedule = $("schedule").value;
    if (schedule) order.schedule = new Date(schedule).toISOString();
    try {
        const made = await send("/api/publish/posts", order);
        draft.sent({text, warning, schedule, media});
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
