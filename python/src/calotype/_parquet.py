"""Reads lists in parquet, as lines of JSON, a batch at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ._command import CalotypeError

BATCH = 10_000
MAGIC = b"PAR1"


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise CalotypeError("reading parquet needs pyarrow; install it with: pip install 'calotype[parquet]'") from error
    return parquet


def is_parquet(path: Path) -> bool:
    """Whether ``path`` is a parquet file, or a folder that has some and no other files."""
    if path.is_dir():
        return any(path.glob("[!.]*.parquet"))
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def files(path: Path) -> list[Path]:
    """Returns the parquet files of a file or folder, in order."""
    return sorted(path.glob("[!.]*.parquet")) if path.is_dir() else [path]


def lines(path: Path, columns: Sequence[str] | None = None) -> Iterator[bytes]:
    """Returns the rows as lines of JSON; memory does not grow with the list.

    Values that JSON has no form for, such as dates, become text.
    """
    parquet = _pyarrow()
    for name in files(path):
        with parquet.ParquetFile(name) as file:
            missing = [column for column in columns or () if column not in file.schema_arrow.names]
            if missing:
                raise CalotypeError(f"{name} has no column {missing[0]}; it has {', '.join(file.schema_arrow.names)}")
            wanted = list(columns) if columns is not None else None
            for batch in file.iter_batches(batch_size=BATCH, columns=wanted):
                rows = batch.to_pylist()
                yield "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows).encode()
