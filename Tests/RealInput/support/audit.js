// What the audit of a page reads from the page itself; support/audit.py runs it. Returns a list of faults as sentences.

const faults = [];
const isShown = element => element.checkVisibility({opacityProperty: true, visibilityProperty: true});
const named = element => {
    const text = (element.getAttribute("aria-label") || element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
    const kind = element.nodeName.toLowerCase() + (element.id ? `#${element.id}` : "") + [...element.classList].map(name => `.${name}`).join("");
    return `<${kind}> ${text}`.trim();
};

// The document.
if (!document.documentElement.lang) faults.push("the document has no language");
if (!document.title.trim()) faults.push("the document has no title");
const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(isShown);
const first = headings.filter(heading => heading.nodeName === "H1");
if (first.length !== 1) faults.push(`there are ${first.length} first headings: ${first.map(named)}`);
headings.reduce((before, heading) => {
    const level = Number(heading.nodeName[1]);
    if (level > before + 1) faults.push(`a heading of level ${level} follows one of ${before}: ${named(heading)}`);
    return level;
}, 0);
const mains = document.querySelectorAll("main");
if (mains.length !== 1) faults.push(`there are ${mains.length} main landmarks`);
if (!document.querySelector("meta[name=viewport]")) faults.push("a phone is not told how wide the page is");
const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
for (const id of new Set(ids)) if (ids.filter(other => other === id).length > 1) faults.push(`the id ${id} is there twice`);
for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
        for (const id of element.getAttribute(attribute).split(/\s+/).filter(Boolean)) {
            if (!document.getElementById(id)) faults.push(`${attribute} of ${named(element)} names ${id}, which is not there`);
        }
    }
}
if (document.scrollingElement.scrollWidth > innerWidth + 1) {
    const wide = [...document.body.querySelectorAll("*")].filter(one => one.getBoundingClientRect().right > innerWidth + 1 && isShown(one));
    faults.push(`the page is ${document.scrollingElement.scrollWidth} wide and the window ${innerWidth}: ${wide.slice(0, 3).map(named)}`);
}

// The size of what is pressed: 24 by 24 at least, but for links within a text.
const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [tabindex='0']";
for (const control of document.querySelectorAll(controls)) {
    const style = getComputedStyle(control);
    if (!isShown(control) || style.display === "inline" || control.closest(".visually-hidden, .skip")) continue;
    const {width, height} = control.getBoundingClientRect();
    if (width < 24 || height < 24) faults.push(`${named(control)} is only ${Math.round(width)} by ${Math.round(height)}`);
}

// A placeholder goes away when somebody types, so it names nothing.
for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    const hasName = field.labels?.length > 0 || field.ariaLabel || field.hasAttribute("aria-labelledby");
    if (isShown(field) && !hasName) faults.push(`${named(field)} has no label`);
}

// Contrast. A colour is [red, green, blue, alpha], as the canvas tells any notation.
const context = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const colors = new Map();
const color = text => {
    if (!colors.has(text)) {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
        colors.set(text, [red, green, blue, alpha / 255]);
    }
    return colors.get(text);
};
const over = (above, below) => above.map((value, index) => index < 3 ? value * above[3] + below[index] * (1 - above[3]) : 1);
const light = channel => channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
const luminance = ([red, green, blue]) => 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);
const ratio = (one, other) => {
    const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
};
const canvas = color(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
/// What lies behind an element, `null` where it is a picture; with the opacity of all that the element is in.
const ground = element => {
    const layers = [];
    let opacity = 1;
    for (let one = element; one; one = one.parentElement) {
        const style = getComputedStyle(one);
        opacity *= Number(style.opacity);
        if (style.backgroundImage !== "none") return null;
        layers.push(color(style.backgroundColor));
        if (layers.at(-1)[3] === 1) break;
    }
    return {color: layers.reverse().reduce((below, above) => over(above, below), canvas), opacity};
};
const isLarge = style => parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
const told = new Set();
const judge = (element, style, text) => {
    const behind = ground(element);
    if (!behind) return;
    const ink = over([...color(style.color).slice(0, 3), color(style.color)[3] * behind.opacity], behind.color);
    const found = ratio(ink, behind.color);
    const wanted = isLarge(style) ? 3 : 4.5;
    const sentence = `“${text.trim().slice(0, 30)}” in ${named(element)} has a contrast of ${found.toFixed(2)}, ${wanted} is needed`;
    if (found < wanted && !told.has(element.className + style.color)) {
        told.add(element.className + style.color);
        faults.push(sentence);
    }
};
const isOff = element => element.closest(":disabled, [aria-disabled=true], [inert]");
let judged = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const {parentElement: element, data} = texts.currentNode;
    if (!data.trim() || element.matches("script, style, noscript, option") || element.closest(".visually-hidden, noscript")) continue;
    if (!isShown(element) || isOff(element)) continue;
    judged += 1;
    judge(element, getComputedStyle(element), data);
}
for (const field of document.querySelectorAll("input[placeholder], textarea[placeholder]")) {
    if (isShown(field) && !field.value) judge(field, getComputedStyle(field, "::placeholder"), field.placeholder);
}
for (const field of document.querySelectorAll("input, select, textarea")) {
    const style = getComputedStyle(field);
    if (!isShown(field) || isOff(field) || Number(style.opacity) === 0 || parseFloat(style.borderTopWidth) === 0) continue;
    if (["radio", "checkbox", "file", "range"].includes(field.type)) continue;
    const behind = ground(field.parentElement);
    const found = behind ? ratio(over(color(style.borderTopColor), behind.color), behind.color) : 21;
    if (found < 3) faults.push(`the border of ${named(field)} has a contrast of ${found.toFixed(2)}, 3 is needed`);
}
if (judged === 0) faults.push("no text was found to judge");
return faults;
