// A sent post: its progress, its outcome, and the possible actions.

import {h, symbol} from "../lib/dom.js";
import "../lib/pictures.js";
import {bytes} from "../lib/words.js";
import {STATES} from "./states.js";

const STAGES = {
    waiting: "waiting", preparing: "preparing", uploading: "uploading", processing: "processing", checking: "checking", ready: "ready", failed: "failed",
};
const PHASES = {preparing: "Checking files", uploading: "Uploading media", posting: "Sending the post"};

/// The card of one post. `actions` contains `cancel`, `resume`, `edit` and `forget`, each of which takes the
/// post.
export class PostCard {
    element = h("li.card.post", {});
    #actions;
    #post = null;
    #state = null;

    constructor(actions) {
        this.#actions = actions;
    }

    get post() {
        return this.#post;
    }

    show(post) {
        this.#post = post;
        // The frame changes only with the state, so that a button stays under the pointer.
        const state = `${post.state} ${post.url ?? ""} ${post.problem ?? ""}`;
        if (state !== this.#state) this.#build(post);
        this.#state = state;
        if (post.progress) this.progress(post.progress);
    }

    /// Shows the progress.
    progress(progress) {
        this.#post.progress = progress;
        const {fraction, acknowledged, total, items = []} = progress;
        const part = name => this.element.querySelector(`.post-${name}`);
        part("meter").firstElementChild.style.width = `${100 * fraction}%`;
        part("meter").setAttribute("aria-valuenow", Math.round(100 * fraction));
        part("bytes").textContent = total > 0 ? `${bytes(acknowledged)} of ${bytes(total)}` : "";
        part("phase").textContent = this.#post.state === "running" ? phaseOf(progress) : "";
        this.#showItems(items);
    }

    #build(post) {
        const [word, kind] = STATES[post.state] ?? [post.state, "info"];
        this.element.dataset.state = post.state;
        this.element.dataset.id = post.id;
        const parts = [
            h("div.post-head", {}, h("h3", {}, post.profile), h(`span.badge.${kind}`, {}, word), h("time.muted.small", {datetime: post.created}, momentOf(post.created))),
            post.text ? h("p.post-text", {dir: "auto"}, post.text) : null,
            h("div.post-meter.meter", {role: "progressbar", "aria-label": "Uploaded", "aria-valuemin": 0, "aria-valuemax": 100, hidden: post.state === "published"}, h("span")),
            h("p.post-told.small.muted", {hidden: post.state === "published"}, h("span.post-bytes"), h("span.post-phase")),
            post.problem ? h("p.problem", {}, post.problem) : null,
            h("ul.post-items", {}, post.media.map(itemOf)),
            h("div.post-actions", {}, this.#buttons(post)),
        ];
        this.element.replaceChildren(...parts.filter(part => part !== null));
    }

    #buttons(post) {
        const act = (kind, sign, label, action) =>
            h(`button.button.compact${kind}`, {type: "button", onclick: () => this.#actions[action](this.#post)}, symbol(sign), label);
        const edit = act("", "edit", "Edit", "edit");
        switch (post.state) {
        case "running":
            return [act(".danger", "cancel", "Cancel", "cancel")];
        case "published":
            return [post.url ? h("a.button.compact", {href: post.url, target: "_blank", rel: "noreferrer noopener"}, symbol("open"), "Open the post") : null, act(".quiet", "cancel", "Forget", "forget")];
        case "cancelled":
            return [edit, act(".quiet", "cancel", "Forget", "forget")];
        default:
            // Unless a post has failed, it may be published; resuming determines that.
            return [act("", "retry", post.state === "interrupted" ? "Resume" : "Retry", "resume"), post.state === "failed" ? edit : null, act(".quiet", "cancel", "Forget", "forget")].filter(Boolean);
        }
    }

    #showItems(items) {
        const rows = this.element.querySelectorAll(".post-item");
        items.forEach((item, number) => {
            const row = rows[number];
            if (!row) return;
            const share = item.size > 0 ? item.acknowledged / item.size : item.stage === "ready" ? 1 : 0;
            row.dataset.stage = item.stage;
            row.querySelector(".meter > span").style.width = `${100 * share}%`;
            row.querySelector(".meter").setAttribute("aria-valuenow", Math.round(100 * share));
            row.querySelector(".item-state").textContent = itemState(item, this.#post.state);
        });
    }
}

function itemOf({name, alt, src}) {
    return h(
        "li.post-item", {},
        src ? h("lazy-picture", {src, alt: ""}) : h("span.post-sign", {}, symbol("picture")),
        h("div.item-text", {},
            h("span.item-name", {dir: "auto", title: alt || null}, name),
            h("span.item-state.muted.small"),
            h("div.meter", {role: "progressbar", "aria-label": `Uploaded part of ${name}`, "aria-valuemin": 0, "aria-valuemax": 100}, h("span"))),
    );
}

function itemState({stage, acknowledged, size, attempt, problem, retry_in: pause}, state) {
    const known = STAGES[stage] ?? stage;
    if (stage === "ready" || stage === "failed") return problem && stage === "failed" ? `failed: ${problem}` : `${known}, ${bytes(size)}`;
    if (state !== "running") return `${bytes(acknowledged)} of ${bytes(size)}`;
    if (problem) return `${problem}; ${pause ? `retrying in ${Math.ceil(pause)} s` : `attempt ${attempt}`}`;
    if (stage === "uploading") return `${bytes(acknowledged)} of ${bytes(size)}${attempt > 1 ? `, attempt ${attempt}` : ""}`;
    return size > 0 ? `${known}, ${bytes(size)}` : known;
}

function phaseOf({stage, pause, problem, retry_in: wait}) {
    if (pause) return `Rate limited: retrying in ${Math.ceil(pause)} s`;
    if (problem) return wait ? `Retrying in ${Math.ceil(wait)} s: ${problem}` : problem;
    return PHASES[stage] ?? "";
}

function momentOf(created) {
    const date = new Date(created);
    return isNaN(date) ? "" : date.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"});
}
