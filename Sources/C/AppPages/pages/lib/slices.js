// Work in slices, between which the page can paint and respond to the user.

/// Maximum duration of a slice in milliseconds; a frame has 16.
const SLICE = 6;
/// Maximum delay of the next slice, however busy the page is.
const PATIENCE = 100;

/// Calls `work` with each of `items`, in order, in slices. Stops if the signal is aborted; returns whether
/// all items were processed.
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

/// Resolves when the current state of the document has been painted.
export function painted() {
    return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
}

/// Resolves when the page is idle.
export function leisure() {
    return new Promise(resolve => {
        if ("requestIdleCallback" in globalThis) requestIdleCallback(resolve, {timeout: PATIENCE});
        else setTimeout(resolve);
    });
}
