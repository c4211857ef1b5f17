// The ways of the lab: their names in the API, their words, and the Swift that runs.

/// `name` is the API's, and `code` the function in the source file.
export const WAYS = [
    {
        name: "oneByOne", code: "loadOneByOne", title: "One by one",
        text: "Each image waits for the one before it. A cancellation stops the load in progress.",
    },
    {
        name: "pairs", code: "loadInPairs", title: "Pairs with async let",
        text: "Two at a time. The slower one of a pair holds up the next pair.",
    },
    {
        name: "boundedGroup", code: "loadInBoundedGroup", title: "Bounded task group",
        text: "A fixed number at a time: when one ends, the next begins.",
    },
    {
        name: "group", code: "loadInGroup", title: "Task group",
        text: "All at once; the engine limits connections. A cancellation reaches every child.",
    },
    {
        name: "tasks", code: "loadInTasks", title: "Unstructured tasks",
        text: "All at once, but the tasks have no parent, so a cancellation does not reach them.",
    },
    {
        name: "callbacks", code: "loadWithCallbacks", title: "Callbacks",
        text: "Completion handlers count down. Nobody who stops waiting stops the work.",
    },
];

/// The states of an image: the API's letter, the sign in its cell, and its word.
export const STATES = {
    waiting: {letter: "w", sign: "", word: "waiting"},
    running: {letter: "r", sign: "▸", word: "running"},
    finished: {letter: "f", sign: "✓", word: "loaded"},
    failed: {letter: "x", sign: "×", word: "failed"},
    cancelled: {letter: "c", sign: "–", word: "cancelled"},
    unstopped: {letter: "", sign: "!", word: "still running after the cancel"},
};

const NAMES = Object.fromEntries(Object.entries(STATES).map(([name, {letter}]) => [letter, name]));

/// Returns the state of an image by its letter.
export function stateOf(letter, isCancelled) {
    const name = NAMES[letter] ?? "waiting";
    return isCancelled && name === "running" ? "unstopped" : name;
}

/// Returns the function called `name` from the text of the source file, without its indentation.
export function swift(source, name) {
    const start = source.indexOf(`    func ${name}(`);
    const end = source.indexOf("\n    }\n", start);
    if (start < 0 || end < 0) return "";
    return source.slice(start, end + "\n    }".length).replace(/^ {4}/gm, "");
}
