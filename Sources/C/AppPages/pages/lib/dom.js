// Creates elements. Text is always inserted as text, so nothing from outside can become markup.

/// Creates an element: `h("a.button.main", {href: "/app/"}, "Go")`. A property that begins with `on` is a
/// listener; `data` and `style` are objects; `null` and `false` omit an attribute, and `true` sets an empty
/// one.
export function h(kind, properties = {}, ...children) {
    const [name, ...classes] = kind.split(".");
    const element = document.createElement(name);
    if (classes.length > 0) element.className = classes.join(" ");
    for (const [key, value] of Object.entries(properties ?? {})) set(element, key, value);
    element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

function set(element, key, value) {
    if (value === null || value === undefined || value === false) return;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "style") for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
    else element.setAttribute(key, value === true ? "" : value);
}

/// Returns an icon of `symbols.svg`. It is decoration: the element that contains it has its own name.
export function symbol(name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("class", "symbol");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(space, "use");
    use.setAttribute("href", `/app/symbols.svg#${name}`);
    svg.append(use);
    return svg;
}

/// Returns the state of a page that has nothing to show: what happened, why, and what to do.
export function notice({sign = "picture", title, text, actions = [], bad = false}) {
    const paragraphs = [text].flat().filter(Boolean).map(line => h("p", {dir: "auto"}, line));
    const choice = actions.length > 0 ? h("div.chips", {}, actions) : null;
    return h(bad ? "div.notice.bad" : "div.notice", {}, symbol(sign), h("h2", {}, title), paragraphs, choice);
}

/// Returns the state after a failure, with a button to retry.
export function failure(title, error, retry) {
    const told = notice({
        sign: "warning", bad: true, title, text: error.message,
        actions: retry ? [h("button.button", {type: "button", onclick: retry}, symbol("retry"), "Retry")] : [],
    });
    told.setAttribute("role", "alert");
    return told;
}

/// Formats an integer in English, the pages' language. Intl could do this too, but its initialisation takes
/// much of the time in which a page should load.
export function figure(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/// Returns a function that calls `action` when it has not been called again for `milliseconds`.
export function debounced(milliseconds, action) {
    let timer;
    const call = (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => action(...values), milliseconds);
    };
    call.cancel = () => clearTimeout(timer);
    return call;
}
