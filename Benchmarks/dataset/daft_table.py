"""Daft's own download, decode, resize and encode of a list, to Parquet files: Benchmarks/dataset/daft_table.py LIST OUTPUT

Its resize has no border and its encoder no quality, so it makes less than the others.
"""

import sys
from pathlib import Path

import daft
from daft import col
from daft.functions import decode_image, download, encode_image, resize

urls = Path(sys.argv[1]).read_text().split()
content = download(col("url"), max_connections=64, on_error="null")
picture = resize(decode_image(content, on_error="null"), 256, 256)
daft.from_pydict({"url": urls}).with_column("jpg", encode_image(picture, "JPEG")).write_parquet(sys.argv[2])
