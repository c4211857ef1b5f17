// Merges the changes of several tabs to one draft: each part counts its changes, and the last change wins.
// All tabs get the same result, whichever of them merges.
//
//     {text, warning, profile, visibility, language, schedule: {value, at}, order: {value: [key…], at}, gone: [key…],
//      media: {key: {id, name, bytes, kind, src, fault, alt, focus, upload: {value, at}}}}

export const FIELDS = ["text", "warning", "profile", "visibility", "language", "schedule"];

/// The number of removed media whose keys are stored, so that no other tab restores them.
const MOST_GONE = 500;

/// A part of a draft that was not changed.
export function part(value) {
    return {value, at: 0};
}

/// An empty draft.
export function nothing() {
    return {...Object.fromEntries(FIELDS.map(name => [name, part("")])), order: part([]), media: {}, gone: []};
}

/// Parses a stored draft, which an older page may have written; returns an empty one if the text is missing or
/// foreign.
export function parsed(text) {
    try {
        const {media, gone, ...parts} = {...nothing(), ...JSON.parse(text)};
        if (typeof media !== "object" || !Array.isArray(gone) || !Array.isArray(parts.order.value)) return nothing();
        if (FIELDS.some(name => typeof parts[name].value !== "string")) return nothing();
        for (const key of Object.keys(media)) media[key] = {focus: part(null), upload: part(null), ...media[key]};
        return {...parts, media, gone};
    } catch {
        return nothing();
    }
}

/// Merges a page's draft with the stored one.
export function merged(one, other) {
    const gone = [...new Set([...other.gone, ...one.gone])].slice(-MOST_GONE);
    const media = {};
    for (const key of [...new Set([...Object.keys(one.media), ...Object.keys(other.media)])].sort()) {
        if (!gone.includes(key)) media[key] = mergedMedium(one.media[key], other.media[key]);
    }
    const order = later(one.order, other.order);
    const ordered = order.value.filter(key => media[key]);
    const fields = FIELDS.map(name => [name, later(one[name], other[name], name === "text" ? joined : null)]);
    return {
        ...Object.fromEntries(fields),
        order: {value: [...ordered, ...Object.keys(media).filter(key => !ordered.includes(key))], at: order.at}, media, gone,
    };
}

function mergedMedium(one, other) {
    if (!one || !other) return one ?? other;
    // A file that was uploaded twice counts as the one whose name sorts first.
    const facts = !other.id || (one.id && one.id <= other.id) ? one : other;
    return {...facts, alt: later(one.alt, other.alt, joined), focus: later(one.focus, other.focus), upload: later(one.upload, other.upload)};
}

/// With equal counts, both were changed independently.
function later(one, other, join = null) {
    if (one.at !== other.at) return one.at > other.at ? one : other;
    const [first, second] = [one, other].sort((a, b) => (JSON.stringify(a.value) < JSON.stringify(b.value) ? -1 : 1));
    return join ? {value: join(first.value, second.value), at: one.at} : second;
}

/// Keeps both texts.
function joined(one, other) {
    if (one.includes(other)) return one;
    return other.includes(one) ? other : `${one}\n\n${other}`;
}
