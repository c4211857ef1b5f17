"""TFRecord files, read back by code of its own."""

import os
import struct

import pytest

import calotype
from calotype import _tfrecord
from calotype._tfrecord import _slow_crc32c, crc32c, example

EXPECTED = (
    "0a560a0a0a016112050a030a01780a0d0a0166120812060a040000003f0a130a0169120e1a0c0a0affffffff"
    "ffffffffff010a0c0a016c12071a050a0301ac020a090a016e12040a020a000a0b0a017312060a040a02c3bc"
)

@pytest.mark.parametrize("function", [_slow_crc32c, crc32c])
def test_checksums_are_those_of_rfc_3720(function):
    assert function(b"123456789") == 0xE3069283
    assert function(bytes(32)) == 0x8A9136AA
    assert function(b"") == 0


def test_an_example_has_the_bytes_that_protobuf_writes():
    # By the tfrecord package 1.14.6 with protobuf 7.36.2.
    assert example({"a": b"x", "f": 0.5, "i": -1, "l": [1, 300], "n": None, "s": "ü"}).hex() == EXPECTED


def records(path):
    content, found, place = path.read_bytes(), [], 0
    while place < len(content):
        length, check = struct.unpack_from("<QI", content, place)
        data = content[place + 12 : place + 12 + length]
        assert check == unmasked(content[place : place + 8])
        assert struct.unpack_from("<I", content, place + 12 + length)[0] == unmasked(data)
        found.append(data)
        place += 16 + length
    return found


def unmasked(data):
    crc = _slow_crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def test_each_complete_shard_becomes_a_file_of_examples(folder):
    paths = calotype.tfrecords(folder, folder / "records")
    assert [path.name for path in paths] == ["00000.tfrecord", "00001.tfrecord", "00002.tfrecord"]
    found = records(paths[1])
    assert found == [
        example({"key": f"00001{n}", "jpg": bytes([1, n]), "txt": f"ü{n}", "n": n, "caption": f"ü{n}",
                 "url": f"http://a.test/00001{n}", "error_message": None})
        for n in range(4)
    ]


def test_a_file_is_complete_or_missing_and_written_once(folder, monkeypatch):
    monkeypatch.setattr(_tfrecord, "example", lambda values: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        calotype.tfrecords(folder)
    assert not [name for name in os.listdir(folder) if "tfrecord" in name]
    monkeypatch.undo()
    first = calotype.tfrecords(folder)
    before = [path.stat().st_ino for path in first]
    assert [path.stat().st_ino for path in calotype.tfrecords(folder)] == before
