"""What the columns of all partitions are of.

In: names and types of the columns of each partition. Out: those of all, or an error that names the
partitions that do not go together.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa


class ColumnFacts(NamedTuple):
    """What other workers have to know of a column of a partition.

    Attributes:
        name: its name.
        kind: what its values are: "numbers", "Booleans", "times", "durations", "times of day" or
            "strings".
        type: its type.
        is_free: whether it holds no value, so that it may stand for any kind.
    """

    name: str
    kind: str
    type: pa.DataType
    is_free: bool


def kind_of(field: pa.Field) -> str:
    """Return what the values of a column are; the core goes by the same kinds."""
    type = field.type
    types = pa.types
    if types.is_boolean(type):
        return "Booleans"
    if types.is_null(type) or types.is_integer(type) or types.is_floating(type):
        return "numbers"
    if types.is_decimal(type):
        return "numbers"
    if types.is_date(type) or types.is_timestamp(type):
        return "times"
    if types.is_duration(type):
        return "durations"
    if types.is_time(type):
        return "times of day"
    is_text = types.is_string(type) or types.is_large_string(type) or types.is_string_view(type)
    if is_text or types.is_dictionary(type):
        return "strings"
    return str(type)  # which the core refuses


def unite(all_facts: list[tuple[int, list[ColumnFacts]]]) -> dict[str, ColumnFacts]:
    """Return what each column is of in all partitions; refuse partitions that do not go together.

    Each partition comes with its number; they ascend.
    """
    (first_number, first), *_ = all_facts
    names = [facts.name for facts in first]
    common = {facts.name: facts for facts in first}
    holder = dict.fromkeys(names, first_number)
    for number, of_partition in all_facts:
        found = [facts.name for facts in of_partition]
        for name in found:
            if name not in common:
                raise ValueError(_lacks(name, number, first_number))
        for name in names:
            if name not in found:
                raise ValueError(_lacks(name, first_number, number))
        for facts in of_partition:
            known = common[facts.name]
            if known.is_free and (not facts.is_free or known.type == pa.null()):
                common[facts.name], holder[facts.name] = facts, number
            elif not facts.is_free and facts.kind != known.kind:
                raise TypeError(
                    f"column {facts.name!r} holds {facts.kind} ({facts.type}) in partition "
                    f"{number}, but {known.kind} ({known.type}) in partition {holder[facts.name]}, "
                    "expected the same kind in all partitions"
                )
    return common


def _lacks(name: str, there: int, not_there: int) -> str:
    return (
        f"column {name!r} is in partition {there} but not in partition {not_there}, expected the "
        "same columns in all partitions"
    )
