"""The driver with a stand-in for Ray and for the workers; nothing is started."""

import itertools
import json

import pytest

import calotype.ray
from calotype import CalotypeError


class StandIn:
    """What the driver uses of Ray. Calls are made at once, and `reports` says what a node reports to its orders."""

    class exceptions:  # noqa: N801: Ray's own name
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            pass

    def __init__(self, nodes, reports):
        self.names, self.reports = nodes, reports
        self.util = self
        self.scheduling_strategies = self
        self.orders = {name: [] for name in nodes}
        self.killed = []

    def nodes(self):
        return [{"NodeID": name, "Alive": True, "Resources": {"CPU": 1}} for name in self.names]

    def NodeAffinitySchedulingStrategy(self, name, soft):  # noqa: N802: Ray's own name
        assert not soft
        return name

    def remote(self, cls):
        return self

    def options(self, *, scheduling_strategy, **others):
        assert others == {"num_cpus": 0, "max_restarts": 0, "max_task_retries": 0}
        return Maker(self, scheduling_strategy)

    def wait(self, refs, num_returns, timeout):
        return refs[:num_returns], refs[num_returns:]

    def get(self, ref, timeout=None):
        return ref()

    def kill(self, actor):
        self.killed.append(actor.name)


class Maker:
    def __init__(self, ray, name):
        self.ray, self.name = ray, name

    def remote(self, *arguments):
        return Actor(self.ray, self.name)


class Actor:
    def __init__(self, ray, name):
        self.ray, self.name = ray, name
        self.step = Method(lambda orders: self._step(orders))
        self.close = Method(lambda: 0)

    def _step(self, orders):
        self.ray.orders[self.name] += orders
        return self.ray.reports(self.name, orders)


class Method:
    def __init__(self, body):
        self.body = body

    def remote(self, *arguments):
        return lambda: self.body(*arguments)


@pytest.fixture
def drive(tmp_path, monkeypatch):
    plan = tmp_path / ".calotype" / "plan"
    plan.mkdir(parents=True)
    (plan / "manifest").write_text("calotype plan 1\nsamples 12\nsamples-per-shard 2\noption --per-host=4\n")
    (plan / "order").write_text("".join(f"0000{number}\n" for number in range(6)))
    ticks = itertools.count()
    monkeypatch.setattr(calotype.ray.time, "monotonic", lambda: next(ticks) * 0.25)
    monkeypatch.setattr(calotype.ray.time, "sleep", lambda seconds: None)

    def run(nodes, reports, tail=0, complete=()):
        done(tmp_path, complete)
        with (plan / "manifest").open("a") as manifest:
            manifest.write(f"tail-shards {tail}\n")
        ray = StandIn(nodes, lambda name, orders: reports(tmp_path, name, orders))
        monkeypatch.setattr(calotype.ray, "_module", lambda name: ray)
        driver = calotype.ray.Driver(tmp_path)
        driver.run()
        return driver, ray

    return run


def shards_of(orders):
    return [order["id"] for order in orders if order["op"] == "shard"]


def done(folder, shards):
    """Completes shards, as a worker does."""
    for shard in shards:
        (folder / f"{shard}_stats.json").touch()
    return [{"event": "done", "id": shard} for shard in shards]


def complete(folder, orders):
    """Says hello, or completes the shards that were ordered."""
    return done(folder, shards_of(orders)) if orders else [{"event": "hello", "slots": 2}]


def ordered(ray):
    return [shard for orders in ray.orders.values() for shard in shards_of(orders)]


def test_each_shard_is_handed_out_once_and_each_order_renews_the_lease(drive):
    driver, ray = drive(["a", "b"], lambda folder, name, orders: complete(folder, orders))
    assert sorted(ordered(ray)) == driver.plan.shards and driver.status().done == 6
    for orders in ray.orders.values():
        leases = [order for order in orders if order["op"] == "lease"]
        budgets = [order for order in orders if order["op"] == "budget"]
        assert len(leases) == len(budgets) and all(order["default_connections"] == 0 for order in budgets)
    assert sorted(ray.killed) == ["a", "b"]
    assert [path.name for path in (driver.plan.folder / ".calotype").iterdir()] == ["plan"]


def test_the_status_says_what_each_node_does(drive, monkeypatch):
    statuses = []
    run = calotype.ray.Driver.run
    monkeypatch.setattr(calotype.ray.Driver, "run", lambda driver: run(driver, statuses.append))

    def reports(folder, name, orders):
        if not orders:
            return complete(folder, orders)
        progress = {"event": "progress", "images_per_second": 2.5, "ok": 7, "failed": 1}
        return [{"event": "heartbeat", "lease_s": 8.5 if name == "a" else 9.5}, progress, *complete(folder, orders)]

    drive(["b", "a"], reports)
    lines = [json.loads(status.json()) for status in statuses]
    assert any(line["lease_s"] == 8.5 and line["images_per_second"] == 5 and line["ok"] == 14 for line in lines)
    assert not any("by_node" in line for line in lines)
    nodes = [json.loads(status.page_json())["by_node"] for status in statuses]
    assert any({(node["node"], node["lease_s"], node["failed"]) for node in each} == {("a", 8.5, 1), ("b", 9.5, 1)} for each in nodes)


