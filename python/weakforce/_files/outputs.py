"""Files to write: all of one or nothing, and standard output.

In: bytes, frames, or frames one after the other. Out: files. A file is written beside its
place under another name, brought to disk and then renamed, so that readers see the old one or the
new one; whatever ends the program before, be it an error or a signal, removes it, and what a killed
program has left behind goes with the next file of that name. A file that exists is replaced, as
`cp` does.
"""

from __future__ import annotations

import errno
import os
import queue
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from .._reading.literal_columns import select
from .failures import writing
from .partial_files import make_partial, remove_left_behind


@contextmanager
def new_file(name: str) -> Iterator[Path]:
    """Yield the path of an empty file that takes its place under `name` in the end.

    For standard output (-), pipes and devices, its content is written there in the end.
    """
    place = Path(os.path.realpath(name))
    shown = "standard output" if name == "-" else name
    with writing(shown):
        if name != "-" and place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        is_stream = name == "-" or (place.exists() and not place.is_file())
        beside = Path(tempfile.gettempdir()) if is_stream else place.parent
        remove_left_behind(beside / place.name)
        handle, made = make_partial(beside, place.name)
    try:
        yield made
        with writing(shown):
            if is_stream:
                _copy(made, name)
            else:
                _finish(made, place)
    finally:
        made.unlink(missing_ok=True)
        if handle is not None:
            os.close(handle)


def write_frame(name: str, frame: pl.DataFrame, format: str) -> None:
    """Write a frame to a file or to standard output."""
    with frames_writer(name, format, frame.schema) as write:
        write(frame)


@contextmanager
def frames_writer(name: str, format: str, schema: Any) -> Iterator[Any]:
    """Yield a function that appends a frame to a table to be written."""
    if format in ("csv", "tsv"):
        separator = "\t" if format == "tsv" else ","
        if name == "-":
            yield _TextAppender(sys.stdout.buffer, separator, "standard output")
            return
        with new_file(name) as path, open(path, "wb") as file:
            yield _TextAppender(file, separator, name)
        return
    with new_file(name) as path:
        appender = _BinaryAppender(path, format, schema, name)
        try:
            yield appender
        finally:
            appender.close()
        appender.check()


class _TextAppender:
    """Writes frames as CSV, with a header before the first one."""

    def __init__(self, file: Any, separator: str, name: str) -> None:
        self.file, self.separator, self.name = file, separator, name
        self.started = False

    def __call__(self, frame: pl.DataFrame) -> None:
        with writing(self.name):
            text = frame.write_csv(separator=self.separator, include_header=not self.started)
            self.file.write(text.encode())
        self.started = True


class _BinaryAppender:
    """Writes frames into one Parquet or IPC file, in a thread that takes them one by one.

    Polars writes such files from a lazy frame that it reads by and by: here from a queue. The
    main thread stays free for signals, which could not be heard while Polars works.
    """

    def __init__(self, path: Path, format: str, schema: Any, name: str) -> None:
        from polars.io.plugins import register_io_source

        self.frames: queue.Queue[pl.DataFrame | None] = queue.Queue(1)
        self.error: BaseException | None = None
        self.name = name
        lazy = register_io_source(self._taken, schema=dict(schema))
        sink = lazy.sink_parquet if format == "parquet" else lazy.sink_ipc
        self.thread = threading.Thread(target=self._write, args=(sink, path), daemon=True)
        self.thread.start()

    def __call__(self, frame: pl.DataFrame) -> None:
        while True:
            self.check()
            try:
                return self.frames.put(frame, timeout=0.5)
            except queue.Full:
                continue

    def close(self) -> None:
        """Say that no more frames come, and wait for those that did."""
        while self.thread.is_alive():
            try:
                self.frames.put(None, timeout=0.1)
                break
            except queue.Full:
                continue
        self.thread.join()

    def check(self) -> None:
        """Raise what went wrong in the thread."""
        if self.error is not None:
            with writing(self.name):
                raise self.error

    def _taken(self, *asked: Any) -> Iterator[pl.DataFrame]:
        columns = asked[0]
        while (frame := self.frames.get()) is not None:
            yield frame if columns is None else select(frame, columns)

    def _write(self, sink: Any, path: Path) -> None:
        try:
            sink(path)
        except BaseException as error:  # told by `check` in the main thread
            self.error = error


def _finish(made: Path, place: Path) -> None:
    """Bring a file to disk and to its place, with the rights that a new file has."""
    mask = os.umask(0)
    os.umask(mask)
    made.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~mask)
    with open(made, "rb") as file:
        os.fsync(file.fileno())
    os.replace(made, place)


def _copy(made: Path, name: str) -> None:
    """Write the content of a file to standard output, a pipe or a device."""
    with open(made, "rb") as file:
        if name == "-":
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        with open(name, "wb") as stream:
            shutil.copyfileobj(file, stream)
