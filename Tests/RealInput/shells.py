"""What shells and systemd make of the files that the Debian package has for them: completions typed into a real zsh
and a real bash, and the unit as `systemd-analyze verify` reads it."""

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

from support.checks import Checks

ROOT = Path(__file__).resolve().parents[2]
# What is typed before the Tab key, and what the line is then. Neither depends on files.
LINES = [
    ("calotype fet", "calotype fetch "),
    ("calotype thumb --orig", "calotype thumb --orig"),
    ("calotype fetch --contact", "calotype fetch --contact-sheet "),
    ("calotype thumb --format pn", "calotype thumb --format png "),
    ("calotype publish set", "calotype publish settle "),
    ("calotype publish settle --jour", "calotype publish settle --journal "),
    ("calotype dataset --resize-mode center", "calotype dataset --resize-mode center_crop "),
]
# Ctrl-X P prints the line between marks, and empties it.
ZSH = """PROMPT='' RPROMPT='' PS2=''
autoload -Uz compinit && compinit -u -D
source {script}
compdef _calotype calotype
shown() {{ print -r -- "<<$BUFFER>>"; BUFFER=''; zle accept-line }}
zle -N shown && bindkey -e && bindkey '^Xp' shown
unsetopt beep
print -r -- "rea""dy"
"""
BASH = """PS1='' PS2=''
source {script}
shown() {{ printf '<<%s>>\\n' "$READLINE_LINE"; READLINE_LINE=''; }}
bind 'set bell-style none'; bind 'set enable-bracketed-paste off'
bind -x '"\\C-xp": shown'
printf 'rea''dy\\n'
"""
SHELLS = {"zsh": (["zsh", "-f", "-i"], ZSH), "bash": (["bash", "--norc", "--noprofile", "-i"], BASH)}
SECONDS = 60


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True, exist_ok=True)
    for name, (command, setup) in SHELLS.items():
        if shutil.which(name) is None:
            checks.skip(f"completion in {name}", f"{name} is not installed")
            continue
        script = scratch / f"_calotype.{name}"
        text = subprocess.check_output([binary, "help", "--completion", name], text=True)
        # zsh takes a file on its search path for a function; here it is one in words.
        script.write_text("_calotype() {\n" + text + "\n}\n" if name == "zsh" else text)
        with Shell(command, setup.format(script=script), scratch) as shell:
            if not checks.that(f"{name}: reads the completion script", shell.has(b"ready"), shell.output):
                continue
            for typed, completed in LINES:
                checks.equal(f"{name}: {typed} and Tab", shell.complete(typed), completed, shell.output.decode(errors="replace")[-300:])
    unit(checks, scratch)


def unit(checks: Checks, scratch: Path):
    if shutil.which("systemd-analyze") is None:
        checks.skip("the systemd unit", "systemd-analyze is not installed")
        return
    text = (ROOT / "packaging" / "calotype.service").read_text()
    file = scratch / "calotype.service"
    file.write_text(text.replace("/usr/local/bin/calotype", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    checks.equal("the systemd unit: what systemd-analyze says", (done.returncode, done.stdout), (0, ""))


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command: list, setup: str, scratch: Path):
        self.output = b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(scratch)
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "HOME": str(scratch), "TERM": "dumb", "LC_ALL": "C.UTF-8"})
        for line in setup.splitlines():
            self.type(line + "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)

    def type(self, text: str):
        os.write(self.terminal, text.encode())

    def has(self, wanted: bytes) -> bool:
        """Reads until the output has `wanted`."""
        end = time.monotonic() + SECONDS
        while wanted not in self.output:
            readable, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not readable:
                return False
            try:
                self.output += os.read(self.terminal, 4096)
            except OSError:
                return False
        return True

    def complete(self, typed: str) -> str:
        """Returns the line after the Tab key."""
        self.output = b""
        self.type(typed + "\t\x18p")
        if not self.has(b">>"):
            return "nothing"
        return self.output.decode(errors="replace").rpartition("<<")[2].partition(">>")[0]
