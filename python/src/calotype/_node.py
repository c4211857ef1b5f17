"""What runs on each node of a cluster: one worker, which one caller steps."""

from __future__ import annotations

from typing import Optional

from ._protocol import Message, Worker


class Node:
    """A worker and its orders; an actor of Ray is made of it."""

    def __init__(self, folder: str, token: str, slots: Optional[int], scratch: Optional[str]) -> None:
        self._worker = Worker(folder, slots=slots, scratch=scratch, token=token)

    def step(self, orders: list[Message]) -> list[Message]:
        """Passes orders on, and returns the reports since the last call."""
        for order in orders:
            members = dict(order)
            self._worker.send(members.pop("op"), **members)
        return self._worker.take()

    def close(self) -> int:
        """Ends the worker."""
        return self._worker.close()
