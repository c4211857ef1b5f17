"""Uploads a file by tuspy, a client of tus 1.0: `tuspy_upload.py URL FILE CHUNK_BYTES CHECKSUM`; prints where it went."""

import sys
from pathlib import Path

from tusclient.client import TusClient

url, path, chunk, checksum = sys.argv[1:]
uploader = TusClient(url).uploader(
    path, chunk_size=int(chunk), metadata={"filename": Path(path).name}, retries=5, retry_delay=0.2,
    upload_checksum=checksum == "checksum",
)
uploader.upload()
print(uploader.url)
