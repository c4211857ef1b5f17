"""The package with the real command, and its test server as the origin. Skipped without a binary."""

import json
import os
import subprocess
import urllib.request

import pytest

import calotype
from calotype._command import CommandFailed, known_options
from calotype.img2dataset import UnsupportedArgument, download, options_for

BINARY = os.environ.get("CALOTYPE_BINARY")
pytestmark = pytest.mark.skipif(not BINARY, reason="CALOTYPE_BINARY names no command")


@pytest.fixture(scope="module")
def urls():
    origin = subprocess.Popen(
        [BINARY, "origin", "--count", "12"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        address = origin.stdout.readline().rsplit(" ", 1)[-1].strip()
        with urllib.request.urlopen(f"{address}/list.txt") as response:
            names = [line.replace("/pictures/", "/small/") for line in response.read().decode().split()]
        yield [*names, f"{address}/status/404"]
    finally:
        origin.terminate()
        origin.wait()


def test_urls_become_results_and_samples(urls, tmp_path):
    run = calotype.dataset(urls, tmp_path / "out", allow_private=True, image_size=64, number_sample_per_shard=5)
    results = list(run)
    assert run.exit_code == 1
    assert sorted(result.url for result in results) == sorted(urls)
    assert [result.error_code for result in results if not result.ok] == ["http_404"]
    assert len({result.key for result in results}) == len(urls)
    samples = list(calotype.samples(tmp_path / "out"))
    assert len(samples) == len(urls) - 1
    assert all(sample["jpg"].startswith(b"\xff\xd8") and sample["json"]["key"] == sample["__key__"] for sample in samples)
    halves = [list(calotype.samples(tmp_path / "out", worker=worker, workers=2)) for worker in range(2)]
    assert sorted(sample["__key__"] for half in halves for sample in half) == [sample["__key__"] for sample in samples]
    assert {result.key for result in calotype.results(tmp_path / "out")} == {result.key for result in results}


def test_webdataset_reads_the_shards(urls, tmp_path):
    webdataset = pytest.importorskip("webdataset")
    calotype.dataset(urls, tmp_path / "out", allow_private=True, image_size=32).run()
    shards = [str(path) for path in calotype.shards(tmp_path / "out")]
    assert len(list(webdataset.WebDataset(shards, shardshuffle=False))) == len(urls) - 1


def test_parquet_is_read_with_its_columns(urls, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    table = pyarrow.table({"link": urls, "text": [None, *[f"ü{n}" for n in range(1, len(urls))]], "n": list(range(len(urls)))})
    parquet.write_table(table, tmp_path / "list.parquet")
    run = calotype.dataset(
        tmp_path / "list.parquet", tmp_path / "out", url_col="link", caption_col="text", columns=["n"],
        allow_private=True, image_size=32,
    )
    captions = {result.url: result.columns["caption"] for result in run}
    assert captions == dict(zip(urls, table["text"].to_pylist()))
    with pytest.raises(calotype.CalotypeError, match="no column"):
        list(calotype.dataset(tmp_path / "list.parquet", tmp_path / "no", url_col="missing"))


def test_download_takes_img2datasets_arguments(urls, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("url,caption\n" + "".join(f"{url},c{n}\n" for n, url in enumerate(urls)))
    run = download(
        str(path), str(tmp_path / "out"), input_format="csv", caption_col="caption", image_size=48,
        output_format="webdataset", processes_count=4, thread_count=8, calotype_options={"allow_private": True},
    )
    assert run.exit_code == 1
    sample = next(calotype.samples(tmp_path / "out"))
    assert sample["txt"] == "c0" and sample["json"]["width"] == 48
    with pytest.raises(UnsupportedArgument):
        download(str(path), str(tmp_path / "other"), distributor="ray")
    assert not (tmp_path / "other").exists()


def test_tfrecord_is_written_beside_the_shards(urls, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("\n".join(urls))
    download(str(path), str(tmp_path / "out"), output_format="tfrecord", image_size=48, number_sample_per_shard=8,
             calotype_options={"allow_private": True})
    assert [path.name for path in sorted((tmp_path / "out").glob("*.tfrecord"))] == ["00000.tfrecord", "00001.tfrecord"]
    for sample in calotype.samples(tmp_path / "out"):
        assert sample["jpg"] in (tmp_path / "out" / f"{sample['__key__'][:5]}.tfrecord").read_bytes()
    assert subprocess.run([BINARY, "dataset", "verify", tmp_path / "out"], check=False).returncode == 0


def test_every_option_of_the_table_is_known_to_the_command():
    emitted = options_for({
        "resize_only_if_bigger": True, "skip_reencode": True, "disable_all_reencoding": True, "min_image_size": 1,
        "max_image_area": 9, "max_aspect_ratio": 2, "user_agent_token": "x", "thread_count": 1, "retries": 1, "timeout": 1,
        "extract_exif": False, "caption_col": "c", "save_additional_columns": ["a"], "input_format": "csv",
        "verify_hash": ["h", "sha256"], "disallowed_header_directives": [],
    })
    missing = {"--" + name.replace("_", "-") for name in emitted} - known_options(BINARY)
    assert not missing


def test_leaving_early_interrupts_the_command_and_keeps_what_is_complete(urls, tmp_path):
    with calotype.dataset(urls * 20, tmp_path / "out", allow_private=True, image_size=32, number_sample_per_shard=4) as run:
        first = next(run)
    assert first.shard and run.exit_code is not None
    complete = json.loads((tmp_path / "out" / f"{first.shard}_stats.json").read_text())
    assert complete["count"] == 4


def test_a_list_that_cannot_be_used_is_an_error_with_the_commands_words(tmp_path):
    with pytest.raises(CommandFailed) as caught:
        list(calotype.dataset(tmp_path / "missing.txt", tmp_path / "out"))
    assert caught.value.code == 2 and "missing.txt" in str(caught.value)


def test_two_processes_share_a_plan(urls, tmp_path):
    (tmp_path / "urls.txt").write_text("\n".join(urls))
    subprocess.run(
        [BINARY, "dataset", "plan", tmp_path / "urls.txt", tmp_path / "out", "--number-sample-per-shard", "5", "--image-size=32",
         "--allow-private"], check=True,
    )  # fmt: skip
    plan = calotype.Plan(tmp_path / "out")
    assert plan.samples == len(urls) and plan.options["image-size"] == "32" and plan.options["allow-private"] is None
    assert plan.undone() == plan.shards == ["00000", "00001", "00002"]
    assert calotype.make_shards(tmp_path / "out", plan.shards[:2], slots=2) == 2
    assert calotype.make_shards(tmp_path / "out", plan.shards) == 1
    assert plan.undone() == [] and calotype.make_shards(tmp_path / "out", plan.shards) == 0
    assert [result.url for result in calotype.results(tmp_path / "out")] == urls
    with pytest.raises(calotype.CalotypeError, match="no such shard"):
        calotype.make_shards(tmp_path / "out", ["00007"])
    with pytest.raises(calotype.CalotypeError, match="has no plan"):
        calotype.Plan(tmp_path)


def test_a_bucket_needs_a_folder_for_the_results(tmp_path):
    with pytest.raises(calotype.CalotypeError, match="needs work=FOLDER"):
        calotype.dataset(["http://127.0.0.1/a.jpg"], "s3://pictures/cats")
    run = calotype.dataset(["http://127.0.0.1/a.jpg"], "s3://pictures/cats", work=str(tmp_path))
    assert "s3://pictures/cats" in run.command and f"--work={tmp_path}" in run.command
    assert run.output == tmp_path
    with pytest.raises(UnsupportedArgument, match="made in a folder"):
        download("list.txt", "s3://pictures/cats", output_format="tfrecord")
