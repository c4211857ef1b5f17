"""Uploads some chunks of a file by tuspy, going on with an earlier upload where the file of URLs knows one:
`tuspy_chunks.py URL FILE URLS CHUNK_BYTES CHUNKS CHECKSUM`; prints where it began, where the upload is, and how far it is.
"""

import sys

from tusclient.client import TusClient
from tusclient.storage.filestorage import FileStorage

url, path, store, chunk, chunks, checksum = sys.argv[1:]
uploader = TusClient(url).uploader(
    path, chunk_size=int(chunk), store_url=True, url_storage=FileStorage(store), metadata={"filename": "a b.jpg"},
    upload_checksum=checksum == "checksum", retries=3, retry_delay=0,
)
print(uploader.offset)
for _ in range(int(chunks)):
    if uploader.offset < uploader.get_file_size():
        uploader.upload_chunk()
print(uploader.url)
print(uploader.offset)
