"""Reads the shards of a dataset."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Union

PathLike = Union[str, Path]


def shards(folder: PathLike) -> list[Path]:
    """Returns the complete shards of a WebDataset, in order, for ``webdataset.WebDataset`` or :func:`samples`.

    A shard is complete when its ``_stats.json`` is there, which the command writes last.
    """
    root = Path(folder)
    return sorted(path for path in root.glob("[!.]*.tar") if (root / f"{path.stem}_stats.json").exists())


def samples(folder: PathLike, *, worker: int = 0, workers: int = 1) -> Iterator[dict[str, Any]]:
    """Returns the samples of a WebDataset one after the other, without the webdataset package.

    A sample has ``__key__``, the encoded image under its extension, such as ``jpg``, its metadata under ``json``, and its
    caption under ``txt`` if the dataset has captions. With ``workers``, each worker receives every ``workers``-th shard, as
    the workers of a PyTorch ``DataLoader`` need it.
    """
    for path in shards(folder)[worker::workers]:
        yield from samples_of(path)


def samples_of(path: Path) -> Iterator[dict[str, Any]]:
    """Returns the samples of one shard."""
    sample: dict[str, Any] = {}
    with tarfile.open(path, "r|") as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is None:
                continue
            key, _, extension = member.name.rpartition("/")[2].partition(".")
            if sample and sample["__key__"] != key:
                yield sample
                sample = {}
            content: Any = file.read()
            if extension == "json":
                content = json.loads(content)
            elif extension == "txt":
                content = content.decode()
            sample["__key__"] = key
            sample[extension] = content
    if sample:
        yield sample
