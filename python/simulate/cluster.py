"""The events of a simulated cluster: steps of the driver, reports of workers, and nodes that are lost."""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from dataclasses import dataclass, field
from math import inf

from calotype._budget import Budget, Demand, Grant
from calotype.ray import HOLD, LEASE, STEP, TAILS

from .node import Node, Shard
from .setting import Setting

REPORT = 1.0  # seconds between two reports of a worker
STRETCH = 0.2  # the longest step, as a share of the time so far, if the steps are not given
DEALT = 1_000_000  # up to so many URLs are dealt one by one, if each host is a class of its own
STEPS = 20_000_000  # more are a mistake


@dataclass
class Result:
    """What a simulated run did. Times are in seconds."""

    setting: Setting
    time: float = 0.0
    #: Times at which shares of the URLs were done.
    curve: list[tuple[float, float]] = field(default_factory=list)
    #: URLs that were loaded in all, and those of them that were lost with their node.
    made: float = 0.0
    wasted: float = 0.0
    lost: int = 0
    #: The highest sum of the rates that all workers could send a host at the same time, as a share of its limit.
    peak: float = 0.0
    #: For how long each limit was the lowest for what a node could load at the time, summed over nodes.
    limits: Counter[str] = field(default_factory=Counter)
    #: The highest share of its time that the driver needed for budgets; above 1 it is too slow.
    driver: float = 0.0
    steps: int = 0

    def share_at(self, time: float) -> float:
        """The share of the URLs that was done by a time."""
        before = (0.0, 0.0)
        for point in self.curve:
            if point[0] > time:
                return before[1] + (point[1] - before[1]) * (time - before[0]) / (point[0] - before[0])
            before = point
        return before[1]

    def time_of(self, share: float) -> float:
        """The time by which a share of the URLs was done."""
        before = (0.0, 0.0)
        for point in self.curve:
            if point[1] >= share - 1e-9:
                return before[0] + (point[0] - before[0]) * (share - before[1]) / max(point[1] - before[1], 1e-12)
            before = point
        return inf


