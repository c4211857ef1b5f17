#!/usr/bin/python3
"""Builds the documentation site: a folder that opens from disk, without a server or the network.

    script/site.py PATH_TO_CALOTYPE [FOLDER]    called by script/docs; the folder is .build/site by default

Guides and documents come from their Markdown, the command reference from the help, and the libraries from what DocC wrote to
.build/documentation. Every link is checked. Exit code 0 when all of them lead somewhere, 1 when one does not.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = {
    "Start": ["README.md", "docs/adding.md", "docs/command.md", "docs/server.md", "docs/app.md"],
    "Guides": sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs/guides").glob("*.md")),
    "Reference": ["docs/limits.md", "docs/measurements.md"],
    "Inside": ["docs/architecture.md", "docs/behaviours.md", "Examples/README.md", "CONTRIBUTING.md", "CHANGELOG.md"],
}
DECISIONS = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs/decisions").glob("*.md"))
FOLDERS = {"docs/decisions": "docs/decisions/index.html", "Examples": "Examples/index.html"}


def escape(text: str) -> str:
    return html.escape(text, quote=True)


def slug(text: str) -> str:
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


class Site:
    def __init__(self, out: Path):
        self.out = out
        self.index = []
        self.titles = {}
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for name in ["style.css", "search.js"]:
            shutil.copy(ROOT / "script/site" / name, out / name)

    # Pages

    def navigation(self, path: str) -> str:
        parts = []
        for section, links in self.sections.items():
            items = "".join(
                f'<li><a href="{self.relative(path, link)}"{" aria-current=page" if link == path else ""}>{escape(title)}</a></li>'
                for link, title in links)
            is_open = " open" if section in ("Start", "Guides") or any(link == path for link, _ in links) else ""
            parts.append(f"<details{is_open}><summary>{section}</summary><ul>{items}</ul></details>")
        return "".join(parts)

    @staticmethod
    def relative(source: str, target: str) -> str:
        return os.path.relpath(target, os.path.dirname(source) or ".")

    def write(self, path: str, title: str, body: str, kind: str, text: str = ""):
        base = self.relative(path, "index.html").removesuffix("index.html")
        page = (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<title>{escape(title)} · Calotype</title>\n<link rel="stylesheet" href="{base}style.css">\n'
            f'<script defer src="{base}search-index.js"></script>\n'
            f'<script defer src="{base}search.js"></script>\n</head>\n<body data-base="{base}">\n'
            f'<header><a class="home" href="{base}index.html">Calotype</a>\n<input id="search" type="search" placeholder="Search" '
            f'aria-label="Search" aria-controls="found" autocomplete="off"><ol id="found" hidden></ol></header>\n'
            f'<div class="page"><details class="menu"><summary>Contents</summary></details>\n<nav aria-label="Contents">{self.navigation(path)}</nav>\n'
            f"<main>\n{body}\n</main></div>\n</body>\n</html>\n")
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page)
        self.index.append([title, path, kind, re.sub(r"\s+", " ", re.sub(r"[`*|#\[\]()]", " ", text))[:1500]])

    # Markdown

    def place(self, source: str) -> str:
        """Where a file of the repository is in the site."""
        if source in FOLDERS:
            return FOLDERS[source]
        if source == "README.md":
            return "index.html"
        if source == "Examples/README.md":
            return "Examples/index.html"
        return source.removesuffix(".md") + ".html" if source.endswith(".md") else source

    def link(self, source: str, target: str) -> str:
        if re.match(r"[a-z]+:|#", target):
            return target
        name, hash_, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(source), name))
        if (ROOT / file).is_file() and not file.endswith(".md"):
            (self.out / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.out / file)
        return self.relative(self.place(source), self.place(file)) + hash_ + anchor

    def render(self, source: str, text: str) -> str:
        tokens = self.markdown.parse(text)
        seen = {}
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                name = slug(tokens[i + 1].content)
                seen[name] = seen.get(name, -1) + 1
                token.attrSet("id", name if not seen[name] else f"{name}-{seen[name]}")
            if token.type == "fence" and token.info:
                # A second word names the file, which the reader wants to see.
                token.info, _, file = token.info.strip().partition(" ")
                token.meta = {"file": file if file not in ("", "fails") else ""}
            for child in token.children or []:
                if child.type == "link_open":
                    child.attrSet("href", self.link(source, child.attrGet("href")))
                if child.type == "image":
                    child.attrSet("src", self.link(source, child.attrGet("src")))
        body = self.markdown.renderer.render(tokens, self.markdown.options, {})
        names = iter([(token.meta or {}).get("file", "") for token in tokens if token.type == "fence"])
        body = re.sub(
            r"<pre><code(?: class=\"language-(\w+)\")?>",
            lambda match: self.fence(match, next(names, "")) if match[0] else "", body)
        return body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")

    @staticmethod
    def fence(match, name: str) -> str:
        label = f'<p class="file">{escape(name)}</p>' if name else '<p class="file">Output</p>' if match[1] == "output" else ""
        kind = ' class="output"' if match[1] == "output" else ""
        return f"{label}<pre{kind}><code>"

    def document(self, source: str, kind: str):
        text = (ROOT / source).read_text()
        self.write(self.place(source), self.title(source), self.render(source, text), kind, text)

    def title(self, source: str) -> str:
        if source == "README.md":
            return "Calotype"
        return re.search(r"^# (.*)$", (ROOT / source).read_text(), re.MULTILINE)[1]

    # The command

    def commands(self, calotype: Path) -> list:
        overview = subprocess.check_output([calotype, "help"], text=True)
        part = overview.split("\nCommands:\n")[1].split("\n\n")[0]
        names = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +[A-Z]", part, re.MULTILINE)
        self.helps = [("calotype", overview)] + [
            (f"calotype {name}", subprocess.check_output([calotype, "help", *name.split()], text=True)) for name in names]
        return [(f"commands/{name.replace(' ', '-')}.html", name) for name, _ in self.helps]

    def write_commands(self):
        for name, text in self.helps:
            path = f"commands/{name.replace(' ', '-')}.html"
            self.write(path, name, f'<h1>{name}</h1>\n<pre class="help">{escape(text)}</pre>', "Command", text)

    # The libraries

    def modules(self) -> list:
        self.library = {}
        for folder in sorted((ROOT / ".build/documentation").iterdir()):
            for file in folder.glob("data/documentation/**/*.json"):
                page = json.loads(file.read_text())
                address = "/" + str(file.relative_to(folder / "data").with_suffix(""))
                self.library[address.lower()] = page
        roots = [(address, page) for address, page in self.library.items() if address.count("/") == 2]
        return [(self.address(address), page["metadata"]["title"]) for address, page in roots]

    @staticmethod
    def address(url: str) -> str:
        # Operators and signatures have characters that files and links do better without.
        return "api/" + re.sub(r"[^\w/-]", lambda match: f"_{ord(match[0]):x}", url.lower().removeprefix("/documentation/")) + ".html"

    def write_library(self):
        for address, page in self.library.items():
            self.here, self.references = self.address(address), page["references"]
            metadata = page["metadata"]
            body = self.crumbs(page) + f"<h1>{self.breakable(metadata['title'])}</h1>\n"
            if page.get("abstract"):
                body += f'<p class="abstract">{self.inline(page["abstract"])}</p>'
            for section in page.get("primaryContentSections", []):
                body += self.section(section)
            for section in page.get("topicSections", []) + page.get("seeAlsoSections", []):
                entries = "".join(self.entry(self.references[name]) for name in section["identifiers"] if name in self.references)
                body += f"<h3>{escape(section.get('title') or '')}</h3><dl>{entries}</dl>"
            text = re.sub(r"<[^>]+>", " ", body)
            self.write(self.here, metadata["title"], body, metadata.get("roleHeading") or "Article", html.unescape(text))

    def crumbs(self, page) -> str:
        paths = page.get("hierarchy", {}).get("paths") or [[]]
        links = [self.anchor(self.references[name]) for name in paths[0] if name in self.references]
        return f'<p class="crumbs">{" › ".join(links)}</p>' if links else ""

    @staticmethod
    def breakable(title: str) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[(:,])(?=\w)", "<wbr>", escape(title))

    def anchor(self, reference: dict) -> str:
        title = escape(reference.get("title", ""))
        if reference.get("kind") == "symbol" or reference.get("role") == "symbol":
            title = f"<code>{title}</code>"
        url, _, fragment = reference.get("url", "").partition("#")
        if re.match("https?:", url):
            return f'<a href="{escape(url)}">{title}</a>'
        if url.lower() not in self.library:
            return title
        href = self.relative(self.here, self.address(url)) + (f"#{slug(fragment.replace('-', ' '))}" if fragment else "")
        return f'<a href="{href}">{title}</a>'

    def entry(self, reference: dict) -> str:
        return f"<dt>{self.anchor(reference)}</dt><dd>{self.inline(reference.get('abstract', []))}</dd>"

    def section(self, section: dict) -> str:
        kind = section["kind"]
        if kind == "declarations":
            code = "".join(escape(token["text"]) for one in section["declarations"][:1] for token in one["tokens"])
            return f'<pre class="declaration"><code>{code}</code></pre>'
        if kind == "parameters":
            rows = "".join(f"<dt><code>{escape(one['name'])}</code></dt><dd>{self.blocks(one['content'])}</dd>" for one in section["parameters"])
            return f"<h2>Parameters</h2><dl>{rows}</dl>"
        return self.blocks(section.get("content", []))

    def blocks(self, nodes: list) -> str:
        return "".join(self.block(node) for node in nodes)

    def block(self, node: dict) -> str:
        kind = node["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(node['inlineContent'])}</p>"
        if kind == "heading":
            level = min(node["level"], 4)
            return f'<h{level} id="{slug(node["anchor"].replace("-", " "))}">{escape(node["text"])}</h{level}>'
        if kind == "codeListing":
            return "<pre><code>" + escape("\n".join(node["code"])) + "</code></pre>"
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            return f"<{tag}>" + "".join(f"<li>{self.blocks(item['content'])}</li>" for item in node["items"]) + f"</{tag}>"
        if kind == "aside":
            return f'<aside><b>{escape(node.get("name") or node["style"].capitalize())}</b>{self.blocks(node["content"])}</aside>'
        if kind == "table":
            rows = ""
            for number, row in enumerate(node["rows"]):
                tag = "th" if number == 0 else "td"
                rows += "<tr>" + "".join(f"<{tag}>{self.blocks(cell)}</{tag}>" for cell in row) + "</tr>"
            return f'<div class="table"><table>{rows}</table></div>'
        raise SystemExit(f"error: no way to show a block of DocC: {kind} in {self.here}")

    def inline(self, nodes: list) -> str:
        return "".join(self.span(node) for node in nodes)

    def span(self, node: dict) -> str:
        kind = node["type"]
        if kind == "text":
            return escape(node["text"])
        if kind == "codeVoice":
            return f"<code>{escape(node['code'])}</code>"
        if kind in ("emphasis", "strong"):
            tag = "em" if kind == "emphasis" else "strong"
            return f"<{tag}>{self.inline(node['inlineContent'])}</{tag}>"
        if kind == "reference":
            return self.anchor(self.references.get(node["identifier"], {"title": node["identifier"]}))
        raise SystemExit(f"error: no way to show a span of DocC: {kind} in {self.here}")

    # All of it

    def build(self, calotype: Path):
        self.sections = {
            name: [(self.place(source), self.title(source)) for source in sources] for name, sources in SECTIONS.items()}
        self.sections["Start"][0] = ("index.html", "Overview")
        commands, libraries = self.commands(calotype), self.modules()
        self.sections["Reference"].append(("docs/decisions/index.html", "Decisions"))
        inside = self.sections.pop("Inside")
        self.sections |= {"Libraries": libraries, "Commands": commands, "Inside": inside}
        for sources in SECTIONS.values():
            for source in sources:
                self.document(source, "Guide" if "guides/" in source else "Page")
        for source in DECISIONS:
            self.document(source, "Decision")
        links = "".join(f'<li><a href="{Path(source).stem}.html">{escape(self.title(source))}</a></li>' for source in DECISIONS)
        self.write("docs/decisions/index.html", "Decisions", f"<h1>Decisions</h1><ul class=plain>{links}</ul>", "Page")
        self.write_commands()
        self.write_library()
        (self.out / "search-index.js").write_text("const pages = " + json.dumps(self.index, ensure_ascii=False, separators=(",", ":")) + "\n")

    def broken_links(self) -> list:
        """Links that lead to no file, or to no place in it."""
        texts = {path: path.read_text() for path in self.out.rglob("*.html")}
        names = {path: set(re.findall(r'id="([^"]*)"', text)) for path, text in texts.items()}
        broken = []
        for path, text in texts.items():
            for target in set(re.findall(r'(?:href|src)="([^"]*)"', text)):
                if re.match(r"(https?|mailto):", target):
                    continue
                name, _, anchor = html.unescape(target).partition("#")
                file = (path.parent / name).resolve() if name else path
                if not file.is_file() or (anchor and anchor not in names.get(file, ())):
                    broken.append(f"{path.relative_to(self.out)}: {target}")
        return broken


def main():
    calotype = Path(sys.argv[1]).resolve()
    out = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / ".build/site").resolve()
    site = Site(out)
    site.build(calotype)
    broken = site.broken_links()
    for line in sorted(broken):
        print(f"error: broken link in {line}", file=sys.stderr)
    sys.exit(1 if broken else 0)


main()
