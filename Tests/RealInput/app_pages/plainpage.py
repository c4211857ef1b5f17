"""An ordinary page of somebody's own site, with pictures of the thumbnail service: no app, no scripts."""

import http.server
import threading
import urllib.parse
from pathlib import Path

from app_pages import photos
from support.browser import Browser
from support.checks import Checks, eventually
from support.origin import RunningOrigin
from support.serving import RunningServer

COUNT = 6
AGAIN = """
const as = {mode: 'no-cors', cache: 'no-cache', headers: {Accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'}};
return Promise.all(arguments[0].map(address => fetch(address, as).then(() => address)));
"""
LOADED = "[...document.images].length === arguments[0] && [...document.images].every(one => one.complete && one.naturalWidth > 0)"


def check(checks: Checks, binary: Path, browser: Browser, scratch: Path):
    with RunningOrigin(binary, "--images", str(photos.drawn(scratch / "photos")), "--cache-control", "max-age=3600") as origin:
        names = pictures(origin)
        with RunningServer(
            binary, scratch / "serve", "--allow-private", "--cache", scratch / "cache", "--auto-webp", "--auto-avif"
        ) as server:
            addresses = [f"{server.base}/unsafe/rs:fill:200:150/plain/{urllib.parse.quote(name, safe='')}" for name in names]
            with Site(page(addresses)) as site:
                check_formats(checks, browser, site, addresses)
                check_again(checks, browser, site, addresses)


def pictures(origin: RunningOrigin) -> list[str]:
    return origin.get("/list.txt").decode().split()[:COUNT]


def page(addresses: list[str]) -> bytes:
    images = "".join(f'<img src="{address}" width="200" height="150" alt="A photo">' for address in addresses)
    return f'<!DOCTYPE html><html lang="en"><title>Photos</title><link rel="icon" href="data:,"><h1>Photos</h1>{images}'.encode()


def thumbnails(browser: Browser, keep: bool = False) -> list:
    return [one for one in browser.requests(keep) if "/unsafe/" in one.path]


def check_formats(checks: Checks, browser: Browser, site: "Site", addresses: list[str]):
    browser.forget()
    browser.requests()
    browser.open(site.base)
    checks.that("a plain page: shows all pictures", browser.until(LOADED, COUNT))
    sizes = browser.run("return [...new Set([...document.images].map(one => `${one.naturalWidth}x${one.naturalHeight}`))]")
    checks.equal("a plain page: in the size that it asked for", sizes, ["200x150"])
    asked = thumbnails(browser)
    types = {one.type for one in asked}
    checks.that("a plain page: in a format that is newer than the source's", asked and types <= {"image/avif", "image/webp"}, asked)
    varied = [one.headers.get("vary", "") for one in asked]
    checks.that("a plain page: which other browsers need not know", all("accept" in one.lower() for one in varied), varied)
    browser.screenshot("plain-page-desktop")


def check_again(checks: Checks, browser: Browser, site: "Site", addresses: list[str]):
    """Going to the page again takes them from the browser's cache; a reload asks, and is told that nothing has changed."""
    browser.leave()
    browser.requests()
    browser.open(site.base)
    browser.until(LOADED, COUNT)
    asked = thumbnails(browser)
    checks.that("a plain page: another visit needs no server", all(one.is_cached for one in asked), asked)
    # The browser keeps an answer for requests that accept the same.
    told = browser.run(AGAIN, addresses)
    # What the server really answered is told apart from the answer, and may come later.
    unchanged = eventually(lambda: sum(one.is_revalidated for one in thumbnails(browser, keep=True)) == len(told) == COUNT, 60, 0.05)
    checks.that("a plain page: asked again, nothing has changed", unchanged, thumbnails(browser))
    browser.leave()


class Site:
    """Serves one page."""

    def __init__(self, content: bytes):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> "Site":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
