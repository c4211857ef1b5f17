"""Datasets of images from lists of URLs, by the ``calotype`` command."""

from ._command import CalotypeError, CommandFailed, CommandNotFound, binary
from ._dataset import Dataset, Result, dataset, results
from ._shards import samples, shards
from ._tfrecord import tfrecords

__all__ = [
    "CalotypeError",
    "CommandFailed",
    "CommandNotFound",
    "Dataset",
    "Result",
    "binary",
    "dataset",
    "results",
    "samples",
    "shards",
    "tfrecords",
]
