"""Chromium without a window, driven over WebDriver and the DevTools protocol."""

import base64
import contextlib
import json
import os
import shutil
import signal
import tempfile
import time
import urllib.parse
from pathlib import Path

from support.checks import eventually

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
# What a page may take on a small and busy machine before a check gives up.
PATIENCE = 30  # seconds
# How often a page is asked: each time costs it some work.
INTERVAL = 0.03
PHONE, DESKTOP = (390, 844), (1280, 800)
SIZES = {"phone": PHONE, "desktop": DESKTOP}
SCHEMES = ("light", "dark")
OPTIONS = [
    # Tests may run as root, where its sandbox does not work, and in containers, whose /dev/shm is small.
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
    # It asks nobody of its own accord, and finds nobody but this machine.
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-first-run",
    "--no-default-browser-check", "--disable-extensions", "--no-proxy-server", "--disable-gpu", "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--lang=en-US", "--password-store=basic",
    "--disable-features=Translate,MediaRouter,OptimizationHints,PasswordManagerOnboarding",
]
# Runs before a page's own scripts: what only an observer that was there from the start can tell.
WATCH = """
window.watched = {violations: [], shift: 0, shifts: []};
document.addEventListener('securitypolicyviolation', event =>
    watched.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        watched.shift += entry.value;
        for (const {node} of entry.sources) watched.shifts.push(node?.id || node?.className || node?.nodeName);
    }
}).observe({type: 'layout-shift', buffered: true});
"""


class Unavailable(Exception):
    """There is no Chromium here, or nothing that drives it."""


