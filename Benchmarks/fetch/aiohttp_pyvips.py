"""The script to beat: aiohttp downloads with 64 connections, libvips makes thumbnails on two threads.

  aiohttp_pyvips.py LIST OUTPUT_FOLDER BOX QUALITY
"""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import aiohttp
import pyvips

import pyvips_thumbs

CONNECTIONS = 64


async def main():
    urls, folder = Path(sys.argv[1]).read_text().splitlines(), Path(sys.argv[2])
    box, quality = int(sys.argv[3]), int(sys.argv[4])
    pyvips.cache_set_max(0)
    threads, queue = ThreadPoolExecutor(2), iter(list(enumerate(urls)))

    def make(index: int, data: bytes):
        image = pyvips_thumbs.thumbnail(data, box)
        (folder / f"{index:09}.jpg").write_bytes(pyvips_thumbs.encoded(image, quality))

    async def worker(session: aiohttp.ClientSession):
        for index, url in queue:
            try:
                async with session.get(url) as answer:
                    answer.raise_for_status()
                    data = await answer.read()
                await asyncio.get_running_loop().run_in_executor(threads, make, index, data)
            except Exception as error:
                print(url, error, file=sys.stderr)

    limits = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONNECTIONS), timeout=limits) as session:
        await asyncio.gather(*(worker(session) for _ in range(CONNECTIONS)))


asyncio.run(main())
