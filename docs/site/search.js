// Searches the pages of search-index.js: every word must occur; titles count more than text, guides more than symbols.
const field = document.getElementById("search");
const list = document.getElementById("found");
const base = document.body.dataset.base;
const weights = { Guide: 4, Page: 4, Article: 4, Command: 3, Framework: 5 };

function score([title, , kind, text], words) {
    const name = title.toLowerCase();
    const body = text.toLowerCase();
    let sum = weights[kind] ?? 0;
    for (const word of words) {
        if (name === word) sum += 40;
        else if (name.startsWith(word)) sum += 20;
        else if (name.includes(word)) sum += 10;
        else if (body.includes(word)) sum += 1;
        else return 0;
    }
    return sum - title.length / 100;
}

function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : pages
        .map((page) => ({ page, score: score(page, words) }))
        .filter((one) => one.score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, 20);
    list.replaceChildren(...found.map(({ page: [title, path, kind] }) => {
        const link = document.createElement("a");
        link.href = base + path;
        link.append(title, Object.assign(document.createElement("small"), { textContent: kind }));
        const item = document.createElement("li");
        item.append(link);
        return item;
    }));
    if (words.length > 0 && found.length === 0) {
        list.append(Object.assign(document.createElement("li"), { textContent: "No matches", className: "none" }));
    }
    list.hidden = words.length === 0;
}

field.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const current = links.indexOf(document.activeElement);
    const isInside = current >= 0 || document.activeElement === field;
    if (event.key === "/" && !isInside) {
        event.preventDefault();
        field.focus();
    } else if (event.key === "Escape" && isInside) {
        field.value = "";
        search();
        field.focus();
    } else if (event.key === "ArrowDown" && isInside && links.length > 0) {
        event.preventDefault();
        links[Math.min(current + 1, links.length - 1)].focus();
    } else if (event.key === "ArrowUp" && current >= 0) {
        event.preventDefault();
        (links[current - 1] ?? field).focus();
    } else if (event.key === "Enter" && document.activeElement === field && links.length > 0) {
        links[0].click();
    }
});
