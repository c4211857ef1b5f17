// The limits of the server that a post is for. A limit that is `null` is unknown.

import {get} from "../lib/api.js";

const UNKNOWN = {media: null, types: null, textCharacters: null, linkCharacters: null, altTextCharacters: null, visibilities: null, contentWarnings: true, focusPoints: true};

/// How long to wait before asking a server again that did not respond, in milliseconds.
const PAUSE = 10_000;

const segmenter = new Intl.Segmenter();
const known = new Map();

/// Returns the limits of a profile's server; `told` is called when they have arrived.
export function limitsOf(profile, told) {
    if (profile && !known.has(profile)) {
        known.set(profile, UNKNOWN);
        get(`/api/publish/profiles/${encodeURIComponent(profile)}/limits`).then(
            limits => {
                known.set(profile, limits);
                told();
            },
            // Every key that is pressed asks for the limits.
            () => setTimeout(() => known.delete(profile), PAUSE),
        );
    }
    return known.get(profile) ?? UNKNOWN;
}

/// Returns the number of characters, as people count them, that a text counts as. If each link counts as `link`
/// characters, the host of a name such as `@ada@example.org` is not counted either.
export function counted(text, link = null) {
    if (link === null) return characters(text);
    return text.split(/\s/).reduce((sum, word) => sum + 1 + countedWord(word, link), -1);
}

function countedWord(word, link) {
    const start = word.search(/https?:\/\//);
    if (start >= 0) return characters(word.slice(0, start)) + link;
    const parts = word.split("@");
    return parts.length === 3 && parts[0] === "" ? 1 + characters(parts[1]) : characters(word);
}

function characters(text) {
    return [...segmenter.segment(text)].length;
}
