// The request's way, with the engine's figures as they change.

import {figure} from "../lib/dom.js";
import {bytes} from "../lib/words.js";

const flow = document.querySelector("#flow");

/// Shows the gates and the counts of an event of the timeline.
export function tellFlow({gates, counts}) {
    tell("requests", counts.loading, "in progress", counts.loading > 0);
    const {connections, decodes, decodedBytes} = gates;
    const waiting = connections.waiting > 0 ? `connections, ${figure(connections.waiting)} waiting` : `of ${figure(connections.limit)} connections`;
    tell("fetch", connections.used, waiting, connections.used > 0);
    tell("decode", decodes.used, decodedBytes.used > 0 ? `decodes, ${bytes(decodedBytes.used)}` : `of ${figure(decodes.limit)} decodes`, decodes.used > 0);
    tell("store", counts.memory + counts.store + counts.revalidated, "from caches", false);
    const other = [[counts.failed, "failed"], [counts.cancelled, "cancelled"]].filter(([count]) => count > 0);
    tell("show", counts.finished, ["done", ...other.map(([count, word]) => `${figure(count)} ${word}`)].join(", "), false);
}

function tell(part, count, words, isBusy) {
    const item = flow.querySelector(`[data-part=${part}]`);
    item.querySelector("b").textContent = figure(count);
    item.querySelector("span").textContent = words;
    item.dataset.busy = isBusy;
}
