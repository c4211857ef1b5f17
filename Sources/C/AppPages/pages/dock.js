// The dock: a strip at the bottom of each page, which opens to show the pipeline's work. Its parts are loaded when it
// is opened for the first time; while it is closed, nothing of it runs.

import {store, stored} from "./lib/storage.js";

const PLACE = "dock";

const dock = document.querySelector("#dock");
const toggle = document.querySelector("#dock-toggle");
let panel = null;
let isOpen = false;

toggle.addEventListener("click", () => {
    open(!isOpen);
    store(PLACE, isOpen ? "open" : null);
});
dock.hidden = false;
if (stored(PLACE) === "open") open(true);

async function open(wanted) {
    isOpen = wanted;
    toggle.setAttribute("aria-expanded", String(isOpen));
    document.documentElement.toggleAttribute("data-dock", isOpen);
    try {
        panel ??= (await import("./dock/panel.js")).panel;
    } catch {
        document.querySelector("#dock-rate").textContent = "The server cannot be reached. Close and open this to try again.";
        return;
    }
    // The user may have closed it meanwhile.
    panel.show(isOpen);
}
