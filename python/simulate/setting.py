"""What is simulated: a list, its hosts, and the machines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log

EACH = 256  # up to so many hosts, each is a class of its own
SINGLE = 16  # otherwise so many of the largest are
GROWTH = 2.2  # each further class has so many times the hosts of the one before
DEAD_CLASSES = 4


@dataclass(frozen=True)
class HostClass:
    """Hosts with about as many URLs each."""

    hosts: float
    urls: float
    is_dead: bool = False


@dataclass(frozen=True)
class Setting:
    """A list and a cluster. Sizes are in bytes, times in seconds, and rates are per second."""

    nodes: int = 1
    urls: int = 1_000_000_000
    hosts: int = 5_000_000
    #: The host of rank r has a share of the URLs in proportion to r to the power of minus this.
    zipf: float = 1.0
    #: Share of the hosts that never respond; the largest ones always do.
    dead: float = 0.03

    #: ``--rate-per-host``, ``--per-host`` and the samples of a shard.
    rate: float = 20.0
    connections: int = 8
    shard: int = 10_000
    #: ``--tail-after`` of the plan.
    tail: int = 50_000
    #: Shards of a node at a time; 0 for as many as the worker chooses.
    slots: int = 0
    #: Maximum number of hosts in a report of a worker.
    reported: int = 1000

    #: A response.
    picture: float = 170_000
    latency: float = 0.3
    #: How long a worker tries a host that does not respond: two timeouts, a pause, and a third.
    patience: float = 55.0

    #: A node: 2.5 Gbit/s, and the time of one processor for an image.
    network: float = 2.5e9 / 8
    cores: int = 16
    cpu: float = 0.0068
    requests: int = 1024
    #: DNS lookups; a host is looked up again after ``lifetime``.
    lookups: float = 2000.0
    lifetime: float = 300.0
    #: Mean time until a node is lost (0 for never), and the time until another one replaces it.
    loss: float = 1000 * 3600.0
    repair: float = 300.0

    #: What all nodes together can write to the shared folder, and the size of an image there.
    storage: float = 5e9
    stored: float = 20_000
    #: The driver's time for one host in a report and the grant that follows: see ``docs/scale.md``.
    driver: float = 7e-6

    #: The time between two steps of a node, for short runs; 0 chooses longer ones.
    step: float = 0.0
    seed: int = 1

    @property
    def slots_of_node(self) -> int:
        """As the worker chooses them."""
        return self.slots or min(max(80_000 // self.shard, 2), 64)

    @property
    def node_rate(self) -> float:
        """Images of one node if hosts set no limits."""
        shared = self.storage / self.stored / self.nodes
        return min(self.network / self.picture, self.cores / self.cpu, self.requests / self.latency, shared)

    @property
    def host_rate(self) -> float:
        """The rate at which all nodes together can load from one host."""
        return min(self.rate or inf, self.connections / self.latency)

    @property
    def bulk_time(self) -> float:
        """The time of the whole list if hosts set no limits."""
        return self.urls / (self.nodes * self.node_rate)

    @property
    def bound(self) -> float:
        """The time of the largest host at the rate that it allows; no cluster is faster."""
        return max(each.urls / each.hosts for each in self.classes if not each.is_dead) / self.host_rate

    def most_by(self, time: float) -> float:
        """The share of the list that hosts allow by a time; no cluster does more."""
        return sum(min(each.urls, each.hosts * self.host_rate * time) for each in self.classes) / self.urls

    @cached_property
    def classes(self) -> list[HostClass]:
        """All hosts, those with most URLs first."""
        edges = list(range(min(self.hosts, EACH if self.hosts <= EACH else SINGLE) + 1))
        size = 1.0
        while edges[-1] < self.hosts:
            size *= GROWTH
            edges.append(min(edges[-1] + int(size + 1), self.hosts))
        whole = sum(_zipf(first, last, self.zipf) for first, last in zip(edges, edges[1:]))
        found: list[HostClass] = []
        gone: list[HostClass] = []
        for first, last in zip(edges, edges[1:]):
            hosts, urls = float(last - first), self.urls * _zipf(first, last, self.zipf) / whole
            dead = self.dead if last - first > 1 else 0.0
            found.append(HostClass(hosts * (1 - dead), urls * (1 - dead)))
            if dead:
                gone.append(HostClass(hosts * dead, urls * dead, is_dead=True))
        count = -(-len(gone) // DEAD_CLASSES)
        return found + [_union(gone[start : start + count]) for start in range(0, len(gone), count or 1)]


def _union(classes: list[HostClass]) -> HostClass:
    return HostClass(sum(each.hosts for each in classes), sum(each.urls for each in classes), classes[0].is_dead)


def _zipf(first: int, last: int, power: float) -> float:
    """The sum of rank to the power of minus ``power`` over the ranks after ``first`` up to ``last``."""
    if last - first <= 1000:
        return sum(1 / float(rank**power) for rank in range(first + 1, last + 1))
    low, high = first + 0.5, last + 0.5
    return log(high / low) if power == 1 else float((high ** (1 - power) - low ** (1 - power)) / (1 - power))
