"""The division of what hosts may be sent. It needs no command and no engine."""

import random

from calotype._budget import Budget, Demand


def test_one_node_receives_everything():
    budget = Budget(10.0, 8, lease=20)
    budget.report("a", {"h": Demand(100)}, 0)
    number, grants = budget.grant("a", 0.0)
    assert (grants["h"].rate, grants["h"].connections) == (10.0, 8)
    budget.report("a", {"h": Demand(92, 8)}, number)
    assert budget.grant("a", 1.0)[1]["h"].connections == 8


def test_a_second_node_waits_until_the_first_has_given_up_its_share():
    budget = Budget(None, 8, lease=20)
    budget.report("a", {"h": Demand(100)}, 0)
    first, _ = budget.grant("a", 0.0)
    budget.report("b", {"h": Demand(100)}, 0)
    assert "h" not in budget.grant("b", 0.0)[1]
    # The first is sent less, and has not confirmed it.
    second, grants = budget.grant("a", 1.0)
    assert grants["h"].connections == 4
    assert "h" not in budget.grant("b", 1.0)[1]
    # It has, and eight of its requests have not ended.
    budget.report("a", {"h": Demand(92, 8)}, second)
    assert "h" not in budget.grant("b", 2.0)[1]
    budget.report("a", {"h": Demand(92, 4)}, second)
    assert budget.grant("b", 3.0)[1]["h"].connections == 4
    assert first < second


def test_the_share_of_a_lost_node_is_free_when_its_lease_has_ended():
    budget = Budget(None, 4, lease=20)
    budget.report("a", {"h": Demand(10)}, 0)
    budget.grant("a", 0.0)
    budget.lose("a", 5.0)
    budget.report("b", {"h": Demand(10)}, 0)
    assert "h" not in budget.grant("b", 24.0)[1]
    assert budget.grant("b", 25.0)[1]["h"].connections == 4


def test_the_limits_hold_whenever_messages_arrive():
    """Nodes use all that they were granted, while messages are late and nodes are lost."""
    for seed in range(200):
        chance = random.Random(seed)
        connections, rate, lease = chance.randint(1, 9), chance.uniform(1, 50), 20.0
        budget = Budget(rate, connections, lease)
        nodes = {name: _Node() for name in "abcd"}
        last = {}
        for step in range(200):
            now = step * 0.5
            name = chance.choice(list(nodes))
            node = nodes[name]
            action = chance.random()
            if action < 0.4:
                number, grants = budget.grant(name, now)
                node.mail.append((number, grants))
            elif action < 0.7 and node.mail:
                node.number, node.grants = node.mail.pop(0)
            elif action < 0.9:
                demand = {host: Demand(chance.randint(1, 50), node.begun.get(host, 0)) for host in ("h", "i")}
                budget.report(name, demand, node.number)
            elif step % 40 == 39:
                budget.lose(name, now)
                last[f"{name}{step}"] = (now + lease, nodes.pop(name))
                nodes[f"{name}'"] = _Node()
            for other in nodes.values():
                other.use(chance)
            running = [*nodes.values(), *(lost for end, lost in last.values() if now < end)]
            for host in ("h", "i"):
                assert sum(other.begun.get(host, 0) for other in running) <= connections, (seed, step)
                assert sum(other.grants[host].rate for other in running if host in other.grants) <= rate + 1e-9, (seed, step)


class _Node:
    def __init__(self):
        self.mail, self.number, self.grants, self.begun = [], 0, {}, {}

    def use(self, chance):
        for host in ("h", "i"):
            most = self.grants[host].connections if host in self.grants else 0
            begun = self.begun.get(host, 0)
            # Requests end when they like, and begin only within the grant.
            begun -= chance.randint(0, begun)
            self.begun[host] = chance.randint(begun, most) if most > begun else begun


def test_many_nodes_together_receive_the_whole_rate_and_take_turns():
    """With more nodes than connections, shares of the rate went to nodes that could not use them."""
    budget = Budget(20.0, 8, lease=20)
    names = [f"n{number}" for number in range(40)]
    # Nodes with little demand must have their turn, too.
    demand = {name: {"h": Demand(1 + number * 100)} for number, name in enumerate(names)}
    grants, numbers, served, sums = {}, dict.fromkeys(names, 0), set(), []
    for second in range(400):
        for name in names:
            budget.report(name, demand[name], numbers[name])
            numbers[name], sent = budget.grant(name, float(second))
            grants[name] = sent["h"].rate if "h" in sent else 0.0
            served |= {name} if "h" in sent else set()
        sums.append(sum(grants.values()))
    assert served == set(names)
    assert max(sums) <= 20.0 + 1e-9
    assert sum(sums) / len(sums) > 0.9 * 20.0


def test_a_node_with_hardly_any_demand_has_its_share():
    """Otherwise its last images of a host would wait until all other nodes have none."""
    budget = Budget(20.0, 8, lease=20)
    demand = {f"n{number}": {"h": Demand(1 if number == 0 else 10_000)} for number in range(8)}
    for name in demand:
        budget.report(name, demand[name], 0)
    numbers, sums, served = dict.fromkeys(demand, 0), [], 0
    for second in range(20):
        grants = {}
        for name in demand:
            budget.report(name, demand[name], numbers[name])
            numbers[name], grants[name] = budget.grant(name, float(second))
        served += "h" in grants["n0"]
        sums.append(sum(sent["h"].rate for sent in grants.values() if "h" in sent))
    assert served > 15
    assert max(sums) <= 20.0 + 1e-9 and sums[-1] > 0.9 * 20.0


def test_a_worker_that_replaces_a_lost_one_does_not_free_its_share():
    budget = Budget(None, 4, lease=20)
    budget.report("a", {"h": Demand(10)}, 0)
    budget.grant("a", 0.0)
    budget.lose("a", 1.0)
    budget.report("a", {"h": Demand(10)}, 0)
    budget.report("b", {"h": Demand(10)}, 0)
    assert "h" not in budget.grant("a", 2.0)[1] and "h" not in budget.grant("b", 2.0)[1]
    number, grants = budget.grant("a", 21.0)
    assert grants["h"].connections == 2
    # Its own grants outlast those of the one before.
    assert budget.grant("b", 22.0)[1]["h"].connections == 2


def test_nothing_is_remembered_of_hosts_that_nobody_wants():
    budget = Budget(10.0, 8, lease=20)
    budget.report("a", {"h": Demand(3, 1)}, 0)
    number, _ = budget.grant("a", 0.0)
    budget.report("a", {}, number + 1)
    budget.report("b", {"i": Demand(3)}, 0)
    budget.grant("b", 1.0)
    budget.lose("b", 2.0)
    budget.grant("a", 30.0)
    assert budget._hosts == {} and budget._lost == []
