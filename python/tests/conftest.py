"""A dataset that was made by hand, for tests without the command."""

import io
import json
import tarfile
from pathlib import Path

import pytest


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    """Three shards of four samples, and one that is not complete."""
    for shard in range(4):
        with tarfile.open(tmp_path / f"{shard:05}.tar", "w") as tar:
            for number in range(4):
                key = f"{shard:05}{number}"
                about = {"n": number, "caption": f"ü{number}", "url": f"http://a.test/{key}", "key": key, "error_message": None}
                for ending, content in [("jpg", bytes([shard, number])), ("json", json.dumps(about).encode()),
                                        ("txt", about["caption"].encode())]:
                    member = tarfile.TarInfo(f"{key}.{ending}")
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))
        if shard < 3:
            (tmp_path / f"{shard:05}_stats.json").write_text("{}")
    return tmp_path
