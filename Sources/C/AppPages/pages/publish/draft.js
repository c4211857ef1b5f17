// The draft of a post: its text, its media in order, and their descriptions. All tabs of a browser edit the
// same draft, which outlives them: each tab merges its changes with those of the others (merge.js).

import {isAbort} from "../lib/api.js";
import {alone, forgetFile, forgetOthers, keepFile, keptFile} from "./files.js";
import {FIELDS, merged, nothing, parsed, part} from "./merge.js";
import {forgetUpload, upload} from "./upload.js";

const PLACE = "calotype.draft";
/// How long a removed medium can be restored, in milliseconds.
const UNDO_TIME = 60_000;
/// The characters that change the direction of text.
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LOST = "The file is neither on the server nor in this browser. Choose the file again; its description is still here.";

/// A photo or a video of the draft. `state` is `uploading`, `up` or `failed`; `src` is the path of the
/// server's thumbnail, `fault` an error code if there is none.
class Medium {
    id = null;
    alt = part("");
    /// The point that stays visible where the picture is cropped: two numbers from -1 to 1 (right, top).
    focus = part(null);
    /// The identifier of the unfinished upload on the server.
    upload = part(null);
    sent = 0;
    problem = null;
    state = "uploading";
    file = null;
    preview = null;
    /// Whether a reloaded page could continue with the file.
    isKept = false;

    constructor(key, facts) {
        Object.assign(this, {key}, facts);
    }

    /// The properties that other tabs need.
    get record() {
        const {id, name, bytes, kind, src, fault, alt, focus, upload} = this;
        return {id, name, bytes, kind, src: src ?? null, fault: fault ?? null, alt, focus, upload};
    }
}

/// Events: `change` if the list of media has changed, `progress` with a changed medium, `fields` if another
/// tab has changed the text or settings, and `removed` if the media that can be restored have changed.
export class Draft extends EventTarget {
    media = [];
    #fields = nothing();
    #order = [];
    #gone = [];
    #aborts = new Map();
    #removed = null;
    #timer = 0;

    constructor() {
        super();
        addEventListener("storage", event => (event.key === PLACE || event.key === null) && this.sync());
        addEventListener("pageshow", event => event.persisted && this.sync());
        addEventListener("pagehide", () => this.settle());
        addEventListener("beforeunload", event => {
            if (this.media.some(({state, isKept, file}) => state === "uploading" && file && !isKept)) event.preventDefault();
        });
    }

    /// Restores the stored draft; `files` are the files that the server has.
    open(files) {
        this.sync();
        const held = new Map(files.map(file => [file.id, file]));
        for (const medium of this.media.filter(({id}) => id)) {
            if (held.has(medium.id)) this.#adopt(medium, held.get(medium.id));
            else Object.assign(medium, {state: "failed", problem: LOST, src: null});
        }
        forgetOthers(this.media.filter(({id}) => !id).map(({key}) => key));
        this.#changed();
    }

    // The text, and its destination.

    /// One of `FIELDS`.
    field(name) {
        return this.#fields[name].value;
    }

    set(name, value) {
        if (value !== this.field(name)) this.#fields[name] = changed(this.#fields[name], value);
    }

    get isEmpty() {
        return this.media.length === 0 && this.field("text").trim() === "";
    }

    // Media.

    /// Adds local files and starts uploading them. A file that was lost returns to its place.
    add(files) {
        for (const file of files) {
            const kind = file.type.startsWith("image/") ? "image" : file.type.startsWith("video/") ? "video" : "other";
            // A name must not look like another one.
            const name = file.name.replace(BIDI, "");
            const medium = new Medium(newKey(), {file, name, bytes: file.size, kind, preview: URL.createObjectURL(file)});
            const lost = this.media.findIndex(({state, file, name}) => state === "failed" && !file && name === medium.name);
            if (lost >= 0) {
                Object.assign(medium, {alt: this.media[lost].alt, focus: this.media[lost].focus});
                this.#gone.push(this.media[lost].key);
            }
            this.media.splice(lost >= 0 ? lost : this.media.length, lost >= 0 ? 1 : 0, medium);
            this.#bring(medium);
        }
        this.#changed();
    }