class Browser:
    """One Chromium with a profile of its own, until it is left; nothing of it stays.

    Screenshots go to the folder that CALOTYPE_SCREENSHOTS names, else below `scratch`.
    """

    def __init__(self, scratch: Path):
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.service import Service
        except ImportError as error:
            raise Unavailable("python3-selenium is not installed") from error
        missing = [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]
        if missing:
            raise Unavailable(f"{' and '.join(missing)} cannot be found")
        scratch.mkdir(parents=True, exist_ok=True)
        self.scratch = scratch
        self.screenshots = Path(os.environ.get("CALOTYPE_SCREENSHOTS") or scratch / "screenshots").resolve()
        self.screenshots.mkdir(parents=True, exist_ok=True)
        # Its sockets have long paths, so the profile does not lie in a folder that may be deep already.
        self._profile = tempfile.mkdtemp(prefix="calotype-chromium-")
        self._service = Service(str(DRIVER), log_path=str(scratch / "chromedriver.log"), env=environment(self._profile))
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for option in [*OPTIONS, f"--user-data-dir={self._profile}"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
        self._events = []
        try:
            self.driver = webdriver.Chrome(service=self._service, options=options)
            self.driver.set_script_timeout(PATIENCE)
            self.driver.set_page_load_timeout(PATIENCE)
            self.command("Page.enable")
            self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            self.resize(DESKTOP)
            self.prefer("light")
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_):
        if hasattr(self, "driver"):
            with contextlib.suppress(Exception):  # what does not end by being asked ends below
                self.driver.quit()
        with contextlib.suppress(Exception):
            self._service.stop()
        ended = eventually(lambda: not self.left(), 10, INTERVAL)
        for pid in [] if ended else self.left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: not self.left(), 10, INTERVAL)
        shutil.rmtree(self._profile, ignore_errors=True)

    def left(self) -> list[int]:
        """Returns the processes of this browser that still run."""
        lines = {int(entry.name): command_line(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
        mine = (self._profile, str(self.scratch / "chromedriver.log"))
        return [pid for pid, line in lines.items() if any(part in line for part in mine)]

    # What it does.

    def command(self, method: str, **parameters) -> dict:
        """Sends a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(method, parameters)

    def open(self, address: str):
        """Goes to an address, and returns when the document and its scripts have been run."""
        self.driver.get(address)

    @contextlib.contextmanager
    def tab(self, kind: str = "tab"):
        """Opens another tab, or a "window", closes it at the end, and goes back to the one before."""
        before = self.driver.current_window_handle
        self.driver.switch_to.new_window(kind)
        try:
            yield
        finally:
            self.driver.close()
            self.driver.switch_to.window(before)

    def leave(self):
        """Goes away from the page."""
        self.driver.get("about:blank")

    def back(self):
        self.driver.back()

    def reload(self):
        self.driver.refresh()

    def forget(self):
        """Empties the cache of pictures and pages."""
        self.command("Network.clearBrowserCache")

    def resize(self, size: tuple[int, int], scale: float = 1):
        width, height = size
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=size == PHONE
        )

    def prefer(self, scheme: str, motion: str = "reduce"):
        features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", motion)]
        self.command("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in features])

    def force_colors(self):
        """Shows the page in the system's colours, until ``prefer``."""
        self.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "forced-colors", "value": "active"}, {"name": "prefers-reduced-motion", "value": "reduce"}],
        )

    def run(self, script: str, *arguments):
        """Runs the body of a function in the page and returns what it returns; `arguments[0]` is the first argument."""
        return self.driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments, seconds: float = PATIENCE) -> bool:
        """Waits until an expression holds in the page; false when it does not within `seconds`."""
        return eventually(lambda: self.run(f"return Boolean({script})", *arguments), seconds, INTERVAL)

    def one(self, selector: str):
        """Returns the first element that the selector names."""
        return self.driver.find_element("css selector", selector)

    def click(self, selector: str):
        self.one(selector).click()

    def fill(self, selector: str, text: str):
        """Puts a text into a field as a person does: by keys."""
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def press(self, key: str, shift: bool = False):
        """Presses one key of these: Tab, Enter, Escape, a space, a letter."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowRight": 39, "ArrowDown": 40, "ArrowLeft": 37, "ArrowUp": 38}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        about = {"key": key, "code": {" ": "Space"}.get(key, key), "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        about["modifiers"] = 8 if shift else 0
        self.command("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **about)
        self.command("Input.dispatchKeyEvent", type="keyUp", **about)

    def text(self, selector: str) -> str:
        """Returns the text of an element as it stands in the document; empty when there is none."""
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector).strip()

    def count(self, selector: str) -> int:
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def screenshot(self, name: str, full: bool = False) -> Path:
        """Keeps what the window shows, or the whole page."""
        made = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path = self.screenshots / f"{name}.png"
        path.write_bytes(base64.b64decode(made["data"]))
        return path

    # What it tells.

    def complaints(self) -> list[str]:
        """Returns the warnings and errors of the console, and violations of the content's policy, since they were asked for last.

        A failed load is told by the console too; a page that shows one says so with `expecting`.
        """
        told = [f"{entry['level']} {entry['message']}" for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]
        return told + self.run("return window.watched?.violations.splice(0) ?? []")

    def requests(self, keep: bool = False) -> list["Request"]:
        """Returns the requests that pages made since they were asked for last, in the order of their beginning; with `keep`
        they are told the next time too, with what has become of them."""
        self._events += [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        found = collected(self._events)
        self._events = self._events if keep else []
        return found


class Request:
    """A request of a page and how it went; `status` is 0 while there is no answer."""

    def __init__(self, url: str, method: str):
        self.url, self.method = url, method
        self.status, self.type, self.headers = 0, "", {}
        # What the server said, 0 if it was not asked or that is not known yet: a page sees 200 where the server said 304.
        self.answered = 0
        self.is_cached = self.is_cancelled = self.has_ended = False

    @property
    def is_revalidated(self) -> bool:
        return self.answered == 304

    @property
    def host(self) -> str:
        return urllib.parse.urlsplit(self.url).netloc

    @property
    def path(self) -> str:
        return urllib.parse.urlsplit(self.url).path

    def __repr__(self) -> str:
        how = "revalidated" if self.is_revalidated else "cancelled" if self.is_cancelled else "cached" if self.is_cached else "ended" if self.has_ended else "under way"
        return f"{self.method} {self.url} {self.status} (answered {self.answered}) {self.type} {how}"


def collected(events) -> list[Request]:
    found: dict[str, Request] = {}
    # The network's own process tells these, sometimes before the page's tells that it asks.
    answered = {about["requestId"]: about["statusCode"] for about in parameters(events, "Network.responseReceivedExtraInfo")}
    for event in events:
        method, about = event["method"], event["params"]
        request = found.get(about.get("requestId", ""))
        if method == "Network.requestWillBeSent":
            found[about["requestId"]] = Request(about["request"]["url"], about["request"]["method"])
        elif request is None:
            continue
        elif method == "Network.responseReceived":
            response = about["response"]
            request.status, request.type = response["status"], response["mimeType"]
            request.headers = {name.lower(): value for name, value in response["headers"].items()}
            request.is_cached = request.is_cached or response.get("fromDiskCache", False)
        elif method == "Network.requestServedFromCache":
            request.is_cached = True
        elif method == "Network.loadingFinished":
            request.has_ended = True
        elif method == "Network.loadingFailed":
            request.has_ended, request.is_cancelled = True, about.get("canceled", False)
    for number, request in found.items():
        request.answered = answered.get(number, 0)
    return list(found.values())


def parameters(events, method: str) -> list[dict]:
    return [event["params"] for event in events if event["method"] == method]


def environment(home: str) -> dict[str, str]:
    """Returns an environment in which neither the browser nor its driver finds a proxy, settings or a screen."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "NO_PROXY": "*", "no_proxy": "*"}


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""  # it has ended
