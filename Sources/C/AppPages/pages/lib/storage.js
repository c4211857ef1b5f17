// Small values that the browser keeps between visits. Without storage, such as in a private window, a page works
// the same and remembers nothing.

/// Returns the value stored under `key`, `null` if there is none or it cannot be read.
export function stored(key) {
    try {
        return JSON.parse(localStorage.getItem(key));
    } catch {
        return null;
    }
}

/// Stores `value` under `key`; `null` removes it.
export function store(key, value) {
    try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(value));
    } catch {
        // There is no storage, or no space in it.
    }
}
