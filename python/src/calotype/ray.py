"""Makes a planned dataset on a Ray cluster: ``python -m calotype.ray FOLDER``.

The truth is in the folder, so the driver can be killed and started again at any time. Use it in private networks only: Ray
listens without authentication.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from subprocess import run as run_process
from typing import Any, Optional

from ._budget import Budget, Demand
from ._command import CalotypeError, binary
from ._node import Node
from ._page import ProgressPage
from ._plan import Plan
from ._protocol import Message
from ._shards import PathLike

LEASE = 10.0  # seconds
STEP = 0.5  # seconds between two steps of a node
SILENCE = 60.0  # seconds without a report after which a node is given up
ATTEMPTS = 10  # failures of one shard, besides those of its node
STARTS = 5  # workers of one node that may end in a row before they complete a shard
PER_HOST = 8  # connections, as calotype's own default
TAILS = 2  # shards of the tail of a node, besides its slots
HOLD = 2 * LEASE  # seconds for which a lost node's grants count


def _module(name: str) -> Any:
    """Imports a module of Ray, which has few types."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise CalotypeError("a cluster needs ray; install it with: pip install 'calotype[ray]'") from error


@dataclass
class _Member:
    """A node, its actor, and what it does."""

    node: str
    address: str
    actor: Any
    step: Any = None
    sent_at: float = 0.0
    heard_at: float = 0.0
    slots: int = 0
    shards: set[str] = field(default_factory=set)
    blocks: list[Message] = field(default_factory=list)
    progress: Message = field(default_factory=dict)
    lease: float = 0.0
    failures: int = 0
    paused_until: float = 0.0


@dataclass
class NodeStatus:
    """What one node does."""

    node: str
    address: str
    #: Shards in progress.
    shards: int
    images_per_second: float
    ok: int
    failed: int
    #: How much longer it may work without hearing from the driver, as of its last report.
    lease_s: float
    #: The time since its last report.
    silent_s: float


@dataclass
class Status:
    """What a cluster does."""

    shards: int
    done: int
    nodes: int
    in_progress: int
    images_per_second: float
    ok: int
    failed: int
    #: Hosts that asked for fewer requests lately, with how often.
    troubled: dict[str, int]
    #: Number of times that a node was lost.
    lost: int
    #: The estimated remaining time, at the rate since the driver started.
    eta_s: Optional[float]
    by_node: list[NodeStatus]
    #: The latest problems.
    problems: list[str]

    def json(self) -> str:
        """One line about the whole cluster, with the shortest lease."""
        members = {name: value for name, value in self.__dict__.items() if name not in ("by_node", "problems")}
        least = min((node.lease_s for node in self.by_node), default=None)
        return json.dumps({"event": "progress", **members, "lease_s": least})

    def page_json(self) -> str:
        """Everything the page shows."""
        return json.dumps(asdict(self))

    def text(self) -> str:
        line = f"{self.done}/{self.shards} shards, {self.nodes} nodes, {self.images_per_second:.0f} images/s"
        return line + (f", {len(self.troubled)} hosts busy" if self.troubled else "")


