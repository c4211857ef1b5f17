"""The plan of a dataset that several machines make, as ``calotype dataset plan`` writes it."""

from __future__ import annotations

import os
import uuid
from contextlib import contextmanager
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from ._command import CalotypeError
from ._shards import PathLike

TITLE = "calotype plan 1"


class Plan:
    """What is to be done, and what is done; both are read from the folder alone."""

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder).absolute()
        self._work = self.folder / ".calotype"
        try:
            lines = (self._work / "plan" / "manifest").read_text(encoding="utf-8").splitlines()
            #: The names of all shards, in the order in which to hand them out.
            self.shards = (self._work / "plan" / "order").read_text(encoding="utf-8").split()
        except OSError as error:
            raise CalotypeError(f"{folder} has no plan; make one with calotype dataset plan: {error}") from error
        if not lines or lines[0] != TITLE:
            raise CalotypeError(f"the plan of {folder} was made by another version")
        values = dict(line.split(" ", 1) for line in lines if " " in line and not line.startswith("option "))
        self.samples = int(values["samples"])
        #: The shards that others must not wait for: they have the URLs of large hosts.
        self.tail = set(self.shards[len(self.shards) - int(values.get("tail-shards", 0)) :])
        #: The options of ``calotype dataset``, without the dashes.
        self.options: dict[str, Optional[str]] = {}
        for line in lines:
            if line.startswith("option --"):
                name, _, value = line[len("option --") :].partition("=")
                self.options[name] = value or None

    def is_done(self, shard: str) -> bool:
        """Whether a shard is complete."""
        return (self.folder / f"{shard}_stats.json").exists()

    def undone(self) -> list[str]:
        """The shards that are not complete, in the order in which to hand them out."""
        done = {name[: -len("_stats.json")] for name in os.listdir(self.folder) if name.endswith("_stats.json")}
        return [shard for shard in self.shards if shard not in done]

    @contextmanager
    def token(self) -> Iterator[str]:
        """A file that workers look for: one that finds it sees the same folder as this process."""
        name = f"token-{uuid.uuid4().hex}"
        path = self._work / name
        path.touch()
        try:
            yield name
        finally:
            path.unlink(missing_ok=True)