    /// Adds a file that the server has, or had.
    adopt({id, name, bytes = 0, kind = "other", src = null, fault = null, isLost = false}, {alt = "", focus = null} = {}) {
        const medium = new Medium(newKey(), {id, name, bytes, kind, alt: part(alt), focus: part(focus)});
        this.media.push(medium);
        if (isLost) Object.assign(medium, {state: "failed", problem: LOST});
        else this.#adopt(medium, {kind, src, fault, bytes});
        this.#changed();
    }

    retry(medium) {
        this.#bring(medium);
    }

    /// Removes a medium. It can be restored for a while; then the server's copy is deleted.
    remove(medium) {
        this.settle();
        this.#removed = {medium, position: this.media.indexOf(medium)};
        this.#takeOut([medium]);
        this.#timer = setTimeout(() => this.settle(), UNDO_TIME);
        this.#tell("removed");
    }

    /// The media that can be restored.
    get removed() {
        return this.#removed?.medium ?? null;
    }

    /// Restores the last removed medium in its place.
    undo() {
        if (!this.#removed) return;
        const {medium, position} = this.#removed;
        this.#forgetRemoved();
        // Other tabs know that the former one was removed.
        const {id, bytes, state, problem, file, preview} = medium;
        const back = new Medium(newKey(), {...medium.record, state, problem, file, preview, sent: id ? bytes : 0});
        this.media.splice(position, 0, back);
        if (!id) this.#bring(back, medium.key);
        this.#changed();
    }

    /// Deletes the removed media, which can then no longer be restored.
    settle() {
        if (!this.#removed) return;
        const {medium} = this.#removed;
        this.#forgetRemoved();
        forgetPreview(medium);
        forgetFile(medium.key);
        // Also when the user leaves the page: the server completes the request. It does not delete files that
        // a post uses.
        if (!medium.id && medium.upload.value) forgetUpload(medium.upload.value);
        if (medium.id) fetch(`/api/publish/files/${encodeURIComponent(medium.id)}`, {method: "DELETE", credentials: "same-origin", keepalive: true}).catch(() => {});
    }

    /// Moves a medium to another position in the list.
    move(medium, position) {
        const from = this.media.indexOf(medium);
        const to = Math.min(Math.max(position, 0), this.media.length - 1);
        if (from < 0 || from === to) return;
        this.media.splice(from, 1);
        this.media.splice(to, 0, medium);
        this.#changed();
    }

    describe(medium, alt) {
        if (alt !== medium.alt.value) medium.alt = changed(medium.alt, alt);
        this.#tell("described");
    }

    /// Sets the point that stays visible where the picture is cropped; `null` for the centre.
    focus(medium, point) {
        medium.focus = changed(medium.focus, point);
        this.#changed();
    }

    /// Removes the content of a sent post, its media and fields; later changes stay. The files now belong to the post.
    sent({media, ...fields}) {
        for (const [name, value] of Object.entries(fields)) {
            if (this.field(name) === value) this.set(name, "");
        }
        media.forEach(forgetPreview);
        this.#takeOut(media);
        this.#tell("fields");
    }

    get isUploading() {
        return this.media.some(medium => medium.state === "uploading");
    }

    get hasFailed() {
        return this.media.some(medium => medium.state === "failed");
    }

    /// The number of media without a description.
    get undescribed() {
        return this.media.filter(medium => medium.alt.value.trim() === "").length;
    }

    // Changes from other tabs.

    /// Merges this page's draft with the stored one: writes only local changes, and takes over changes from
    /// elsewhere. Without storage the draft lasts as long as the page.
    sync() {
        let kept = null;
        try {
            kept = localStorage.getItem(PLACE);
        } catch {
            return;
        }
        const whole = merged(this.#record(), parsed(kept));
        const text = JSON.stringify(whole);
        try {
            if (text !== kept) localStorage.setItem(PLACE, text);
        } catch {
            // There is no space, but the page still has it.
        }
        this.#take(whole);
    }

    #record() {
        const keys = this.media.map(({key}) => key);
        if (keys.join() !== this.#order.join()) {
            this.#fields.order = changed(this.#fields.order, keys);
            this.#order = keys;
        }
        const media = Object.fromEntries(this.media.map(medium => [medium.key, medium.record]));
        return {...this.#fields, media, gone: this.#gone};
    }

    #take({media, gone, ...fields}) {
        const isWritten = FIELDS.some(name => fields[name].value !== this.#fields[name].value);
        const before = this.media;
        const known = new Map(before.map(medium => [medium.key, medium]));
        this.#fields = fields;
        this.#gone = gone;
        this.#order = fields.order.value;
        this.media = this.#order.map(key => known.get(key) ?? new Medium(key, media[key]));
        let isChanged = before.length !== this.media.length || before.some((medium, place) => medium !== this.media[place]);
        for (const medium of before.filter(one => !this.media.includes(one))) this.#stop(medium);
        for (const medium of this.media) {
            const {alt, focus, upload, ...facts} = media[medium.key];
            isChanged ||= alt.value !== medium.alt.value || focus.at !== medium.focus.at;
            Object.assign(medium, {alt, focus, upload});
            if (facts.id && (medium.state === "uploading" || medium.id !== facts.id)) {
                this.#aborts.get(medium)?.abort();
                this.#adopt(medium, facts);
                isChanged = true;
            } else if (!known.has(medium.key)) {
                this.#bring(medium);
            }
        }
        if (isWritten) this.#tell("fields");
        if (isChanged) this.#tell("change");
    }

    // Uploads.

    /// Uploads a file, unless another tab has done so, and stores it in the browser until the upload is
    /// complete. `key` is the key of the stored file.
    async #bring(medium, key = medium.key) {
        const abort = new AbortController();
        this.#aborts.set(medium, abort);
        Object.assign(medium, {state: "uploading", sent: 0, problem: null});
        this.#progressed(medium);
        if (medium.file && !medium.isKept) keepFile(medium.key, medium.file).then(isKept => (medium.isKept = isKept));
        try {
            await alone(`upload.${medium.key}`, abort.signal, () => this.#uploaded(medium, key, abort.signal));
        } catch (error) {
            if (isAbort(error)) return;
            Object.assign(medium, {state: "failed", problem: error.message});
            this.#changed();
        } finally {
            if (this.#aborts.get(medium) === abort) this.#aborts.delete(medium);
        }
        this.#progressed(medium);
    }

    async #uploaded(medium, key, signal) {
        this.sync();
        if (medium.id || !this.media.includes(medium)) return;
        medium.file ??= await keptFile(key);
        if (!medium.file) throw new Error(LOST);
        if (!medium.preview) {
            medium.preview = URL.createObjectURL(medium.file);
            medium.isKept = true;
        }
        this.#changed();
        const sent = bytes => {
            medium.sent = bytes;
            this.#progressed(medium);
        };
        const begun = id => {
            medium.upload = changed(medium.upload, id);
            this.sync();
        };
        this.#adopt(medium, await upload(medium.file, {id: medium.upload.value, begun, sent, signal}));
        // Stored before another tab can look.
        this.#changed();
        forgetFile(medium.key);
    }

    #adopt(medium, {id = medium.id, kind, src, fault, bytes = medium.bytes}) {
        Object.assign(medium, {id, kind, src, fault, bytes, state: "up", sent: bytes, problem: null});
        medium.preview ??= src;
    }

    #takeOut(media) {
        this.media = this.media.filter(medium => !media.includes(medium));
        for (const medium of media) {
            this.#stop(medium);
            this.#gone.push(medium.key);
        }
        this.#changed();
    }

    #stop(medium) {
        this.#aborts.get(medium)?.abort();
        this.#aborts.delete(medium);
    }

    #forgetRemoved() {
        clearTimeout(this.#timer);
        this.#removed = null;
        this.#tell("removed");
    }

    #changed() {
        this.sync();
        this.#tell("change");
    }

    #progressed(medium) {
        this.dispatchEvent(new CustomEvent("progress", {detail: medium}));
    }

    #tell(kind) {
        this.dispatchEvent(new Event(kind));
    }
}

/// The part of a draft with another value.
function changed({at}, value) {
    return {value, at: at + 1};
}

/// Not `randomUUID`, which is unavailable on pages from elsewhere without TLS.
function newKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
}

function forgetPreview(medium) {
    if (medium.file && medium.preview) URL.revokeObjectURL(medium.preview);
}

/// The identifiers of the draft's files, in this or another tab.
export function draftFiles() {
    try {
        return Object.values(parsed(localStorage.getItem(PLACE)).media).map(({id}) => id).filter(Boolean);
    } catch {
        return [];
    }
}