def test_the_tail_is_made_beside_the_other_shards(drive):
    """A node has two shards of the tail besides its slots; when there are no others, any number."""
    steps = []

    def reports(folder, name, orders):
        if not orders:
            return complete(folder, orders)
        steps.append(shards_of(orders))
        # Shards of the tail take longer.
        return done(folder, [shard for shard in sum(steps, []) if shard < "00003" or len(steps) > 5])

    driver, ray = drive(["a"], reports, tail=3)
    assert driver.status().done == 6 and ordered(ray) == ["00000", "00001", "00003", "00004", "00002", "00005"]
    assert steps[0] == ["00000", "00001", "00003", "00004"]


def test_a_node_is_given_nothing_before_it_says_hello(drive):
    steps = []

    def reports(folder, name, orders):
        steps.append(shards_of(orders))
        if len(steps) < 4:
            return []
        return [{"event": "hello", "slots": 2}, *done(folder, sum(steps, []))]

    driver, ray = drive(["a"], reports, tail=3)
    assert driver.status().done == 6 and steps[:4] == [[]] * 4


def test_the_last_shards_of_the_tail_are_shared(drive):
    """Each node receives its part of what is left."""
    given = {"a": [], "b": []}
    steps = []

    def reports(folder, name, orders):
        steps.append(name)
        given[name] += shards_of(orders)
        # Nothing is complete before both have had their turn.
        return complete(folder, []) if not orders else done(folder, given[name] if len(steps) > 8 else [])

    drive(["a", "b"], reports, tail=2, complete=["00000", "00001", "00002", "00003"])
    assert sorted(map(len, given.values())) == [1, 1]


def test_the_shards_of_a_lost_node_go_to_others_unless_they_are_complete(drive):
    def reports(folder, name, orders):
        shards = shards_of(orders)
        if name == "a" and shards:
            # One is complete, and no message says so.
            complete(folder, orders[-1:])
            raise StandIn.exceptions.RayError
        return complete(folder, orders)

    driver, ray = drive(["a", "b"], reports)
    assert driver.status().done == 6 and driver.status().lost > 0
    again = ordered(ray)
    assert set(again) == set(driver.plan.shards) and len(again) > 6


def test_a_shard_without_a_lease_is_tried_again(drive):
    refused = []

    def reports(folder, name, orders):
        for order in orders:
            if order["op"] == "shard" and len(refused) < 2 * calotype.ray.ATTEMPTS:
                refused.append(order["id"])
                fail = {"event": "fail", "id": order["id"], "class": "lease", "retryable": True}
                return [fail, *complete(folder, [other for other in orders if other is not order])]
        return complete(folder, orders)

    assert drive(["a"], reports)[0].status().done == 6


@pytest.mark.parametrize("kind, message", [("plan", "cannot be made: bad"), ("storage", "has failed 10 times: bad")])
def test_a_shard_that_cannot_be_made_ends_the_run(drive, kind, message):
    def reports(folder, name, orders):
        shards = shards_of(orders)
        fails = [{"event": "fail", "id": shard, "class": kind, "retryable": kind != "plan", "reason": "bad"} for shard in shards]
        return fails or complete(folder, orders)

    with pytest.raises(CalotypeError, match=message):
        drive(["a"], reports)


def test_a_node_whose_workers_end_at_once_is_left_out(drive):
    def reports(folder, name, orders):
        if name == "a":
            raise StandIn.exceptions.RayTaskError("calotype worker: it is not the folder that the driver sees")
        return complete(folder, orders)

    driver, ray = drive(["a", "b"], reports)
    assert driver.status().done == 6 and ray.killed.count("a") <= calotype.ray.STARTS


def test_a_run_ends_if_no_node_can_run_a_worker(drive):
    def reports(folder, name, orders):
        raise StandIn.exceptions.RayTaskError("the calotype command is missing")

    with pytest.raises(CalotypeError, match="no node can run a worker: a: the calotype command is missing"):
        drive(["a"], reports)


def test_an_interrupted_run_says_how_to_continue(tmp_path, monkeypatch, capsys):
    plan = tmp_path / ".calotype" / "plan"
    plan.mkdir(parents=True)
    (plan / "manifest").write_text("calotype plan 1\nsamples 1\nsamples-per-shard 1\n")
    (plan / "order").write_text("00000\n")

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(calotype.ray, "make", interrupt)
    assert calotype.ray.main([str(tmp_path), "--page", "0"]) == 130
    shown = capsys.readouterr().err
    assert "progress page: http://127.0.0.1:" in shown and "interrupted; the same command continues" in shown
