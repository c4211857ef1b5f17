"""A simulated worker: its open shards, and how fast it makes their images."""

from __future__ import annotations

from math import ceil, exp, inf

from calotype._budget import Demand, Grant

from .setting import Setting

CYCLE = 1.75  # seconds from a report of a host to the next one without it: steps of the driver, a report, and a response
NOTHING = 1e-6  # URLs


class Shard:
    """A shard in progress: the URLs of each class that have not ended."""

    def __init__(self, number: int, contents: list[float], is_tail: bool) -> None:
        self.number, self.is_tail = number, is_tail
        self.left = list(contents)
        self.live = [index for index, count in enumerate(contents) if count > 0]


class Node:
    """A worker. Its caller advances the time, and passes grants and shards."""

    def __init__(self, name: str, setting: Setting, crowd: int) -> None:
        self.name = name
        self._setting, self._classes, self._crowd = setting, setting.classes, crowd
        self.shards: list[Shard] = []
        self.waiting = [0.0] * len(self._classes)
        self.now = 0.0
        #: The shards that the driver knows of, and the number of the grants that the node follows.
        self.known: list[int] = []
        self.number = 0
        self.grants: dict[str, Grant] = {}
        self.is_gone = False
        #: The classes in the last report, with the number of their hosts there.
        self._reported: list[tuple[int, float]] = []
        self.rates = [0.0] * len(self._classes)
        #: Images a second from hosts that respond, and what limits them.
        self.limit, self.what = inf, ""

    @property
    def reported(self) -> float:
        """The number of hosts in the last report."""
        return sum(hosts for _, hosts in self._reported)

    @property
    def next_end(self) -> float:
        """The time after which its oldest shards, or those of its tail, are complete, as far as it may load from their hosts."""
        return min((self._end(is_tail) for is_tail in {shard.is_tail for shard in self.shards}), default=0.0)

    def _end(self, is_tail: bool) -> float:
        shards = [shard for shard in self.shards if shard.is_tail == is_tail]
        first = shards[: max(len(shards) // 3, 1)]
        ends = [
            sum(shard.left[index] for shard in first) / self.rates[index] for index in first[0].live if self.rates[index] > 0
        ]
        return max(*ends, sum(sum(shard.left) for shard in first) / self.limit, CYCLE)

    def add(self, shard: Shard) -> None:
        self.shards.append(shard)
        for index in shard.live:
            self.waiting[index] += shard.left[index]

    def advance(self, now: float) -> tuple[float, list[int]]:
        """Makes images until a time; returns their number, and the shards that are complete."""
        span, self.now = now - self.now, now
        if span <= 0 or not self.shards:
            return 0.0, []
        allowed = [rate * span for rate in self.rates]
        room, made = self.limit * span, 0.0
        # Older shards first and the tail last, as the worker does.
        for shard in sorted(self.shards, key=lambda shard: shard.is_tail):
            left = shard.left
            for index in shard.live:
                take = min(left[index], allowed[index])
                if not self._classes[index].is_dead:
                    take = min(take, room)
                    room -= take
                if left[index] - take <= NOTHING:
                    take = left[index]
                allowed[index] -= take
                left[index] -= take
                self.waiting[index] -= take
                made += take
            shard.live = [index for index in shard.live if left[index] > 0]
        over = [shard.number for shard in self.shards if not shard.live]
        self.shards = [shard for shard in self.shards if shard.live]
        return made, over

    def demand(self) -> dict[str, Demand]:
        """What it reports: the hosts with most entries. Those of rare classes are left out, as the budget is not asked for them."""
        found: dict[str, Demand] = {}
        self._reported = []
        room = float(self._setting.reported)
        present = self._present()
        # Hosts with one entry are reported in no order.
        rare = sum(hosts for _, index, hosts in present if self._is_rare(index))
        for each, index, hosts in present:
            is_rare = self._is_rare(index)
            shown = hosts * min(1.0, room / rare) if is_rare else min(hosts, room)
            if shown <= 0:
                break
            self._reported.append((index, shown))
            if is_rare:
                continue
            room -= shown
            if not self._classes[index].is_dead:
                count = ceil(each - NOTHING)
                begun = min(count, ceil(self.rates[index] / hosts * self._setting.latency))
                found[str(index)] = Demand(count - begun, begun)
        return found

    def pace(self, users: int, slowness: float) -> None:
        """Sets its rates from what it was granted, for this many nodes and a driver that is so many times too slow."""
        setting = self._setting
        self.rates = [0.0] * len(self._classes)
        total = lookups = 0.0
        strangers = sum(hosts for index, hosts in self._reported if self._classes[index].is_dead)
        most = setting.requests / 2
        for index, hosts in self._reported:
            if self._classes[index].is_dead:
                self.rates[index] = self.waiting[index] / setting.patience * min(1.0, most / strangers)
            else:
                rate = self.rates[index] = hosts * self._rate_of_host(index, users, slowness)
                total += rate
                # The address of a busy host is still known.
                lookups += rate / (1 + rate / self._classes[index].hosts * setting.lifetime)
        limits = {
            "network": setting.network / setting.picture,
            "processors": setting.cores / setting.cpu,
            "requests": (setting.requests - min(strangers, most)) / setting.latency,
            "names": setting.lookups * total / lookups if lookups > 0 else inf,
            "storage": setting.storage / setting.stored / users,
        }
        self.what = min(limits, key=lambda name: limits[name])
        self.limit = limits[self.what]
        if total < self.limit:
            self.what = "hosts" if self.reported < setting.reported - 0.5 else "reports"

    def _rate_of_host(self, index: int, users: int, slowness: float) -> float:
        """How fast it loads from each host of a class."""
        setting, hosts = self._setting, self._classes[index].hosts
        if self._is_rare(index):
            # Some of the other nodes have entries of such a host as well.
            part = 1 / (1 + (users - 1) * (1 - exp(-self.waiting[index] / hosts)))
            grant_rate, connections = part * setting.rate, part * setting.connections
        else:
            grant = self.grants.get(str(index), Grant())
            grant_rate, connections = grant.rate, grant.connections / self._crowd
        rate = min(grant_rate or (0.0 if setting.rate else inf), connections / setting.latency)
        if not setting.step and hosts > 1:
            rate = min(rate, max(1.0, self.waiting[index] / hosts) / (CYCLE * slowness))
        return rate

    def _is_rare(self, index: int) -> bool:
        """Whether it has no entries of many hosts of a class."""
        hosts = self._classes[index].hosts
        return hosts > 1 and self.waiting[index] < hosts

    def _present(self) -> list[tuple[float, int, float]]:
        """The entries of each host, the class, and the number of its hosts with entries; most entries first, rare hosts last."""
        found = []
        for index, waiting in enumerate(self.waiting):
            if waiting > NOTHING:
                hosts = self._classes[index].hosts
                present = hosts * (1 - exp(-waiting / hosts)) if hosts > 1 else 1.0
                found.append((waiting / present, index, present))
        return sorted(found, key=lambda each: (self._is_rare(each[1]), -each[0]))
