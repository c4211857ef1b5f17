"""The page about a run, over HTTP."""

import http.client
import json
import socket
import threading
from urllib.parse import urlsplit

import pytest

from calotype import CalotypeError
from calotype._page import ProgressPage


@pytest.fixture
def page():
    page = ProgressPage()
    yield page
    page.close()


def get(page, path, host=None):
    port = urlsplit(page.address).port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_the_page_and_what_it_shows_are_served(page):
    status, headers, content = get(page, "/")
    assert status == 200 and b"<!doctype html>" in content and "sha256-" in headers["Content-Security-Policy"]
    assert json.loads(get(page, "/status")[2]) == {}
    page.show(json.dumps({"shards": 3}))
    assert json.loads(get(page, "/status")[2]) == {"shards": 3}
    assert get(page, "/../ray.py")[0] == 404


def test_a_page_elsewhere_cannot_read_it(page):
    assert get(page, "/status", host="evil.test")[0] == 403
    assert get(page, "/status", host="localhost")[0] == 200


def test_nothing_is_left_after_the_end():
    threads = threading.active_count()
    page = ProgressPage()
    port = urlsplit(page.address).port
    # Browsers open connections that they do not use yet.
    with socket.create_connection(("127.0.0.1", port), timeout=10):
        get(page, "/status")
        page.close()
    assert threading.active_count() == threads
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)


def test_a_port_that_is_taken_is_an_error(page):
    with pytest.raises(CalotypeError, match="cannot serve the progress page at port"):
        ProgressPage(urlsplit(page.address).port)
    with pytest.raises(CalotypeError, match="cannot serve the progress page at port 70000"):
        ProgressPage(70000)
