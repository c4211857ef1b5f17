// The post that is being written: its media in their order, what they show, and what of it outlives a reload.

import {isAbort, remove} from "../lib/api.js";
import {upload} from "./upload.js";

const PLACE = "calotype.draft";

/// A photo or a video of the draft. `state` is `uploading`, `up` or `failed`; `src` is the server's small picture of it, `fault` a code
/// that tells why there is none.
class Medium {
    key = crypto.randomUUID();
    alt = "";
    sent = 0;
    problem = null;

    constructor(facts) {
        Object.assign(this, facts);
    }
}

/// Tells `change` when the list has changed, and `progress` with a medium when that one has.
export class Draft extends EventTarget {
    media = [];
    #aborts = new Map();

    /// Takes files of this computer, and begins to bring them to the server.
    add(files) {
        for (const file of files) {
            const kind = file.type.startsWith("image/") ? "image" : file.type.startsWith("video/") ? "video" : "other";
            const medium = new Medium({file, name: file.name, bytes: file.size, kind, preview: URL.createObjectURL(file)});
            this.media.push(medium);
            this.#upload(medium);
        }
        this.#changed();
    }

    /// Takes a file that the server has.
    adopt({id, name, bytes, kind, src, fault}, alt = "") {
        this.media.push(new Medium({id, name, bytes, kind, alt, src, fault, preview: src, state: "up", sent: bytes}));
        this.#changed();
    }

    retry(medium) {
        this.#upload(medium);
    }

    /// Takes one out, and the server's copy of it away.
    async remove(medium) {
        this.media = this.media.filter(other => other !== medium);
        this.#aborts.get(medium)?.abort();
        this.#changed();
        forgetPreview(medium);
        if (medium.id) await remove(`/api/publish/files/${encodeURIComponent(medium.id)}`);
    }

    /// Moves one to another place of the list.
    move(medium, position) {
        const from = this.media.indexOf(medium);
        const to = Math.min(Math.max(position, 0), this.media.length - 1);
        if (from < 0 || from === to) return;
        this.media.splice(from, 1);
        this.media.splice(to, 0, medium);
        this.#changed();
    }

    describe(medium, alt) {
        medium.alt = alt;
        this.dispatchEvent(new Event("described"));
    }

    /// Begins anew; what the server has stays there, for the post that was made of it.
    clear() {
        this.media.forEach(forgetPreview);
        this.media = [];
        this.#changed();
    }

    get isUploading() {
        return this.media.some(medium => medium.state === "uploading");
    }

    get hasFailed() {
        return this.media.some(medium => medium.state === "failed");
    }

    /// How many have no description.
    get undescribed() {
        return this.media.filter(medium => medium.alt.trim() === "").length;
    }

    async #upload(medium) {
        const abort = new AbortController();
        this.#aborts.set(medium, abort);
        Object.assign(medium, {state: "uploading", sent: 0, problem: null});
        this.#progressed(medium);
        try {
            const told = await upload(medium.file, {
                signal: abort.signal,
                sent: bytes => {
                    medium.sent = bytes;
                    this.#progressed(medium);
                },
            });
            Object.assign(medium, {id: told.id, kind: told.kind, src: told.src, fault: told.fault, state: "up", sent: medium.bytes});
            this.#changed();
        } catch (error) {
            if (isAbort(error)) return;
            Object.assign(medium, {state: "failed", problem: error.message});
            this.#changed();
        } finally {
            if (this.#aborts.get(medium) === abort) this.#aborts.delete(medium);
        }
        this.#progressed(medium);
    }

    #changed() {
        this.dispatchEvent(new Event("change"));
    }

    #progressed(medium) {
        this.dispatchEvent(new CustomEvent("progress", {detail: medium}));
    }
}

function forgetPreview(medium) {
    if (medium.file) URL.revokeObjectURL(medium.preview);
}

/// Keeps what is written for the next visit; without storage it lasts as long as the page.
export function keep(draft, fields) {
    const media = draft.media.filter(medium => medium.id).map(({id, alt}) => ({id, alt}));
    try {
        localStorage.setItem(PLACE, JSON.stringify({...fields, media}));
    } catch {
        // No room, or not allowed: nothing that the page could do about it.
    }
}

/// What was kept; an empty draft where nothing was.
export function kept() {
    try {
        const {text = "", profile = "", visibility = "", media = []} = JSON.parse(localStorage.getItem(PLACE)) ?? {};
        return {text, profile, visibility, media};
    } catch {
        return {text: "", profile: "", visibility: "", media: []};
    }
}
