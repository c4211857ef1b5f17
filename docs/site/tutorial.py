"""Tutorials of DocC as Markdown: the steps as text, their files and commands as blocks of code."""

import re
import textwrap
from pathlib import Path

TITLE = re.compile(r'@(Intro|Section)\(title: "(.*)"\) \{')
CODE = re.compile(r'@Code\(name: "(.*)", file: (.*)\)')


def markdown(tutorial: Path) -> str:
    """Returns a page in the form that Tests/Guides/run describes. A file that is named Terminal has commands after "$ ", and output."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", tutorial.read_text()):
        text = []
        for line in textwrap.dedent(paragraph).splitlines():
            line = line.strip()
            if title := TITLE.match(line):
                parts.append(("# " if title[1] == "Intro" else "## ") + title[2])
            elif code := CODE.match(line):
                parts.append(block(code[1], (tutorial.parent / code[2]).read_text()))
            elif not re.match(r"@\w+|\}$", line):
                text.append(line.replace("``", "`"))
        if text:
            parts.append("\n".join(text))
    return "\n\n".join(parts) + "\n"


def block(name: str, text: str) -> str:
    if name != "Terminal":
        return f"```{Path(name).suffix[1:]} {name}\n{text}```"
    runs = re.findall(r"((?:\$ .*\n)+)((?:[^$].*\n)*)", text)
    return "\n\n".join(
        "```sh\n" + re.sub(r"^\$ ", "", commands, flags=re.MULTILINE) + "```" + (f"\n\n```output\n{output}```" if output else "")
        for commands, output in runs)
