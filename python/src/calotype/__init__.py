"""Datasets of images from lists of URLs, by the ``calotype`` command."""

from ._command import CalotypeError, CommandFailed, CommandNotFound, binary
from ._dataset import Dataset, Result, dataset, results
from ._plan import Plan
from ._share import make_shards
from ._shards import samples, shards
from ._tfrecord import tfrecords

__all__ = [
    "CalotypeError",
    "CommandFailed",
    "CommandNotFound",
    "Dataset",
    "Plan",
    "Result",
    "binary",
    "dataset",
    "make_shards",
    "results",
    "samples",
    "shards",
    "tfrecords",
]
