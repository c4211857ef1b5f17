"""Runs ``calotype dataset``, and returns its results as shards are committed."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Optional, Union

from . import _parquet
from ._command import CalotypeError, CommandFailed, binary, option_arguments
from ._shards import PathLike

POLL = 0.1  # seconds between two looks at the folder
PATIENCE = 30.0  # seconds until a command that was interrupted is killed
MESSAGE_LIMIT = 4000  # characters
IDENTITY = {"url", "key", "status", "error_message", "width", "height", "original_width", "original_height", "error_code"}


@dataclass(frozen=True)
class Result:
    """What became of one line of a list."""

    url: Optional[str]
    key: str
    shard: str
    status: str
    error_code: Optional[str] = None
    error_message: Optional[str] = None
    width: Optional[int] = None
    height: Optional[int] = None
    original_width: Optional[int] = None
    original_height: Optional[int] = None
    #: The other columns: caption, exif, the hash, and columns that were kept.
    columns: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the dataset has the image."""
        return self.status == "success"


Source = Union[str, Path, Iterable[Union[str, "dict[str, Any]"]]]


def dataset(
    source: Source,
    output: PathLike,
    *,
    input_format: Optional[str] = None,
    url_col: str = "url",
    caption_col: Optional[str] = None,
    columns: Sequence[str] = (),
    **options: Any,
) -> Dataset:
    """Downloads the images of a list into a dataset; iterate over it to run it.

    Args:
        source: A file or folder with a list, ``-`` for standard input, or URLs or rows in any iterable. Parquet is read
            with pyarrow, a batch at a time.
        output: The folder of the dataset, created if it is missing, or ``s3://BUCKET/PREFIX`` together with ``work=FOLDER``,
            from which the results are read.
        input_format: The list's format, recognised by default.
        url_col: The column of the URLs.
        caption_col: The column of the captions, none by default.
        columns: Other columns to keep in the metadata.
        options: Options of ``calotype dataset`` with underscores, such as ``image_size=256`` or ``allow_private=True``.

    Raises:
        CommandNotFound: if the command is missing.
        CalotypeError: if parquet is to be read and pyarrow is missing, or if a bucket is given without ``work``.
    """
    if "://" in str(output) and "work" not in options:
        raise CalotypeError(f"{output} needs work=FOLDER, a folder for unfinished shards and for the results")
    return Dataset(
        source, output, input_format=input_format, url_col=url_col, caption_col=caption_col, columns=columns, options=options
    )


class Dataset:
    """A run of ``calotype dataset``, as an iterator over its results.

    The command starts with the first result that is requested, and ends with the last. Leaving a ``with`` block or calling
    :meth:`close` interrupts it; what is complete is kept, and the same call continues.
    """

    def __init__(
        self, source: Source, output: PathLike, *, input_format: Optional[str], url_col: str, caption_col: Optional[str],
        columns: Sequence[str], options: dict[str, Any],
    ) -> None:
        #: The folder with the results.
        self.output = Path(options["work"] if "://" in str(output) else output)
        #: The exit code, when the command has ended: 0 if all images were made, 1 if some failed.
        self.exit_code: Optional[int] = None
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._feeding: Optional[BaseException] = None
        operand, self._lines, format_ = _input(source, input_format, [url_col, *([caption_col] if caption_col else []), *columns])
        named = [("input_format", format_), ("caption_col", caption_col), ("columns", list(columns) or None)]
        # Lists of one column have no header.
        named += [("url_col", url_col)] if url_col != "url" else []
        self.command = [binary(), "dataset", operand, str(output), *option_arguments([*named, *options.items()])]
        self._results = self._run()

    def __iter__(self) -> Iterator[Result]:
        return self

    def __next__(self) -> Result:
        return next(self._results)

    def __enter__(self) -> Dataset:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def run(self) -> int:
        """Runs to the end without looking at results; returns the exit code."""
        for _ in self:
            pass
        return self.exit_code or 0

    def close(self) -> None:
        """Interrupts the command, and waits until it has ended."""
        self._results.close()

    def _run(self) -> Generator[Result, None, None]:
        seen = {path.name for path in self.output.glob("[!.]*_stats.json")}
        with tempfile.TemporaryFile() as errors:
            process = self._start(errors)
            try:
                while True:
                    has_ended = process.poll() is not None
                    for name in sorted({path.name for path in self.output.glob("[!.]*_stats.json")} - seen):
                        seen.add(name)
                        yield from _rows(self.output, name[: -len("_stats.json")])
                    if has_ended:
                        break
                    time.sleep(POLL)
            finally:
                _stop(process)
                self.exit_code = process.returncode
            if self._feeding is not None:
                raise self._feeding
            if process.returncode not in (0, 1):
                errors.seek(max(0, errors.seek(0, 2) - MESSAGE_LIMIT))
                raise CommandFailed(process.returncode, errors.read().decode(errors="replace").strip())

    def _start(self, errors: IO[bytes]) -> subprocess.Popen[bytes]:
        # A list from standard input is that of this process.
        stdin = subprocess.PIPE if self._lines is not None else None
        process = subprocess.Popen(self.command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=errors)
        self._process = process
        if self._lines is not None and process.stdin is not None:
            threading.Thread(target=self._feed, args=(self._lines, process.stdin), daemon=True).start()
        return process

    def _feed(self, lines: Iterable[bytes], pipe: IO[bytes]) -> None:
        try:
            with pipe:
                for chunk in lines:
                    pipe.write(chunk)
        except BrokenPipeError:
            pass  # The command has ended, and says why.
        except BaseException as error:  # noqa: BLE001: it is raised again where the results are read
            self._feeding = error
            if self._process is not None:
                self._process.send_signal(signal.SIGINT)


def results(output: PathLike) -> Iterator[Result]:
    """Returns the results of all complete shards of a dataset."""
    folder = Path(output)
    for path in sorted(folder.glob("[!.]*_stats.json")):
        yield from _rows(folder, path.name[: -len("_stats.json")])


def _rows(folder: Path, shard: str) -> Iterator[Result]:
    with open(folder / f"{shard}.jsonl", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            others = {name: value for name, value in row.items() if name not in IDENTITY}
            yield Result(shard=shard, columns=others, **{name: row.get(name) for name in IDENTITY})


def _input(
    source: Source, input_format: Optional[str], columns: Sequence[str]
) -> tuple[str, Optional[Iterable[bytes]], Optional[str]]:
    """Returns the operand, the lines to feed if there are any, and the format."""
    if isinstance(source, (str, Path)):
        path = Path(source)
        if input_format == "parquet" or (input_format is None and str(source) != "-" and _parquet.is_parquet(path)):
            if not path.exists():
                raise CalotypeError(f"{path} does not exist")
            return "-", _parquet.lines(path, columns), "jsonl"
        return str(source), None, input_format
    return "-", _lines(source, columns[0]), "jsonl"


def _lines(rows: Iterable[Union[str, dict[str, Any]]], url_col: str) -> Iterator[bytes]:
    for row in rows:
        value = {url_col: row} if isinstance(row, str) else row
        yield (json.dumps(value, ensure_ascii=False, default=str) + "\n").encode()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the command if it still runs: by an interruption, which keeps what is complete."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
