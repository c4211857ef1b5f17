// Files that are on their way to the server, kept by the browser until they are there: a page that is loaded again goes on with
// them. Where the browser keeps nothing, a file lasts as long as the page.

const NAME = "calotype";
const STORE = "files";

let opened = null;

/// Keeps a file under a key; false where there is no room, or it is not allowed.
export async function keepFile(key, file) {
    return (await using("readwrite", store => store.put(file, key))) !== null;
}

/// The file that was kept, or `null`.
export async function keptFile(key) {
    return (await using("readonly", store => store.get(key))) ?? null;
}

export async function forgetFile(key) {
    await using("readwrite", store => store.delete(key));
}

/// Forgets all files whose keys are not among these.
export async function forgetOthers(keys) {
    const all = (await using("readonly", store => store.getAllKeys())) ?? [];
    await Promise.all(all.filter(key => !keys.includes(key)).map(forgetFile));
}

/// Runs `action` when no other tab does something of that name: one that ends, however it does, lets the next one on. Browsers
/// know nothing of it on pages that come without TLS from elsewhere.
export function alone(name, signal, action) {
    return navigator.locks ? navigator.locks.request(`calotype.${name}`, {signal}, action) : action();
}

/// What an action gives; `null` where it failed.
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
