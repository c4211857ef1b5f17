"""Divides what hosts may be sent among nodes. It is pure: the caller passes the time, also a simulated one.

A node sends a host nothing that it was not granted. A grant counts as the node's until the node has confirmed a later one, and
until the requests beyond that have ended, so the sum of all nodes never exceeds the limits of a host. Grants of a node that is
lost count until its lease has ended for certain.

If more nodes want a host than it has connections, they take turns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Optional

TURN = 30.0  # seconds for which a node keeps a host that others wait for
LEAST = 0.1  # a node's least share of the rate, of what it would have if all wanted the same


class Demand(NamedTuple):
    """The entries of a host that a node has."""

    waiting: int
    begun: int = 0

    @property
    def total(self) -> int:
        return self.waiting + self.begun


class Grant(NamedTuple):
    """What a node may send a host: requests a second, and at a time."""

    rate: float = 0.0
    connections: int = 0


NOTHING = Grant()


@dataclass
class _Node:
    demand: dict[str, Demand] = field(default_factory=dict)
    #: What it may use now, by what it has been sent and has begun.
    held: dict[str, Grant] = field(default_factory=dict)
    #: What it was sent, by number, from the last that it has confirmed on.
    sent: dict[int, dict[str, Grant]] = field(default_factory=dict)


@dataclass
class _Host:
    """Sums over all nodes, so that a grant takes as long for many nodes as for one."""

    #: The entries of the nodes that answer, by node, in the order of their turns.
    wants: dict[str, int] = field(default_factory=dict)
    #: What all nodes may use, and the number of nodes that may use something.
    rate: float = 0.0
    connections: int = 0
    holders: int = 0
    #: When the next turn begins.
    turn: float = 0.0

    def hold(self, old: Grant, new: Grant) -> None:
        """Replaces what one node may use."""
        self.holders += (new is not NOTHING) - (old is not NOTHING)
        self.connections += new.connections - old.connections
        # Without holders, rounding errors end.
        self.rate = self.rate + new.rate - old.rate if self.holders else 0.0

    def next_turn(self, now: float, limit: int) -> None:
        """Lets the node that has had the host for longest wait, if others do."""
        if len(self.wants) > limit and now >= self.turn:
            if self.turn > 0:
                first = next(iter(self.wants))
                self.wants[first] = self.wants.pop(first)
            self.turn = now + TURN / limit


class Budget:
    """The limits of each host, divided among the nodes that want it."""

    def __init__(self, rate: Optional[float], connections: int, lease: float) -> None:
        self._rate = rate
        self._connections = connections
        self._lease = lease
        self._nodes: dict[str, _Node] = {}
        #: What nodes that were lost may use, and until when.
        self._lost: list[tuple[float, dict[str, Grant]]] = []
        self._number = 0
        #: The hosts that nodes want or may use.
        self._hosts: dict[str, _Host] = {}

    def report(self, node: str, demand: dict[str, Demand], number: int) -> None:
        """Records the demand of a node at a time when it had received the grants with ``number``."""
        state = self._nodes.setdefault(node, _Node())
        self._want(node, state.demand, demand)
        state.demand = demand
        state.sent = {key: grants for key, grants in state.sent.items() if key >= number}
        held = {host: Grant(0.0, wanted.begun) for host, wanted in demand.items() if wanted.begun > 0}
        for grants in state.sent.values():
            for host, grant in grants.items():
                held[host] = _most(held.get(host, NOTHING), grant)
        self._hold(state.held, held)
        state.held = held

    def grant(self, node: str, now: float) -> tuple[int, dict[str, Grant]]:
        """Returns what to send a node, with a number: its share of each host that it wants.

        The node may send nothing to hosts that are missing.
        """
        self._forget(now)
        state = self._nodes.setdefault(node, _Node())
        self._number += 1
        sent: dict[str, Grant] = {}
        for name, wanted in state.demand.items():
            if wanted.total <= 0:
                continue
            host = self._hosts[name]
            grant = self._share(node, host, wanted.total, state.held.get(name, NOTHING), now)
            if grant is None:
                continue
            sent[name] = grant
            old = state.held.get(name, NOTHING)
            state.held[name] = _most(old, grant)
            host.hold(old, state.held[name])
        state.sent[self._number] = sent
        return self._number, sent

    def lose(self, node: str, now: float) -> None:
        """Records that a node no longer answers; it may continue until its lease ends.

        A node of this name that reports later is another one.
        """
        state = self._nodes.pop(node, None)
        if state is not None:
            self._want(node, state.demand, {})
            self._lost.append((now + self._lease, state.held))

    def _share(self, node: str, host: _Host, count: int, mine: Grant, now: float) -> Optional[Grant]:
        """A node's part of a host by its demand, and at least one connection, if it has its turn."""
        host.next_turn(now, self._connections)
        served = list(islice(host.wants, self._connections))
        if node not in served:
            return None
        total = sum(host.wants[each] for each in served)
        part = max(self._connections * count // total, 1)
        connections = min(part, self._connections - (host.connections - mine.connections))
        if connections <= 0:
            return None
        if self._rate is None:
            return Grant(0.0, connections)
        least = LEAST * self._rate / len(served)
        rate = min(max(self._rate * count / total, least), self._rate - (host.rate - mine.rate))
        # What others leave may be next to nothing.
        return Grant(rate, connections) if rate > 0.01 * least else None

    def _forget(self, now: float) -> None:
        """Frees what lost nodes could use, when their leases have ended."""
        for _, held in [lost for lost in self._lost if lost[0] <= now]:
            self._hold(held, {})
        self._lost = [lost for lost in self._lost if lost[0] > now]

    def _want(self, node: str, before: dict[str, Demand], after: dict[str, Demand]) -> None:
        for name, wanted in after.items():
            if wanted.total > 0:
                self._hosts.setdefault(name, _Host()).wants[node] = wanted.total
        for name, wanted in before.items():
            if wanted.total > 0 and (name not in after or after[name].total <= 0):
                self._hosts[name].wants.pop(node, None)
                self._tidy(name)

    def _hold(self, before: dict[str, Grant], after: dict[str, Grant]) -> None:
        for name, grant in after.items():
            self._hosts.setdefault(name, _Host()).hold(before.get(name, NOTHING), grant)
        for name, grant in before.items():
            if name not in after:
                self._hosts[name].hold(grant, NOTHING)
                self._tidy(name)

    def _tidy(self, name: str) -> None:
        host = self._hosts[name]
        if not host.wants and not host.holders:
            del self._hosts[name]


def _most(one: Grant, other: Grant) -> Grant:
    # A new tuple takes several times as long as a comparison.
    if one.rate <= other.rate and one.connections <= other.connections:
        return other
    if other.rate <= one.rate and other.connections <= one.connections:
        return one
    return Grant(max(one.rate, other.rate), max(one.connections, other.connections))
