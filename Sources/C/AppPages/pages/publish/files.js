// Files that are being uploaded, stored by the browser until they are complete, so that a reloaded page can
// continue. If the browser stores nothing, a file lasts as long as the page.

const NAME = "calotype";
const STORE = "files";

let opened = null;

/// Stores a file under a key; returns false if there is no space or storing is not allowed.
export async function keepFile(key, file) {
    return (await using("readwrite", store => store.put(file, key))) !== null;
}

/// Returns the stored file, or `null`.
export async function keptFile(key) {
    return (await using("readonly", store => store.get(key))) ?? null;
}

export async function forgetFile(key) {
    await using("readwrite", store => store.delete(key));
}

/// Deletes all files whose keys are not among these.
export async function forgetOthers(keys) {
    const all = (await using("readonly", store => store.getAllKeys())) ?? [];
    await Promise.all(all.filter(key => !keys.includes(key)).map(forgetFile));
}

/// Runs `action` when no other tab runs an action with the same name. If a tab closes, the next one
/// continues. Browsers do not support this on pages from elsewhere without TLS.
export function alone(name, signal, action) {
    return navigator.locks ? navigator.locks.request(`calotype.${name}`, {signal}, action) : action();
}

/// Returns the result of an action; `null` if it failed.
async function using(mode, action) {
    try {
        opened ??= open();
        const database = await opened;
        return await new Promise((resolve, reject) => {
            const transaction = database.transaction(STORE, mode);
            const request = action(transaction.objectStore(STORE));
            transaction.oncomplete = () => resolve(request.result);
            transaction.onabort = () => reject(transaction.error);
            transaction.onerror = () => reject(transaction.error);
        });
    } catch {
        return null; // the caller knows what it is without
    }
}

function open() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(NAME, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