class Driver:
    """Hands out the shards of a plan to the nodes of a cluster until all are complete. ``ray.init`` comes first."""

    def __init__(
        self, folder: PathLike, *, slots: Optional[int] = None, scratch: Optional[str] = None, resource: Optional[str] = None,
        lease: float = LEASE,
    ) -> None:
        self._ray = _module("ray")
        _module("ray.util.scheduling_strategies")  # Ray does not import it by itself.
        self.plan = Plan(folder)
        self._slots, self._scratch = slots, scratch
        self._resource, self._lease = resource, lease
        rate = self.plan.options.get("rate-per-host")
        per_host = self.plan.options.get("per-host")
        self._budget = Budget(float(rate) if rate else None, int(per_host) if per_host else PER_HOST, HOLD)
        self._members: dict[str, _Member] = {}
        #: The shards to hand out, and those of the tail.
        self._queue: deque[str] = deque()
        self._tails: deque[str] = deque()
        self._attempts: Counter[str] = Counter()
        self._troubled: Counter[str] = Counter()
        #: How often each node was lost since it completed a shard, and until when it is left alone.
        self._losses: Counter[str] = Counter()
        self._rests: dict[str, float] = {}
        self._done = self._found = 0
        self._started = time.monotonic()
        self._lost = 0
        self._looked_at = 0.0
        self.problems: list[str] = []

    def run(self, report: Callable[[Status], None] = lambda status: None) -> None:
        """Runs until all shards are complete.

        Raises:
            CalotypeError: if a shard cannot be made.
        """
        undone = self.plan.undone()
        for shard in undone:
            self._put(shard)
        self._done = self._found = len(self.plan.shards) - len(undone)
        reported_at = 0.0
        try:
            with self.plan.token() as token:
                while self._done < len(self.plan.shards):
                    now = time.monotonic()
                    if now - self._looked_at >= STEP:
                        self._looked_at = now
                        self._look_at_nodes(token, now)
                    self._step(now)
                    if now - reported_at >= 1.0:
                        reported_at = now
                        report(self.status())
        finally:
            self._close()
        report(self.status())

    def status(self) -> Status:
        now = time.monotonic()
        by_node = [self._node_status(member, now) for member in sorted(self._members.values(), key=lambda member: member.address)]
        made, left = self._done - self._found, len(self.plan.shards) - self._done
        eta = round((now - self._started) * left / made, 1) if made else None
        return Status(
            shards=len(self.plan.shards), done=self._done, nodes=len(self._members),
            in_progress=sum(node.shards for node in by_node),
            images_per_second=sum(node.images_per_second for node in by_node),
            ok=sum(node.ok for node in by_node), failed=sum(node.failed for node in by_node),
            troubled=dict(self._troubled.most_common(10)), lost=self._lost, eta_s=eta, by_node=by_node, problems=self.problems[-10:],
        )

    def _node_status(self, member: _Member, now: float) -> NodeStatus:
        report = member.progress
        return NodeStatus(
            node=member.node, address=member.address, shards=len(member.shards),
            images_per_second=float(report.get("images_per_second", 0)), ok=int(report.get("ok", 0)),
            failed=int(report.get("failed", 0)), lease_s=member.lease, silent_s=round(now - member.heard_at, 1),
        )

    def _look_at_nodes(self, token: str, now: float) -> None:
        """Starts an actor on each new node, and forgets the nodes that have gone."""
        alive = {
            node["NodeID"]: str(node.get("NodeManagerAddress", ""))
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get(self._resource or "CPU", 0) > 0
        }
        for name in [name for name in self._members if name not in alive]:
            self._lose(name, now, "the node has gone")
        usable = [name for name in alive if self._losses[name] < STARTS]
        if alive and not usable:
            raise CalotypeError(f"no node can run a worker: {self.problems[-1]}")
        for name in usable:
            if name in self._members or now < self._rests.get(name, 0.0):
                continue
            strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(name, soft=False)
            actor = (
                self._ray.remote(Node)
                .options(num_cpus=0, max_restarts=0, max_task_retries=0, scheduling_strategy=strategy)
                .remote(str(self.plan.folder), token, self._slots, self._scratch)
            )
            member = _Member(name, alive[name], actor, heard_at=now)
            self._members[name] = member
            self._send(member, [], now)

    def _step(self, now: float) -> None:
        """Takes what nodes report, and sends them what is next."""
        waiting = {member.step: member for member in self._members.values() if member.step is not None}
        ready: list[Any] = []
        if waiting:
            ready, _ = self._ray.wait(list(waiting), num_returns=1, timeout=STEP / 5)
        if ready:
            # All that are ready by now, so that no node waits behind others.
            ready, _ = self._ray.wait(list(waiting), num_returns=len(waiting), timeout=0)
        else:
            time.sleep(STEP / 20)
        now = time.monotonic()
        for step in ready:
            member = waiting[step]
            member.step = None
            try:
                reports = self._ray.get(step)
            except self._ray.exceptions.RayTaskError as error:
                self._lose(member.node, now, str(error).strip().splitlines()[-1])
                continue
            except self._ray.exceptions.RayError as error:
                self._lose(member.node, now, type(error).__name__)
                continue
            for message in reports:
                self._take(member, message, now)
        for member in list(self._members.values()):
            if member.step is None and now - member.sent_at >= STEP:
                self._send(member, self._orders(member, now), now)
            elif now - member.heard_at > SILENCE:
                self._lose(member.node, now, "the worker is silent")

    def _send(self, member: _Member, orders: list[Message], now: float) -> None:
        member.step = member.actor.step.remote(orders)
        member.sent_at = now

    def _orders(self, member: _Member, now: float) -> list[Message]:
        orders: list[Message] = [{"op": "lease", "seconds": self._lease}]
        number, grants = self._budget.grant(member.node, now)
        budget: Message = {"op": "budget", "number": number, "default_connections": 0}
        budget["connections"] = {host: grant.connections for host, grant in grants.items()}
        if any(grant.rate for grant in grants.values()):
            budget["rate"] = {host: grant.rate for host, grant in grants.items()}
        orders.append(budget)
        orders += member.blocks
        member.blocks = []
        # Near the end, each node receives its part of what is left.
        most = min(member.slots, -(-(len(self.plan.shards) - self._done) // len(self._members)))
        while now >= member.paused_until and (shard := self._next(member, most)):
            if self.plan.is_done(shard):
                self._done += 1
                continue
            member.shards.add(shard)
            orders.append({"op": "shard", "id": shard})
        return orders

    def _put(self, shard: str, first: bool = False) -> None:
        """Adds a shard to those to hand out."""
        queue = self._tails if shard in self.plan.tail else self._queue
        queue.appendleft(shard) if first else queue.append(shard)

    def _next(self, member: _Member, most: int) -> Optional[str]:
        """The next shard for a node with so many slots; tails come on top, so that neither kind waits for the other."""
        tails = sum(shard in self.plan.tail for shard in member.shards)
        if self._queue and len(member.shards) - tails < most:
            return self._queue.popleft()
        if self._tails and (tails < min(TAILS, most) or (not self._queue and len(member.shards) < most)):
            return self._tails.popleft()
        return None

    def _take(self, member: _Member, message: Message, now: float) -> None:
        member.heard_at = now
        event = message.get("event")
        if event == "hello":
            member.slots = int(message["slots"])
        elif event == "heartbeat":
            member.lease = float(message.get("lease_s", 0))
        elif event == "progress":
            member.progress = message
            demand = {host["host"]: Demand(host["waiting"], host["begun"]) for host in message.get("hosts", ())}
            self._budget.report(member.node, demand, int(message.get("budget", 0)))
        elif event == "done":
            self._finish(member, message["id"])
            member.failures = 0
            self._losses.pop(member.node, None)
        elif event == "fail":
            self._fail(member, message, now)
        elif event == "backoff":
            self._troubled[message["host"]] += 1
            block = {"op": "block", "host": message["host"], "seconds": message.get("seconds") or 1.0}
            for other in self._members.values():
                if other is not member and len(other.blocks) < 1000:
                    other.blocks.append(block)
        elif event == "problem":
            self._note(f"{member.node[:8]}: {message.get('message')}")

    def _finish(self, member: _Member, shard: str) -> None:
        if shard in member.shards:
            member.shards.discard(shard)
            self._done += 1

    def _fail(self, member: _Member, message: Message, now: float) -> None:
        shard, reason = message["id"], str(message.get("reason"))
        if shard not in member.shards:
            return
        if self.plan.is_done(shard):
            return self._finish(member, shard)
        member.shards.discard(shard)
        if not message.get("retryable", True):
            raise CalotypeError(f"shard {shard} cannot be made: {reason}")
        self._note(f"{member.node[:8]}: shard {shard}: {reason}")
        if message.get("class") == "lease":
            # Not the shard's fault: the driver or the network was slow.
            return self._put(shard, first=True)
        self._attempts[shard] += 1
        if self._attempts[shard] >= ATTEMPTS:
            raise CalotypeError(f"shard {shard} has failed {ATTEMPTS} times: {reason}")
        self._put(shard)
        # A node whose disk is full fails whatever it is given.
        if now >= member.paused_until:
            member.failures += 1
            member.paused_until = now + min(2.0**member.failures, 60.0)

    def _lose(self, name: str, now: float, reason: str) -> None:
        """Gives the shards of a node to others; the node itself stops when its lease ends."""
        member = self._members.pop(name)
        self._lost += 1
        self._losses[name] += 1
        self._rests[name] = now + min(2.0 ** (self._losses[name] - 1), 60.0) - 1.0
        self._note(f"{name[:8]}: {reason}")
        self._budget.lose(name, now)
        try:
            self._ray.kill(member.actor)
        except Exception:  # noqa: BLE001: Ray may hold it for dead already
            pass
        for shard in sorted(member.shards, reverse=True):
            if self.plan.is_done(shard):
                self._done += 1
            else:
                self._put(shard, first=True)

    def _note(self, problem: str) -> None:
        if len(self.problems) < 1000:
            self.problems.append(problem)

    def _close(self) -> None:
        for member in self._members.values():
            try:
                self._ray.get(member.actor.close.remote(), timeout=self._lease)
            except self._ray.exceptions.RayError:
                pass
            self._ray.kill(member.actor)
        self._members = {}


def make(
    folder: PathLike, *, address: Optional[str] = None, report: Callable[[Status], None] = lambda status: None, **options: Any
) -> Driver:
    """Makes a planned dataset on a cluster, and cleans up; returns the driver, which says what went wrong on the way."""
    ray = _module("ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.ERROR)
    try:
        driver = Driver(folder, **options)
        driver.run(report)
    finally:
        ray.shutdown()
    run_process([binary(), "dataset", "gc", str(Path(folder))], check=True, capture_output=True)
    return driver


@contextmanager
def local_cluster(nodes: int) -> Iterator[str]:
    """A cluster of several nodes on this machine, reachable from this machine alone; returns its address."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray otherwise replaces 127.0.0.1 by the machine's outward address. It reads this when it is imported.
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    loopback = "127.0.0.1"
    cluster = _module("ray.cluster_utils").Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0, "include_dashboard": False, "object_store_memory": 78_643_200, "node_ip_address": loopback,
        },
    )
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1, object_store_memory=78_643_200, node_ip_address=loopback, wait=False)
        cluster.wait_for_nodes(60)
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m calotype.ray", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", metavar="FOLDER", help="folder with a plan, which all nodes share")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--address", metavar="HOST:PORT", help="address of the cluster (default: the one Ray finds)")
    where.add_argument("--local", metavar="N", type=int, help="start N nodes on this machine instead, for a trial")
    parser.add_argument("--slots", metavar="N", type=int, help="shards of a node at a time")
    parser.add_argument("--scratch", metavar="FOLDER", help="folder on each node's disk for unfinished shards")
    parser.add_argument("--resource", metavar="NAME", help="use the nodes with this resource (default: those with a CPU)")
    parser.add_argument("--page", metavar="PORT", type=int, help="serve a progress page at this port of 127.0.0.1 (0: any free port)")
    parser.add_argument("--progress", choices=["line", "json", "none"], default="line", help="how to show progress")
    given = parser.parse_args(arguments)

    page: Optional[ProgressPage] = None

    def show(status: Status) -> None:
        if page:
            page.show(status.page_json())
        if given.progress == "json":
            print(status.json(), flush=True)
        elif given.progress == "line":
            print(status.text(), file=sys.stderr, flush=True)

    options = {"slots": given.slots, "scratch": given.scratch, "resource": given.resource}
    try:
        Plan(given.folder)
        if given.page is not None:
            page = ProgressPage(given.page)
            print(f"progress page: {page.address}", file=sys.stderr, flush=True)
        if given.local:
            with local_cluster(given.local) as address:
                make(given.folder, address=address, report=show, **options)
        else:
            make(given.folder, address=given.address, report=show, **options)
    except CalotypeError as error:
        print(f"calotype.ray: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("calotype.ray: interrupted; the same command continues", file=sys.stderr)
        return 130
    finally:
        if page:
            page.close()
    if given.progress == "line":
        print(f"done; for statistics, run: calotype dataset stats {given.folder} --html stats.html", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
