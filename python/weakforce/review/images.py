"""Images that a table names by their paths.

In: a path as it stands in the table, and the folder of the table. Out: the bytes of a file on this
machine, with its type. Addresses of the network are never opened.
"""

from __future__ import annotations

from pathlib import Path

from .coded_columns import IMAGE_SUFFIXES

#: The types of images, by suffix.
_TYPES = dict(
    zip(
        IMAGE_SUFFIXES,
        ("png", "jpeg", "jpeg", "gif", "webp", "bmp", "avif", "svg+xml"),
        strict=True,
    )
)


def image_file(path: str, folder: Path) -> Path | None:
    """Return the file that a path stands for, from the folder of the table; None if none does."""
    if "://" in path or "\0" in path:
        return None
    file = folder / path
    try:
        is_image = file.suffix.lower() in _TYPES and file.is_file()
    except OSError:  # a name that is too long
        return None
    return file if is_image else None


def image_type(file: Path) -> str:
    """Return the media type of an image."""
    return f"image/{_TYPES[file.suffix.lower()]}"
