// What every page does: it asks who the server is, and tells it at the foot.

import {get, isAbort} from "./api.js";
import {leisure} from "./slices.js";

/// What the server says of itself; asked once a page, when what the page is for is on its way. It is open to everybody, so it does
/// not wait for a token.
export const session = leisure().then(() => get("/api/session"));

session.then(
    ({version, catalog}) => {
        const foot = document.querySelector("#foot-server");
        if (!foot) return;
        foot.textContent = `Calotype ${version}, catalogue of ${new URL(catalog).host}`;
    },
    error => {
        const foot = document.querySelector("#foot-server");
        if (foot && !isAbort(error)) foot.textContent = error.message;
    },
);
