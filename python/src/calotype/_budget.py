"""Divides what hosts may be sent among nodes. It is pure: the caller passes the time, also a simulated one.

A node sends a host nothing that it was not granted. A grant counts as the node's until the node has confirmed a later one, and
until the requests beyond that have ended, so the sum of all nodes never exceeds the limits of a host. Grants of a node that is
lost count until its lease has ended for certain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Demand:
    """The entries of a host that a node has."""

    waiting: int
    begun: int = 0

    @property
    def count(self) -> int:
        return self.waiting + self.begun


@dataclass
class Grant:
    """What a node may send a host: requests a second, and at a time."""

    rate: float = 0.0
    connections: int = 0


@dataclass
class _Node:
    demand: dict[str, Demand] = field(default_factory=dict)
    #: What it may use now, by what it has been sent and has begun.
    held: dict[str, Grant] = field(default_factory=dict)
    #: What it was sent, by number, from the last that it has confirmed on.
    sent: dict[int, dict[str, Grant]] = field(default_factory=dict)
    #: When the lease of a lost node has ended for certain.
    ends: Optional[float] = None


def _hold(state: _Node, grants: dict[str, Grant]) -> None:
    """Counts grants as used, besides those that may still be."""
    for host, grant in grants.items():
        old = state.held.get(host, Grant())
        state.held[host] = Grant(max(old.rate, grant.rate), max(old.connections, grant.connections))


class Budget:
    """The limits of each host, divided among the nodes that want it."""

    def __init__(self, rate: Optional[float], connections: int, lease: float) -> None:
        self._rate = rate
        self._connections = connections
        self._lease = lease
        self._nodes: dict[str, _Node] = {}
        self._number = 0
        #: The nodes that want or may use a host.
        self._users: dict[str, set[str]] = {}

    def report(self, node: str, demand: dict[str, Demand], number: int) -> None:
        """Records the demand of a node at a time when it had received the grants with ``number``."""
        state = self._nodes.setdefault(node, _Node())
        before = set(state.demand) | set(state.held)
        state.demand = demand
        state.sent = {key: grants for key, grants in state.sent.items() if key >= number}
        state.held = {host: Grant(0.0, wanted.begun) for host, wanted in demand.items() if wanted.begun > 0}
        for grants in state.sent.values():
            _hold(state, grants)
        self._index(node, before, state)

    def grant(self, node: str, now: float) -> tuple[int, dict[str, Grant]]:
        """Returns what to send a node, with a number: its share of each host that it wants.

        The node may send nothing to hosts that are missing.
        """
        self._forget(now)
        state = self._nodes.setdefault(node, _Node())
        sent: dict[str, Grant] = {}
        for host, wanted in state.demand.items():
            others = [self._nodes[other] for other in self._users.get(host, ()) if other != node]
            live = [other.demand[host].count for other in others if other.ends is None and host in other.demand]
            total = wanted.count + sum(live)
            share = wanted.count / total if total else 1.0
            held = [other.held[host] for other in others if host in other.held]
            connections = min(self._part(wanted.count, live), self._connections - sum(grant.connections for grant in held))
            rate = 0.0
            if self._rate is not None:
                rate = max(min(self._rate * share, self._rate - sum(grant.rate for grant in held)), 0.0)
            if connections > 0 and (self._rate is None or rate > 1e-3 * self._rate):
                sent[host] = Grant(rate, connections)
        before = set(state.demand) | set(state.held)
        self._number += 1
        state.sent[self._number] = sent
        _hold(state, sent)
        self._index(node, before, state)
        return self._number, sent

    def lose(self, node: str, now: float) -> None:
        """Records that a node no longer answers; it may continue until its lease ends."""
        if node in self._nodes:
            self._nodes[node].ends = now + self._lease

    def _part(self, count: int, others: list[int]) -> int:
        """A node's part of the connections: by its demand, and at least one if there is one for each."""
        if not others:
            return self._connections
        part = self._connections * count // (count + sum(others))
        # Those with most demand receive one each if there are not enough.
        rank = sum(1 for other in others if other > count)
        return max(part, 1 if rank < self._connections else 0)

    def _forget(self, now: float) -> None:
        for node in [name for name, state in self._nodes.items() if state.ends is not None and state.ends <= now]:
            state = self._nodes.pop(node)
            self._index(node, set(state.demand) | set(state.held), _Node())

    def _index(self, node: str, before: set[str], state: _Node) -> None:
        after = set(state.demand) | set(state.held)
        for host in before - after:
            users = self._users.get(host)
            if users is not None:
                users.discard(node)
                if not users:
                    del self._users[host]
        for host in after - before:
            self._users.setdefault(host, set()).add(node)
