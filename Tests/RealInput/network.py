"""What decides how commands reach the network: proxies of the environment, private addresses by networks, times with units,
lists mixed with URLs; and the state that deleted folders leave."""

import shutil
import subprocess
from pathlib import Path

from support.checks import Checks
from support.command import Commands, Done
from support.nginx import Nginx, free_port
from support.origin import RunningOrigin
from support.serving import RunningServer
from support.silence import NeverAnswers

METADATA = "http://169.254.169.254/latest/meta-data/"


def check(checks: Checks, binary: Path, scratch: Path):
    scratch.mkdir(parents=True)
    with RunningOrigin(binary) as origin:
        trial = Network(checks, binary, scratch, origin.base)
        trial.urls = origin.get("/list.txt").decode().split()
        with Nginx(scratch, forwarding=True) as proxy:
            trial.proxies(proxy)
        trial.networks()
        with NeverAnswers() as silent:
            trial.times(silent)
        trial.mixed_lists()
        trial.state()


class Network(Commands):
    urls: list[str]

    def run_with(self, variables: dict[str, str], *arguments) -> Done:
        done = subprocess.run(
            self.line(arguments), env=self.environment() | variables, capture_output=True, stdin=subprocess.DEVNULL, timeout=120
        )
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def proxies(self, proxy: Nginx):
        dead = f"http://127.0.0.1:{free_port()}"
        picture = self.urls[0]
        through = {"http_proxy": proxy.address}
        commands = {
            "info": ["info", picture, "--no-cache"],
            "thumb": ["thumb", picture, "-o", self.scratch / "thumb.jpg", "--no-cache"],
            "fetch": ["fetch", picture, "-o", self.scratch / "proxied", "-q", "--no-cache", "--allow-private"],
            "apps search": ["apps", "search", "camera", "--no-cache"],
            "album": ["album", "7", "--no-cache"],
            "robot": ["robot", "ada", "-o", self.scratch / "ada.png", "--no-cache"],
            "publish": [
                "publish", self.post(), "--to", f"plain+{self.base}/inbox/", "--post-to", f"{self.base}/posts", "-q", "--again",
            ],
        }
        for name, arguments in commands.items():
            before = len(proxy.forwarded())
            done = self.run_with(through, *arguments)
            self.checks.equal(f"{name} through http_proxy: exit code", done.exit, 0, str(done))
            self.checks.that(f"{name} goes through the proxy", len(proxy.forwarded()) > before, proxy.forwarded())
        for name, arguments in commands.items():
            done = self.run_with({"http_proxy": dead, "no_proxy": "example.com, 127.0.0.0/8"}, *arguments)
            self.checks.equal(f"{name} with no_proxy: exit code", done.exit, 0, str(done))
        ignored = self.run_with({"HTTP_PROXY": dead, "https_proxy": dead}, *commands["info"])
        self.checks.equal("HTTP_PROXY, and another scheme's proxy, are not used: exit code", ignored.exit, 0, str(ignored))
        failing = self.run_with({"http_proxy": dead}, *commands["info"])
        self.checks.that("a proxy that is not there fails", failing.exit == 3 and "proxy_failed" in failing.error, failing)
        winning = self.run_with({"http_proxy": dead, "no_proxy": "*"}, *commands["info"], "--proxy", proxy.address)
        self.checks.equal("--proxy wins: exit code", winning.exit, 0, str(winning))
        wrong = self.run_with({"http_proxy": "socks5://ada:secret@127.0.0.1:1"}, *commands["info"])
        said = wrong.exit == 2 and "http_proxy" in wrong.error and "secret" not in wrong.error
        self.checks.that("a variable that is no HTTP proxy is told, without its password", said, wrong)
        before = len(proxy.forwarded())
        with RunningServer(self.binary, self.scratch / "serve", "--allow-private", environment=through) as server:
            answer = server.get(f"/unsafe/rs:fit:50:50/plain/{picture}")
            self.checks.equal("serve through http_proxy", answer.status, 200)
        self.checks.that("serve goes through the proxy", len(proxy.forwarded()) > before, proxy.forwarded())

    def post(self) -> Path:
        path = self.scratch / "post.json"
        path.write_text('{"text": "A day out"}')
        return path

    def networks(self):
        def fetch(name: str, *options) -> Done:
            return self.run("fetch", self.urls[0], "-o", self.scratch / name, "--report", "-", "-q", "--no-cache", *options)

        for options, code in [
            ([], "blocked_address"), (["--allow-private"], None), (["--allow-private=127.0.0.0/8"], None),
            (["--allow-private", "10.0.0.0/8,127.0.0.1"], None), (["--allow-private=10.0.0.0/8"], "blocked_address"),
            (["--allow-private=10.0.0.0/8", "--allow-private"], None),
        ]:
            done = fetch("-".join(options).replace("/", "_") or "none", *options)
            self.checks.equal(f"fetch {' '.join(options)}", [entry.get("code") for entry in done.objects()], [code], str(done))
        wrong = fetch("wrong", "--allow-private=10.0.0.0/33")
        self.checks.that("a network that is none is told", wrong.exit == 2 and "10.0.0.0/33" in wrong.error, wrong)
        for command in (["info"], ["thumb", "-o", self.scratch / "network.jpg"]):
            name = command[0]
            self.expect(f"{name} of loopback", self.run(*command, self.urls[0]), 0)
            self.expect(f"{name} --allow-private", self.run(*command, "--allow-private", self.urls[0]), 0)
            other = self.run(*command, "--no-cache", "--allow-private=10.0.0.0/8", self.urls[0])
            self.expect(f"{name} with another network", other, 3, "blocked_address")
            for options in ([], ["--allow-private"], ["--allow-private=169.254.0.0/16"]):
                done = self.run(*command, *options, METADATA)
                self.expect(f"{name} {' '.join(options)} of metadata", done, 3, "blocked_address", "169.254.169.254")
        named = self.run("info", "--allow-private=169.254.169.254", "--timeout", "300ms", "--retries", "0", METADATA)
        self.checks.that("a metadata service that is named is tried", "blocked_address" not in named.error, named)
        for value, status in [("1", 200), ("127.0.0.0/8", 200), ("10.0.0.0/8", 404), ("0", 404)]:
            environment = {"CALOTYPE_ALLOW_PRIVATE": value}
            with RunningServer(self.binary, self.scratch / f"private-{value[:2]}", environment=environment) as server:
                answer = server.get(f"/unsafe/rs:fit:50:50/plain/{self.urls[0]}")
                self.checks.equal(f"serve with CALOTYPE_ALLOW_PRIVATE={value}", answer.status, status)

    def times(self, silent: NeverAnswers):
        for time in ("300ms", "0.3s", "0.3", "0.005m"):
            done = self.run("info", silent.url("a.jpg"), "--timeout", time, "--retries", "0")
            self.expect(f"--timeout {time}", done, 3, "timeout")
        self.expect("a time with an unknown unit", self.run("info", "x.jpg", "--timeout", "5h"), 2, "5s, 500ms or 2m")

    def mixed_lists(self):
        first, second = self.scratch / "first.txt", self.scratch / "second.txt"
        first.write_text("\n".join(self.urls[:2]))
        second.write_text(f"{self.urls[3]}\n")
        done = self.run(
            "fetch", first, self.urls[2], second, self.urls[4], "-o", self.scratch / "mixed", "--size", "32", "-q", "--report", "-",
            "--order", "input", "--allow-private",
        )
        self.expect("lists and URLs", done, 0)
        self.checks.equal("their entries are in order", [entry["url"] for entry in done.objects()], self.urls[:5])

    def state(self):
        folders = [self.scratch / name for name in ("state kept", "state gone")]
        for folder in folders:
            self.expect("a fetch", self.run("fetch", self.urls[0], "-o", folder, "-q", "--allow-private", "--size", "32"), 0)
        home = self.scratch / "xdg_state_home" / "calotype"
        self.run("state", "gc")
        states = len(list(home.glob("fetch-*.state")))
        shutil.rmtree(folders[1])
        shown = self.expect("state gc --dry-run", self.run("state", "gc", "--dry-run"), 0)
        self.checks.that("it shows the folder", shown.out.startswith(f"would remove the state of {folders[1]} ("), shown)
        self.checks.equal("and removes nothing", len(list(home.glob("fetch-*.state"))), states)
        removed = self.expect("state gc", self.run("state", "gc"), 0)
        self.checks.that("it says what it removed", removed.out.startswith(f"removed the state of {folders[1]} ("), removed)
        self.checks.equal("one file is gone", len(list(home.glob("fetch-*.state"))), states - 1)
        self.expect("state gc again", self.run("state", "gc"), 0, "nothing to remove")
        again = self.run("fetch", self.urls[0], "-o", folders[0], "--size", "32", "--allow-private", "--report", "-", "-q")
        self.checks.equal("the kept folder's state is there", [entry["status"] for entry in again.objects()], ["skipped"])
