"""The web app as a person starts it: `calotype serve --app` on a catalogue of `calotype origin`."""

import contextlib
from pathlib import Path

from support.origin import RunningOrigin
from support.serving import RunningServer


class RunningApp:
    """Serves the app until it is left; `fault` says how the catalogue, or its pictures, go wrong, as the origin names it."""

    def __init__(self, binary: Path, scratch: Path, *options, fault: str = "", origin_options: tuple[str, ...] = (),
                 environment: dict[str, str] | None = None):
        self._stack = contextlib.ExitStack()
        self._about = (binary, scratch, options, fault, origin_options, environment)

    def __enter__(self) -> "RunningApp":
        binary, scratch, options, fault, origin_options, environment = self._about
        with self._stack:
            self.origin = self._stack.enter_context(RunningOrigin(binary, *origin_options))
            catalog = self.origin.faulty(fault) if fault else self.origin.base
            self.server = self._stack.enter_context(RunningServer(
                binary, scratch, "--app", "--api", catalog, "--allow-private", "--cache", scratch / "cache", *options,
                environment=environment,
            ))
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *about):
        return self._stack.__exit__(*about)

    @property
    def base(self) -> str:
        return self.server.base

    def page(self, path: str = "") -> str:
        """Returns the address of a page, such as `app?id=1`."""
        return f"{self.server.base}/app/{path}"
