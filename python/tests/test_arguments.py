"""The table of img2dataset's arguments, without the command."""

import math

import pytest

from calotype._command import option_arguments
from calotype.img2dataset import ARGUMENTS, UnsupportedArgument, options_for

NAMES = """
url_list image_size output_folder processes_count resize_mode resize_only_if_bigger upscale_interpolation
downscale_interpolation encode_quality encode_format skip_reencode output_format input_format url_col caption_col bbox_col
thread_count number_sample_per_shard extract_exif save_additional_columns timeout enable_wandb wandb_project
oom_shard_count compute_hash verify_hash distributor subjob_size retries disable_all_reencoding min_image_size
max_image_area max_aspect_ratio incremental_mode max_shard_retry user_agent_token disallowed_header_directives
ignore_ssl_certificate
""".split()


def test_every_argument_of_img2dataset_is_known():
    assert set(ARGUMENTS) == set(NAMES)
    assert len(NAMES) == 38


def test_all_defaults_are_accepted():
    defaults = {name: argument.default for name, argument in ARGUMENTS.items() if argument.default is not ...}
    options = options_for(defaults)
    assert options["output_format"] == "files"
    assert options["image_size"] == 256
    assert "no_robots" not in options and "max_image_area" not in options


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"image_size": 512}, "--image-size=512"),
        ({"resize_mode": "center_crop"}, "--resize-mode=center_crop"),
        ({"resize_only_if_bigger": True}, "--resize-only-if-bigger"),
        ({"encode_quality": 80}, "--encode-quality=80"),
        ({"encode_format": "webp"}, "--encode-format=webp"),
        ({"skip_reencode": True}, "--skip-reencode"),
        ({"output_format": "webdataset"}, "--output-format=webdataset"),
        ({"input_format": "csv.gz"}, "--input-format=csv.gz"),
        ({"url_col": "link"}, "--url-col=link"),
        ({"caption_col": "text"}, "--caption-col=text"),
        ({"bbox_col": "faces"}, "--bbox-col=faces"),
        ({"thread_count": 9999}, "--concurrency=4096"),
        ({"number_sample_per_shard": 7}, "--number-sample-per-shard=7"),
        ({"extract_exif": False}, "--no-exif"),
        ({"save_additional_columns": ["a", "b"]}, "--columns=a,b"),
        ({"timeout": 3}, "--timeout=3"),
        ({"output_format": "tfrecord"}, "--output-format=webdataset"),
        ({"oom_shard_count": 6}, "--oom-shard-count=6"),
        ({"compute_hash": None}, "--compute-hash=none"),
        ({"compute_hash": "md5", "verify_hash": ["sum", "md5"]}, "--verify-hash=sum"),
        ({"retries": 4}, "--retries=4"),
        ({"disable_all_reencoding": True}, "--keep-original"),
        ({"min_image_size": 64}, "--min-image-size=64"),
        ({"max_image_area": 1e6}, "--max-image-area=1000000.0"),
        ({"max_aspect_ratio": 3}, "--max-aspect-ratio=3"),
        ({"user_agent_token": "bot"}, "--user-agent=bot (by Calotype)"),
        ({"disallowed_header_directives": []}, "--no-robots"),
        ({"disallowed_header_directives": "[]"}, "--no-robots"),
    ],
)
def test_an_argument_becomes_an_option(arguments, line):
    assert line in option_arguments(list(options_for(arguments).items()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("processes_count", 16), ("wandb_project", "x"), ("subjob_size", 5), ("max_shard_retry", 3),
        ("max_image_area", math.inf), ("incremental_mode", "incremental"), ("upscale_interpolation", "lanczos4"),
    ],
)
def test_an_argument_without_effect_changes_nothing(name, value):
    assert options_for({name: value}) == options_for({})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("upscale_interpolation", "nearest"), ("downscale_interpolation", "cubic"), ("encode_quality", 101),
        ("output_format", "dummy"), ("enable_wandb", True), ("distributor", "pyspark"),
        ("distributor", "ray"), ("incremental_mode", "overwrite"), ("incremental_mode", "extend"),
        ("disallowed_header_directives", ["noai"]), ("ignore_ssl_certificate", True), ("verify_hash", ["sum", "md5"]),
    ],
)
def test_what_cannot_be_honoured_is_refused_with_a_reason(name, value):
    with pytest.raises(UnsupportedArgument) as caught:
        options_for({name: value})
    assert caught.value.name == name
    assert len(str(caught.value)) > len(f"{name}={value!r} is not supported: ") + 10


def test_an_unknown_argument_is_a_type_error():
    with pytest.raises(TypeError, match="no argument imagesize"):
        options_for({"imagesize": 256})
