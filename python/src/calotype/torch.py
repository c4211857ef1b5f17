"""Samples for PyTorch's ``DataLoader``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Optional

import torch.distributed
import torch.utils.data

from ._shards import PathLike, samples_of, shards


class ShardDataset(torch.utils.data.IterableDataset[Any]):
    """The samples of a WebDataset that ``calotype dataset`` made, as an ``IterableDataset``.

    Each worker of each rank reads other shards, so make at least as many shards as there are workers. Their numbers of
    samples may differ. The order depends only on ``seed``, the epoch and the number of workers.

    Args:
        folder: The folder of the dataset.
        transform: What becomes of each sample, such as ``lambda sample: decode(sample["jpg"])``; samples are those of
            :func:`calotype.samples`. It runs in the workers.
        shuffle: The number of samples to choose the next one from; 0 keeps the order of the list.
        seed: Another seed gives another order.
    """

    def __init__(
        self, folder: PathLike, transform: Optional[Callable[[dict[str, Any]], Any]] = None, *, shuffle: int = 0, seed: int = 0
    ) -> None:
        super().__init__()
        self.paths = shards(folder)
        self.transform = transform
        self.shuffle = shuffle
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which changes the order; call it before each one, on all ranks."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        number, count = _place()
        paths = list(self.paths)
        if self.shuffle > 0:
            # The same on all workers, so that no shard is read twice.
            random.Random(f"{self.seed} {self.epoch}").shuffle(paths)
        found: Iterator[Any] = (sample for path in paths[number::count] for sample in samples_of(path))
        if self.shuffle > 0:
            found = _shuffled(found, self.shuffle, random.Random(f"{self.seed} {self.epoch} {number}"))
        return found if self.transform is None else map(self.transform, found)


def _place() -> tuple[int, int]:
    """Returns the number of this worker among those of all ranks, and their count."""
    rank, ranks = 0, 1
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        rank, ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()
    worker = torch.utils.data.get_worker_info()
    if worker is None:
        return rank, ranks
    return rank * worker.num_workers + worker.id, ranks * worker.num_workers


def _shuffled(items: Iterator[Any], size: int, chance: random.Random) -> Iterator[Any]:
    """Returns the items in another order, of which at most ``size`` are in memory."""
    waiting: list[Any] = []
    for item in items:
        if len(waiting) < size:
            waiting.append(item)
            continue
        place = chance.randrange(size)
        yield waiting[place]
        waiting[place] = item
    chance.shuffle(waiting)
    yield from waiting
