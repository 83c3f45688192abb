"""Names in queries: of tables, of columns, and for what a model adds to them.

In: names as users give them, and what a database says to them. Out: names that it takes, or an
error that says which one it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .dialects import Dialect


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores behind it until it differs from all that are taken.

    Capital letters do not make a difference, as for most databases.
    """
    folded = {other.lower() for other in taken}
    while name.lower() in folded:
        name += "_"
    return name


def table_parts(table: Any) -> list[str]:
    """Return the parts of a table's name: database, schema and table, or fewer."""
    parts: Any = table.split(".") if isinstance(table, str) else table
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, str) for part in parts):
        raise TypeError(f"parameter 'table': got {table!r}, expected a name or a tuple of names")
    if not parts or any(not part or "\0" in part for part in parts):
        raise ValueError(
            f"parameter 'table': got {table!r}, expected names such as 'people' or 'main.people' "
            "that are neither empty nor hold a null character"
        )
    return list(parts)


def columns_to_keep(keep: Any) -> list[str]:
    """Return the names of columns that a query hands on."""
    if isinstance(keep, str) or not isinstance(keep, Sequence):
        raise TypeError(f"parameter 'keep': got {keep!r}, expected a list of column names")
    for name in keep:
        if not isinstance(name, str) or not name or "\0" in name:
            raise ValueError(f"parameter 'keep': got {name!r}, expected the name of a column")
    if len({name.lower() for name in keep}) < len(keep):
        raise ValueError(f"parameter 'keep': got {list(keep)!r}, expected every column once")
    return list(keep)


def check_names(names: Sequence[str], dialect: Dialect) -> None:
    """Refuse columns that a table of the database cannot have."""
    seen: dict[str, str] = {}
    for name in names:
        if not name and not dialect.empty_names:
            raise ValueError(
                f"column '' has no name, which {dialect.title} does not take; rename it"
            )
        folded = name.lower() if dialect.folds_names else name
        if folded in seen:
            raise ValueError(
                f"columns {seen[folded]!r} and {name!r} have the same name in {dialect.title}, "
                "which does not tell capital letters from small ones; rename one of them"
            )
        seen[folded] = name
