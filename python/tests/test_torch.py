"""Samples for PyTorch. PyTorch has gigabytes, so these tests have the three things of it that the module uses."""

import importlib
import sys
import types

import pytest

STATE = types.SimpleNamespace(rank=0, ranks=1, worker=None)


class IterableDataset:
    def __class_getitem__(cls, item):
        return cls


@pytest.fixture()
def module(monkeypatch):
    torch, distributed, utils, data = (types.ModuleType(name) for name in ("torch", "distributed", "utils", "data"))
    distributed.is_available = distributed.is_initialized = lambda: True
    distributed.get_rank, distributed.get_world_size = (lambda: STATE.rank), (lambda: STATE.ranks)
    data.IterableDataset, data.get_worker_info = IterableDataset, (lambda: STATE.worker)
    torch.distributed, torch.utils, utils.data = distributed, utils, data
    for name, part in {"torch": torch, "torch.distributed": distributed, "torch.utils": utils, "torch.utils.data": data}.items():
        monkeypatch.setitem(sys.modules, name, part)
    monkeypatch.delitem(sys.modules, "calotype.torch", raising=False)
    yield importlib.import_module("calotype.torch")
    sys.modules.pop("calotype.torch", None)


def keys(dataset, ranks=1, workers=0):
    found = []
    for rank in range(ranks):
        for worker in range(max(workers, 1)):
            STATE.rank, STATE.ranks = rank, ranks
            STATE.worker = types.SimpleNamespace(id=worker, num_workers=workers) if workers else None
            found.append([sample["__key__"] for sample in dataset])
    return found


ALL = [f"{shard:05}{number}" for shard in range(3) for number in range(4)]


def test_without_workers_all_samples_come_in_order(module, folder):
    assert keys(module.ShardDataset(folder)) == [ALL]


@pytest.mark.parametrize("shuffle", [0, 3])
@pytest.mark.parametrize(("ranks", "workers"), [(1, 2), (2, 0), (2, 2), (4, 3)])
def test_workers_of_all_ranks_share_the_samples(module, folder, ranks, workers, shuffle):
    parts = keys(module.ShardDataset(folder, shuffle=shuffle), ranks, workers)
    assert sorted(key for part in parts for key in part) == ALL


def test_the_order_depends_on_the_seed_and_the_epoch(module, folder):
    dataset = module.ShardDataset(folder, shuffle=5, seed=1)
    first = keys(dataset)
    assert first == keys(dataset) and sorted(first[0]) == ALL and first[0] != ALL
    dataset.set_epoch(1)
    second = keys(dataset)
    assert second != first
    assert keys(module.ShardDataset(folder, shuffle=5, seed=2)) not in (first, second)


def test_a_transform_is_applied(module, folder):
    assert list(module.ShardDataset(folder, lambda sample: sample["json"]["n"]))[:5] == [0, 1, 2, 3, 0]
