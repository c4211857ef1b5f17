"""PNG files that are small on the wire and enormous in memory."""

import struct
import zlib
from pathlib import Path

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def write_bomb(path: Path, side: int = 65_000, rows: int | None = None):
    """Writes a black 1-bit PNG of side x side; with `rows`, only so many rows of it (a few kilobytes, and cut)."""
    if path.exists():
        return
    packer = zlib.compressobj(9)
    row = bytes(1 + (side + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(side if rows is None else rows)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    staging = path.with_suffix(".part")
    staging.write_bytes(SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
    staging.rename(path)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
