"""img2dataset's ``download`` function, by the ``calotype`` command.

Every argument of img2dataset 1.47 is accepted by its name. :data:`ARGUMENTS` says what each becomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional, Union

from ._command import CalotypeError, binary, known_options
from ._dataset import Dataset, dataset
from ._tfrecord import tfrecords

DIRECTIVES = ("noai", "noimageai", "noindex", "noimageindex")


class UnsupportedArgument(CalotypeError):
    """An argument or value that Calotype cannot honour."""

    def __init__(self, name: str, value: object, reason: str) -> None:
        super().__init__(f"{name}={value!r} is not supported: {reason}")
        self.name = name


Options = dict[str, Any]


@dataclass(frozen=True)
class Argument:
    """What an argument of img2dataset becomes."""

    #: img2dataset's default.
    default: Any
    #: What it becomes, for readers.
    meaning: str
    #: Returns options of ``calotype dataset``, with underscores, for a value; raises ``ValueError`` with a reason.
    map: Callable[[Any], Options]


def _as(option: str) -> Callable[[Any], Options]:
    return lambda value: {option: value}


def _nothing(value: Any) -> Options:
    return {}


def _only(allowed: object, reason: str) -> Callable[[Any], Options]:
    def check(value: Any) -> Options:
        if value != allowed:
            raise ValueError(reason)
        return {}

    return check


def _finite(option: str) -> Callable[[Any], Options]:
    return lambda value: {} if math.isinf(value) else {option: value}


def _filter(usual: tuple[str, ...], reason: str) -> Callable[[Any], Options]:
    def check(value: Any) -> Options:
        if value not in usual:
            raise ValueError(reason)
        return {}

    return check


def _output_format(value: str) -> Options:
    if value == "dummy":
        raise ValueError("to measure without output, write to a folder in memory such as /dev/shm")
    # download() converts the shards when the command has ended.
    return {"output_format": "webdataset" if value == "tfrecord" else value}


def _quality(value: int) -> Options:
    if not 1 <= value <= 100:
        raise ValueError("the quality of jpg and webp is 1 to 100; there is no lossless webp")
    return {"encode_quality": value}


def _verify(value: Any) -> Options:
    if value is None:
        return {}
    column, _ = value
    return {"verify_hash": column}


def _incremental(value: str) -> Options:
    reasons = {
        "overwrite": "remove the output folder yourself, so that no data is lost by mistake",
        "extend": "write to another folder, and read both",
    }
    if value in reasons:
        raise ValueError(reasons[value])
    return {}


def _directives(value: Any) -> Options:
    names = [] if value in (None, "[]") else list(value)
    if not names:
        return {"no_robots": True}
    if set(names) != set(DIRECTIVES):
        raise ValueError(f"Calotype refuses all of {', '.join(DIRECTIVES)}, or with [] none and ignores robots.txt too")
    return {}


def _distributor(value: str) -> Options:
    if value != "multiprocessing":
        raise ValueError("run calotype dataset --slice I/N on each of N machines")
    return {}


def _threads(value: int) -> Options:
    return {"concurrency": min(max(value, 1), 4096)}


ARGUMENTS: dict[str, Argument] = {
    "url_list": Argument(..., "INPUT", _nothing),
    "image_size": Argument(256, "--image-size", _as("image_size")),
    "output_folder": Argument("images", "OUTPUT", _nothing),
    "processes_count": Argument(1, "no effect: one process uses all cores", _nothing),
    "resize_mode": Argument("border", "--resize-mode", _as("resize_mode")),
    "resize_only_if_bigger": Argument(False, "--resize-only-if-bigger", _as("resize_only_if_bigger")),
    "upscale_interpolation": Argument(
        "lanczos", "lanczos only",
        _filter(("lanczos", "lanczos4"), "Calotype enlarges with lanczos"),
    ),
    "downscale_interpolation": Argument(
        "area", "area only",
        _filter(("area",), "Calotype reduces with a filter at least as good as area"),
    ),
    "encode_quality": Argument(95, "--encode-quality", _quality),
    "encode_format": Argument("jpg", "--encode-format", _as("encode_format")),
    "skip_reencode": Argument(False, "--skip-reencode", _as("skip_reencode")),
    "output_format": Argument("files", "--output-format; tfrecord is written beside webdataset; not dummy", _output_format),
    "input_format": Argument("txt", "--input-format; parquet through pyarrow", _as("input_format")),
    "url_col": Argument("url", "--url-col", _as("url_col")),
    "caption_col": Argument(None, "--caption-col", _as("caption_col")),
    "bbox_col": Argument(None, "--bbox-col", _as("bbox_col")),
    "thread_count": Argument(256, "--concurrency, the connections of the whole run", _threads),
    "number_sample_per_shard": Argument(10_000, "--number-sample-per-shard", _as("number_sample_per_shard")),
    "extract_exif": Argument(True, "--no-exif if False", lambda value: {} if value else {"no_exif": True}),
    "save_additional_columns": Argument(None, "--columns", lambda value: {"columns": list(value or ())}),
    "timeout": Argument(10, "--timeout, for the whole download and not for each read", _as("timeout")),
    "enable_wandb": Argument(False, "False only", _only(False, "use --progress json, and send it to wandb")),
    "wandb_project": Argument("img2dataset", "no effect without enable_wandb", _nothing),
    "oom_shard_count": Argument(5, "--oom-shard-count", _as("oom_shard_count")),
    "compute_hash": Argument("sha256", "--compute-hash", lambda value: {"compute_hash": value or "none"}),
    "verify_hash": Argument(None, "--verify-hash with the column", _verify),
    "distributor": Argument("multiprocessing", "multiprocessing only", _distributor),
    "subjob_size": Argument(1000, "no effect: it is for pyspark", _nothing),
    "retries": Argument(0, "--retries", _as("retries")),
    "disable_all_reencoding": Argument(False, "--keep-original", _as("keep_original")),
    "min_image_size": Argument(0, "--min-image-size", _as("min_image_size")),
    "max_image_area": Argument(math.inf, "--max-image-area", _finite("max_image_area")),
    "max_aspect_ratio": Argument(math.inf, "--max-aspect-ratio", _finite("max_aspect_ratio")),
    "incremental_mode": Argument("incremental", "incremental only", _incremental),
    "max_shard_retry": Argument(1, "no effect: failed downloads are retried one by one", _nothing),
    "user_agent_token": Argument(
        None, "--user-agent", lambda value: {} if value is None else {"user_agent": f"{value} (by Calotype)"}
    ),
    "disallowed_header_directives": Argument(list(DIRECTIVES), "--no-robots if it is empty", _directives),
    "ignore_ssl_certificate": Argument(
        False, "False only", _only(False, "pass cacert='FILE' with the certificate authority of the host"),
    ),
}

# Their defaults differ from Calotype's for a reason: 256 threads of a process are not connections, and downloads are
# retried with pauses.
_OURS = {"thread_count", "retries", "timeout", "input_format"}


def options_for(arguments: dict[str, Any]) -> Options:
    """Returns the options of ``calotype dataset`` for arguments of img2dataset.

    Raises:
        TypeError: for a name that img2dataset does not have.
        UnsupportedArgument: for a value that Calotype cannot honour.
    """
    unknown = sorted(set(arguments) - set(ARGUMENTS))
    if unknown:
        raise TypeError(f"img2dataset's download has no argument {unknown[0]}")
    hash_ = arguments.get("compute_hash", "sha256")
    verified = arguments.get("verify_hash")
    if verified is not None and (len(verified) != 2 or verified[1] != hash_):
        raise UnsupportedArgument("verify_hash", verified, f"it is [COLUMN, TYPE], with the type of compute_hash, {hash_}")
    options: Options = {}
    for name, argument in ARGUMENTS.items():
        if name not in arguments and (name in _OURS or argument.default is ...):
            continue
        value = arguments.get(name, argument.default)
        try:
            options.update(argument.map(value))
        except ValueError as error:
            raise UnsupportedArgument(name, value, str(error)) from None
    return {name: value for name, value in options.items() if value is not None and value is not False}


def download(
    url_list: str,
    output_folder: str = "images",
    *,
    calotype_options: Optional[dict[str, Union[str, int, float, bool]]] = None,
    **arguments: Any,
) -> Dataset:
    """Downloads a list of images with the arguments of ``img2dataset.download``, and returns the finished run.

    ``output_format="tfrecord"`` makes a WebDataset, and then a TFRecord file beside each shard.

    Args:
        url_list: A file or folder with the list.
        output_folder: The folder of the dataset.
        calotype_options: Further options of ``calotype dataset``, such as ``{"allow_private": True}``.
        arguments: img2dataset's arguments.

    Raises:
        UnsupportedArgument: for an argument that Calotype cannot honour; nothing has been downloaded then.
        CommandFailed: if nothing succeeded, or the list cannot be used.
    """
    options = options_for(arguments)
    known = known_options(binary())
    for name, value in options.items():
        if "--" + name.replace("_", "-") not in known and name not in {"columns", "caption_col", "input_format", "url_col"}:
            raise UnsupportedArgument(name, value, f"the installed calotype has no option --{name.replace('_', '-')}")
    is_tfrecord = arguments.get("output_format") == "tfrecord"
    if is_tfrecord and "://" in output_folder:
        raise UnsupportedArgument("output_format", "tfrecord", "it is made in a folder, and the output is a bucket")
    run = dataset(url_list, output_folder, **{**options, **(calotype_options or {})})
    run.run()
    if is_tfrecord:
        tfrecords(output_folder)
    return run