class Cluster:
    """A driver and its nodes."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.result = Result(setting)
        self._chance = random.Random(setting.seed)
        self._events: list[tuple[float, int, str, Node]] = []
        self._count = 0
        self._nodes: list[Node] = []
        self._dealt = self._deal()
        bulk = [each.urls if self._dealt else min(each.urls, each.hosts * setting.tail) for each in setting.classes]
        tail = [each.urls - some for each, some in zip(setting.classes, bulk)]
        self._bulk = len(self._dealt) or max(round(sum(bulk) / setting.shard), 1)
        tails = -(-round(sum(tail)) // setting.shard)
        self._bulk_mean = [some / self._bulk for some in bulk]
        self._tail_mean = [some / max(tails, 1) for some in tail]
        self._queue, self._tails = deque(range(self._bulk)), deque(range(self._bulk, self._bulk + tails))
        self._left = self._bulk + tails
        self._mail: dict[str, tuple[dict[str, Demand], int]] = {}
        self._used: Counter[str] = Counter()
        #: If steps are longer than turns, all nodes share a host all the time, with parts of connections.
        #: Turns cost little: see test_simulate.py.
        self._crowd = 1 if setting.step else 10 * setting.nodes
        self._budget = Budget(setting.rate or None, setting.connections * self._crowd, HOLD)

    def run(self) -> Result:
        for number in range(self.setting.nodes):
            # Nodes do not act at the same moments.
            self._start(f"{number}", STEP * self._chance.random())
        acts = {"start": self._join, "step": self._step, "report": self._report, "loss": self._lose, "end": self._end}
        time = seen = 0.0
        while self._left and self.result.steps < STEPS:
            time, _, what, node = heapq.heappop(self._events)
            if not node.is_gone or what == "end":
                acts[what](node, time)
            share = self._share
            if abs(share - seen) > 1e-3:
                self.result.curve.append((time, share))
                seen = share
        self.result.time = time
        self.result.curve.append((time, self._share))
        return self.result

    @property
    def _share(self) -> float:
        return (self.result.made - self.result.wasted) / self.setting.urls

    def _deal(self) -> list[list[float]]:
        """The contents of each shard of a short list, which is in random order."""
        setting = self.setting
        if setting.urls > DEALT or any(each.hosts > 1 for each in setting.classes):
            return []
        urls: list[int] = []
        due = 0.0
        for index, each in enumerate(setting.classes):
            due += each.urls
            urls += [index] * (round(due) - len(urls))
        self._chance.shuffle(urls)
        parts = [Counter(urls[start : start + setting.shard]) for start in range(0, len(urls), setting.shard)]
        return [[float(part[index]) for index in range(len(setting.classes))] for part in parts]

    def _contents(self, number: int) -> list[float]:
        if self._dealt:
            return self._dealt[number]
        return self._tail_mean if self._is_tail(number) else self._bulk_mean

    def _is_tail(self, number: int) -> bool:
        return number >= self._bulk

    def _push(self, time: float, what: str, node: Node) -> None:
        self._count += 1
        heapq.heappush(self._events, (time, self._count, what, node))

    def _start(self, name: str, time: float) -> None:
        self._push(time, "start", Node(name, self.setting, self._crowd))

    def _join(self, node: Node, time: float) -> None:
        node.now = time
        self._nodes.append(node)
        self._push(time, "step", node)
        if self.setting.step:
            self._push(time + REPORT * self._chance.random(), "report", node)
        if self.setting.loss:
            self._push(time + self._chance.expovariate(1 / self.setting.loss), "loss", node)

    def _advance(self, node: Node, time: float) -> None:
        if node.shards:
            self.result.limits[node.what] += time - node.now  # type: ignore[assignment]
        made, over = node.advance(time)
        self.result.made += made
        self._left -= len(over)

    def _report(self, node: Node, time: float) -> None:
        self._advance(node, time)
        self._mail[node.name] = (node.demand(), node.number)
        self._push(time + REPORT, "report", node)

    def _step(self, node: Node, time: float) -> None:
        """The driver takes the last report of a node, and sends it grants and shards."""
        self.result.steps += 1
        self._advance(node, time)
        if self.setting.step:
            # What it was sent with this step, it reports later.
            if node.name in self._mail:
                self._budget.report(node.name, *self._mail.pop(node.name))
            self._grant(node, time)
            self._hand_out(node, node.known)
        else:
            self._hand_out(node, [shard.number for shard in node.shards])
            self._budget.report(node.name, node.demand(), node.number)
            self._grant(node, time)
        node.known = [shard.number for shard in node.shards]
        busy = self.setting.driver * node.reported * len(self._nodes) / REPORT
        self.result.driver = max(self.result.driver, busy)
        node.pace(len(self._nodes), max(1.0, busy))
        self._push(time + self._wait(node), "step", node)

    def _hand_out(self, node: Node, known: list[int]) -> None:
        """Gives a node shards, as the driver does; near the end, its part of those that are left."""
        most = min(self.setting.slots_of_node, -(-self._left // len(self._nodes)))
        tails = sum(map(self._is_tail, known))
        count = len(known)
        while True:
            if self._queue and count - tails < most:
                number = self._queue.popleft()
            elif self._tails and (tails < min(TAILS, most) or (not self._queue and count < most)):
                number = self._tails.popleft()
            else:
                break
            node.add(Shard(number, self._contents(number), self._is_tail(number)))
            tails += self._is_tail(number)
            count += 1

    def _wait(self, node: Node) -> float:
        """The time until the next step of a node."""
        if self.setting.step:
            return self.setting.step
        return max(STEP, min(node.next_end, STRETCH * node.now))

    def _grant(self, node: Node, time: float) -> None:
        node.number, grants = self._budget.grant(node.name, time)
        self._follow(node, grants)

    def _follow(self, node: Node, grants: dict[str, Grant]) -> None:
        """Passes grants to a node, and watches the sum of what all may send a host."""
        old, node.grants = node.grants, grants
        for name in old.keys() | grants.keys():
            self._used[name] += grants.get(name, Grant()).rate - old.get(name, Grant()).rate  # type: ignore[assignment]
            if self.setting.rate:
                self.result.peak = max(self.result.peak, self._used[name] / self.setting.rate)

    def _lose(self, node: Node, time: float) -> None:
        """Others make the shards of a lost node from the beginning; its worker goes on until its lease ends."""
        self._advance(node, time)
        node.is_gone = True
        self._nodes.remove(node)
        self._mail.pop(node.name, None)
        self.result.lost += 1
        self.result.wasted += sum(sum(self._contents(shard.number)) - sum(shard.left) for shard in node.shards)
        for shard in reversed(node.shards):
            (self._tails if self._is_tail(shard.number) else self._queue).appendleft(shard.number)
        self._budget.lose(node.name, time)
        self._push(time + LEASE, "end", node)
        self._start(f"{node.name}'", time + self.setting.repair)

    def _end(self, node: Node, time: float) -> None:
        self._follow(node, {})


def simulate(setting: Setting) -> Result:
    """Runs a setting to its end."""
    return Cluster(setting).run()
