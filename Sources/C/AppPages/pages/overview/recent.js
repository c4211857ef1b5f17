// The last walls, with what can be downloaded of them, and the last posts.

import {get, isAbort} from "../lib/api.js";
import {figure, h} from "../lib/dom.js";
import {imagesText} from "../lib/words.js";
import {STATES} from "../publish/states.js";

const MOST = 5;
/// Interval for updating the list while a wall is running, in milliseconds.
const INTERVAL = 2000;
const WALL_STATES = {
    running: ["running", "info"], finished: ["complete", "good"], cancelled: ["cancelled", "warn"], abandoned: ["cancelled", "warn"],
};

let timer = 0;

/// Shows the last walls; while one is running, also how it goes on.
export async function showWalls() {
    const walls = await show("walls", "No walls since the server was started.", async () => (await get("/api/walls")).walls, wall);
    clearTimeout(timer);
    if (walls.some(({state}) => state === "running") && !document.hidden) timer = setTimeout(showWalls, INTERVAL);
}

/// Shows the last posts.
export async function showPosts() {
    document.querySelector("#posts-card").hidden = false;
    await show("posts", "No posts yet.", async () => (await get("/api/publish/posts")).posts, post);
}

/// Shows the first entries that `load` resolves to in the list with an id, and returns them.
async function show(id, none, load, row) {
    const list = document.querySelector(`#${id}`);
    try {
        const entries = (await load()).slice(0, MOST);
        if (entries.length > 0) update(list, entries.map(row));
        else list.replaceChildren(h("li.muted", {}, none));
        return entries;
    } catch (error) {
        if (!isAbort(error)) list.replaceChildren(h("li.muted", {}, error.message));
        return [];
    }
}

/// Shows `rows` in `list`. What has not changed stays the same element: it keeps its focus, and a click that began on it counts.
function update(list, rows) {
    const shown = new Map([...list.children].map(row => [row.dataset.id, row]));
    const wanted = rows.map(row => {
        const old = shown.get(row.dataset.id);
        if (!old) return row;
        [...row.children].forEach((part, index) => {
            if (!old.children[index].isEqualNode(part)) old.children[index].replaceWith(part);
        });
        return old;
    });
    const isSame = wanted.length === list.children.length && wanted.every((row, index) => row === list.children[index]);
    if (!isSame) list.replaceChildren(...wanted);
}

function wall({id, title, total, ok, failed, state, secondsLeft, images}) {
    const address = `/api/walls/${encodeURIComponent(id)}`;
    const counts = [
        `${figure(ok)} of ${figure(total)} images`, failed > 0 ? `${figure(failed)} failed` : null, imagesText(images),
        secondsLeft === undefined ? null : `stops in ${secondsLeft} s unless opened`,
    ].filter(Boolean).join(", ");
    const name = title || "A list of URLs";
    const link = (path, text) => h("a", {href: `${address}/${path}`, download: true, "aria-label": `${text}: ${name}`}, text);
    const links = state === "running" ? [] : [ok > 0 ? link("zip", "Zip") : null, link("report", "Report")];
    return h(
        "li.recent", {data: {id}}, h("strong", {dir: "auto"}, h("a", {href: `/app/wall/${encodeURIComponent(id)}`}, name)), badge(WALL_STATES, state),
        h("span.muted.small.numbers", {}, counts), h("span.recent-links", {}, links),
    );
}

function post({id, text, profile, media, state, url}) {
    const files = media.length === 1 ? "1 file" : `${figure(media.length)} files`;
    const name = text.trim() || files;
    const link = url && /^https?:/i.test(url) ? h("a", {href: url, target: "_blank", rel: "noreferrer noopener", "aria-label": `Open the post: ${name}`}, "Open") : null;
    return h(
        "li.recent", {data: {id}}, h("strong", {dir: "auto"}, name), badge(STATES, state),
        h("span.muted.small", {}, media.length > 0 ? `${profile}, ${files}` : profile), h("span.recent-links", {}, link),
    );
}

function badge(states, state) {
    const [word, kind] = states[state] ?? [state, "info"];
    return h(`span.badge.${kind}`, {}, word);
}
