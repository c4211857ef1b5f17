// Work in slices: between two of them the page paints, and answers its reader.

/// How long a slice may take, in milliseconds; a frame has 16.
const SLICE = 6;
/// When the next one begins at the latest, however busy the page is.
const PATIENCE = 100;

/// Calls `work` with each of `items`, in order, some at a time. Stops when the signal is aborted; returns whether it came to the end.
export async function inSlices(items, work, signal) {
    let end = performance.now() + SLICE;
    for (const item of items) {
        if (performance.now() >= end) {
            await leisure();
            end = performance.now() + SLICE;
        }
        if (signal?.aborted) return false;
        work(item);
    }
    return true;
}

/// Resolves when what the document shows now has been painted.
export function painted() {
    return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
}

/// Resolves when the page has nothing better to do.
export function leisure() {
    return new Promise(resolve => {
        if ("requestIdleCallback" in globalThis) requestIdleCallback(resolve, {timeout: PATIENCE});
        else setTimeout(resolve);
    });
}
