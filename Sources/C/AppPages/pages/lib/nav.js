// Code of every page: it gets information about the server, and shows it in the footer.

import {get, isAbort} from "./api.js";
import {leisure} from "./slices.js";

/// Information about the server, requested once per page, after the page's own requests. It is public, so it
/// does not need the token.
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
