// The list of posts, newest first. Running posts are followed: two by their events and others by polling,
// because browsers open few connections to one server.

import {get, isAbort, post as send, remove} from "../lib/api.js";
import {events} from "../lib/events.js";
import {draftFiles} from "./draft.js";
import {PostCard} from "./post.js";

const MOST_STREAMS = 2;
const ASK_INTERVAL = 2000;
/// How long to wait before polling a server again that did not respond, in milliseconds.
const PAUSES = [500, 1000, 2000, 4000];

/// How long a forgotten post can be brought back, in milliseconds.
const UNDO_TIME = 60_000;

const list = document.querySelector("#posts");
const none = document.querySelector("#no-posts");
const live = document.querySelector("#posts-live");
const bar = document.querySelector("#forgotten");
const told = document.querySelector("#forgotten-told");
const undo = document.querySelector("#forgotten-undo");

export class Posts {
    #cards = new Map();
    #followed = new Map();
    #timer = 0;
    #failures = 0;
    /// The post that can be brought back, and the timer that ends this: `{post, timer}`.
    #forgotten = null;
    #complain;
    #edit;

    /// `complain(message)` shows an error; an empty message removes it. `edit(post)` copies a post into the
    /// draft.
    constructor(complain, edit) {
        this.#complain = complain;
        this.#edit = edit;
        undo.addEventListener("click", () => this.#bringBack());
        addEventListener("pagehide", () => this.#settle());
    }

    /// Loads all posts and follows the running ones. Retries until the server responds.
    async load() {
        clearTimeout(this.#timer);
        try {
            const {posts} = await get("/api/publish/posts");
            this.#failures = 0;
            this.#complain("");
            this.#show(posts);
        } catch (error) {
            this.#complain(error.message);
            const pause = PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
            this.#failures += 1;
            this.#timer = setTimeout(() => this.load(), pause);
        }
    }

    /// The identifiers of all files that posts use.
    get files() {
        return new Set([...this.#cards.values()].flatMap(({post}) => post.media.map(medium => medium.file)));
    }

    /// Adds a new post.
    add(post) {
        this.#update(post);
        this.#arrange();
        this.#cards.get(post.id).element.scrollIntoView({block: "nearest"});
    }

    #show(all) {
        const posts = all.filter(({id}) => id !== this.#forgotten?.post.id);
        const known = new Set(posts.map(post => post.id));
        for (const [id, card] of this.#cards) {
            if (known.has(id)) continue;
            card.element.remove();
            this.#cards.delete(id);
        }
        posts.forEach(post => this.#update(post));
        this.#arrange();
    }

    #update(post) {
        const card = this.#cards.get(post.id) ?? new PostCard(this.#actions);
        this.#cards.set(post.id, card);
        const before = card.post?.state;
        card.show(post);
        if (before && before !== post.state) live.textContent = `The post to ${post.profile} is ${post.state}`;
        if (post.state === "running") this.#follow(post.id);
    }

    #arrange() {
        const cards = [...this.#cards.values()].toSorted((one, other) => other.post.created.localeCompare(one.post.created));
        cards.forEach(({element}, position) => {
            if (list.children[position] !== element) list.insertBefore(element, list.children[position] ?? null);
        });
        none.hidden = cards.length > 0;
    }

    async #follow(id) {
        if (this.#followed.has(id)) return;
        if (this.#followed.size >= MOST_STREAMS) {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.load(), ASK_INTERVAL);
            return;
        }
        const abort = new AbortController();
        this.#followed.set(id, abort);
        try {
            for await (const {data} of events("GET", `/api/publish/posts/${encodeURIComponent(id)}/events`, {signal: abort.signal})) {
                this.#cards.get(id)?.progress(data);
            }
        } catch (error) {
            if (isAbort(error)) return;
            // The server may have restarted, so the list is authoritative.
        } finally {
            this.#followed.delete(id);
        }
        await this.load();
    }

    #actions = {
        cancel: post => this.#act(() => remove(route(post))),
        forget: post => this.#forget(post),
        edit: post => this.#act(async () => {
            await this.#edit(post);
            await deleted(post);
        }),
        resume: post => this.#act(async () => this.#update(await send(`${route(post)}/resume`))),
    };

    async #act(action) {
        try {
            await action();
        } catch (error) {
            this.#complain(error.message);
            return;
        }
        await this.load();
    }

    /// Takes a post off the list. It is deleted when it can no longer be brought back.
    #forget(post) {
        this.#settle();
        this.#forgotten = {post, timer: setTimeout(() => this.#settle(), UNDO_TIME)};
        this.#cards.get(post.id)?.element.remove();
        this.#cards.delete(post.id);
        this.#arrange();
        told.textContent = forgottenAs(post);
        bar.hidden = false;
        undo.focus();
    }

    #bringBack() {
        this.#takeForgotten();
        this.load();
    }

    /// Deletes the forgotten post; also when the user leaves the page.
    #settle() {
        const post = this.#takeForgotten();
        if (post) this.#act(() => deleted(post, true));
    }

    #takeForgotten() {
        const forgotten = this.#forgotten;
        clearTimeout(forgotten?.timer);
        this.#forgotten = null;
        bar.hidden = true;
        return forgotten?.post;
    }
}

/// Deletes a post with its files, except those of the current draft in this or another tab.
function deleted(post, keepalive = false) {
    const held = draftFiles();
    const keep = post.media.map(({file}) => file).filter(file => held.includes(file));
    return remove(route(post), {query: {keep: keep.join(",") || null}, keepalive});
}

function forgottenAs({state, media}) {
    const what = ["The post", "The post and its file"][media.length] ?? `The post and its ${media.length} files`;
    return `${what} will be removed from this server in a minute.${state === "published" ? " The published post is not affected." : ""}`;
}

function route({id}) {
    return `/api/publish/posts/${encodeURIComponent(id)}`;
}
