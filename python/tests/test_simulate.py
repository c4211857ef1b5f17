"""The simulated cluster. It needs no command and no engine."""

from dataclasses import replace

import pytest

from simulate import Setting, simulate

SHORT = Setting(urls=2000, hosts=20, zipf=0.8, dead=0, rate=10, connections=4, shard=16, slots=8, latency=0.075, loss=0, step=0.5)
LONG = Setting(urls=1_000_000, hosts=20_000, zipf=0.9, shard=1000, rate=200, connections=80)


def with_nodes(setting, nodes, **changes):
    return replace(setting, nodes=nodes, **changes)


SETTINGS = [with_nodes(SHORT, nodes) for nodes in (1, 3, 7)] + [with_nodes(LONG, nodes, loss=1000.0) for nodes in (1, 10, 100)]


@pytest.fixture(scope="module")
def results():
    return [simulate(setting) for setting in SETTINGS]


def test_no_cluster_is_faster_than_its_hosts_allow(results):
    for result in results:
        assert result.time >= result.setting.bound
        for time, share in result.curve:
            assert share <= result.setting.most_by(time) + 1e-9


def test_each_url_is_made_once_besides_those_of_lost_nodes(results):
    assert sum(result.lost for result in results) > 0
    for result in results:
        assert result.made - result.wasted == pytest.approx(result.setting.urls, rel=1e-9)
        assert sum(each.urls for each in result.setting.classes) == pytest.approx(result.setting.urls, rel=1e-9)
        assert result.curve[-1] == (result.time, pytest.approx(1, rel=1e-9))


def test_no_host_is_sent_more_than_it_allows(results):
    for result in results:
        assert 0.9 < result.peak <= 1 + 1e-9


def test_more_nodes_hardly_cost_time(results):
    for fewer, more in zip(results, results[1:]):
        if fewer.setting.urls == more.setting.urls:
            assert more.time < fewer.time * 1.2


def test_a_seed_always_gives_the_same_run(results):
    again = simulate(SETTINGS[1])
    assert (again.time, again.curve) == (results[1].time, results[1].curve)
    assert simulate(with_nodes(SETTINGS[1], 3, seed=2)).curve != results[1].curve


@pytest.mark.parametrize(
    ("name", "change"),
    [("storage", {"storage": 2e7}), ("names", {"lookups": 100.0, "lifetime": 0.0}), ("processors", {"cores": 1})],
)
def test_each_limit_of_the_machines_counts(name, change):
    result = simulate(with_nodes(LONG, 4, loss=0.0, rate=0.0, connections=10_000, reported=100_000, **change))
    assert result.limits[name] > 0.5 * sum(result.limits.values())


def test_others_do_not_wait_for_the_largest_hosts():
    urls = 10_000_000
    setting = Setting(nodes=10, urls=urls, hosts=50_000, loss=0.0)
    whole, tailed = [simulate(replace(setting, tail=tail)) for tail in (urls, 500)]
    assert tailed.time_of(0.4) < 0.5 * whole.time_of(0.4)
    assert tailed.time < 1.1 * whole.time
    assert tailed.made == pytest.approx(urls, rel=1e-9)


def test_turns_at_a_host_cost_little():
    """Long runs assume that they cost nothing."""
    one = Setting(nodes=40, urls=8000, hosts=1, dead=0, rate=20, connections=8, shard=50, latency=0.075, loss=0, step=0.5)
    result = simulate(one)
    used = 0.8 * one.urls / (result.time_of(0.9) - result.time_of(0.1)) / one.rate
    assert 0.95 < used <= 1 + 1e-9
