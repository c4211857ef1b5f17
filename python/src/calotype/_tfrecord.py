"""Writes the samples of a dataset as TFRecord files, without tensorflow."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO, Optional

from ._shards import PathLike, samples_of, shards

POLYNOMIAL = 0x82F63B78  # CRC-32C, reflected
MASK = 0xA282EAD8


def tfrecords(folder: PathLike, output: Optional[PathLike] = None) -> list[Path]:
    """Converts each complete shard of a WebDataset to a TFRecord file; returns the files, in order.

    Records are ``tf.train.Example`` with img2dataset's features: ``key``, the image under its extension, ``txt`` if the
    dataset has captions, and each value of the metadata; what is not a number is bytes, and null is empty. A file appears
    only when it is complete, and one that is newer than its shard is not written again.

    Checksums take most of the time; ``pip install 'calotype[tfrecord]'`` makes them about 100 times as fast.

    Args:
        folder: The folder of the dataset.
        output: The folder of the TFRecord files, created if it is missing; ``folder`` by default.
    """
    root = Path(output if output is not None else folder)
    root.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for shard in shards(folder):
        path = root / f"{shard.stem}.tfrecord"
        if not path.exists() or path.stat().st_mtime_ns < shard.stat().st_mtime_ns:
            # Not an ending that readers look for.
            partial = root / f".{path.name}.{os.getpid()}.part"
            try:
                with open(partial, "wb") as file:
                    for sample in samples_of(shard):
                        write_record(file, example(features(sample)))
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(partial, path)
            finally:
                partial.unlink(missing_ok=True)
        written.append(path)
    return written


def features(sample: dict[str, Any]) -> dict[str, Any]:
    """Returns img2dataset's features of a sample of :func:`calotype.samples`."""
    found = {"key": sample["__key__"], **{name: sample[name] for name in sample if name not in ("__key__", "json")}}
    return {**found, **sample["json"]}


def example(values: dict[str, Any]) -> bytes:
    """Returns a serialised ``tf.train.Example``: integers, floats, lists of them, and bytes for everything else."""
    entries = (_field(1, _field(1, name.encode()) + _field(2, _feature(values[name]))) for name in sorted(values))
    return _field(1, b"".join(entries))


def write_record(file: BinaryIO, data: bytes) -> None:
    """Writes a record: its length and itself, each with a masked CRC-32C."""
    length = struct.pack("<Q", len(data))
    file.write(length + _masked(length) + data + _masked(data))


def _feature(value: Any) -> bytes:
    values = value if isinstance(value, list) else [value]
    if values and all(isinstance(part, int) and not isinstance(part, bool) for part in values):
        return _field(3, _field(1, b"".join(_varint(part & (1 << 64) - 1) for part in values)))
    if values and all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in values):
        return _field(2, _field(1, struct.pack(f"<{len(values)}f", *values)))
    return _field(1, b"".join(_field(1, _bytes(part)) for part in values))


def _bytes(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode()


def _field(number: int, content: bytes) -> bytes:
    """Returns a length-delimited field of a protocol buffer."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def _masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + MASK) & 0xFFFFFFFF)


def _table() -> list[int]:
    def entry(value: int) -> int:
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        return value

    return [entry(value) for value in range(256)]


TABLE = _table()


def _slow_crc32c(data: Iterable[int]) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _crc32c() -> Callable[[bytes], int]:
    try:
        import google_crc32c
    except ImportError:
        return _slow_crc32c
    value: Callable[[bytes], int] = google_crc32c.value
    return value


crc32c = _crc32c()
