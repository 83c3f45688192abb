"""Distinct labels, and the place of each label among them.

In: arrays of labels. Out: classes, ascending, and codes. NumPy and Python do the work: a query of
Polars would need its threads, which a forked process does not have.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]

#: The most labels that an error lists.
_MOST = 10

#: Integers are counted, not sorted, if they span no more than this, or this times their number.
_NARROW, _NARROW_TIMES = 1024, 2

#: The largest whole number up to which doubles hold all of them.
_EXACT = 2.0**53

#: Kinds of NumPy types whose values can be compared.
_COMPARABLE = ("biuf", "M", "m")


def learn_codes(
    values: NDArray[Any], places: Codes | None = None, name: str = "y"
) -> tuple[NDArray[Any], Codes]:
    """Return the distinct labels, ascending, and the code of every label; refuse missing ones.

    `places` says which of the values each label is; None if the values are the labels.
    """
    classes, codes = _learned(values, name)
    return classes, codes if places is None else codes[places]


def known_codes(
    values: NDArray[Any], places: Codes | None, classes: NDArray[Any], name: str = "y"
) -> Codes:
    """Return the codes of labels that must all be among classes that ascend."""
    if places is None and values.dtype.kind in "biumM" and classes.dtype.kind in "biumM":
        values, places = learn_codes(values, name=name)
    codes = _known(values, classes, name)
    return codes if places is None else codes[places]


def _learned(values: NDArray[Any], name: str) -> tuple[NDArray[Any], Codes]:
    kind = values.dtype.kind
    if kind not in "biufmM":
        return _of_objects(values, name)
    _refuse_missing(values, name)
    if kind == "b":
        classes, codes = _of_integers(values.view(np.uint8))
        return classes.astype(bool), codes
    if kind in "mM":
        classes, codes = _of_integers(np.ascontiguousarray(values).view(np.int64))
        return classes.view(values.dtype), codes
    if kind in "iu":
        return _of_integers(values)
    fractions = values[values != np.floor(values)]
    if len(fractions):
        raise ValueError(
            f"Unknown label type: continuous. {name} holds fractions such as {fractions.min()}, "
            "expected class labels"
        )
    if len(values) and float(np.abs(values).max()) < _EXACT:
        classes, codes = _of_integers(values.astype(np.int64))
        return classes.astype(values.dtype), codes
    return _sorted(values)


def _known(values: NDArray[Any], classes: NDArray[Any], name: str) -> Codes:
    if len(values) == 0:
        return np.zeros(0, dtype=np.uint32)
    given, known = values.dtype.kind, classes.dtype.kind
    if not any(given in kinds and known in kinds for kinds in _COMPARABLE):
        return _known_objects(values, classes, name)
    places = np.searchsorted(classes, values).clip(max=len(classes) - 1)
    wrong = classes[places] != values
    if wrong.any():
        _refuse_missing(values, name)
        _refuse_unknown(values[np.argmax(wrong)], classes, name)
    return places.astype(np.uint32)


def shortened(classes: NDArray[Any]) -> str:
    """Return the labels as a list for an error, cut short if there are many."""
    if len(classes) <= _MOST:
        return str(classes.tolist())
    shown = ", ".join(repr(label) for label in classes[:_MOST].tolist())
    return f"[{shown}, … {len(classes)} in all]"


def _of_integers(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    if len(values) == 0:
        return values, np.zeros(0, dtype=np.uint32)
    low, high = int(values.min()), int(values.max())
    if high - low > max(_NARROW, _NARROW_TIMES * len(values)):
        return _sorted(values)
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    offsets = (wide - wide.dtype.type(low)).astype(np.intp)
    present = np.bincount(offsets, minlength=high - low + 1) > 0
    places = (np.cumsum(present) - 1).astype(np.uint32)
    # In the type of the values, which holds both ends and so everything between them.
    distinct = np.flatnonzero(present).astype(wide.dtype) + wide.dtype.type(low)
    return distinct.astype(values.dtype), places[offsets]


def _sorted(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    classes, places = np.unique(values, return_inverse=True)
    return classes, places.astype(np.uint32)


def _of_objects(values: NDArray[Any], name: str) -> tuple[NDArray[Any], Codes]:
    listed = values.tolist()
    distinct = _distinct(listed, name)
    plain = _of_one_kind(distinct, name)
    try:
        ascending = sorted(set(plain.values()))
    except TypeError:
        kind = type(next(iter(plain.values()))).__name__
        raise TypeError(
            f"{name} has labels of type {kind}, which have no order, expected strings, Booleans, "
            "numbers or dates"
        ) from None
    place_of = {label: place for place, label in enumerate(ascending)}
    codes = _places(listed, {label: place_of[one] for label, one in plain.items()})
    classes = np.fromiter(ascending, dtype=object, count=len(ascending))
    return classes.astype(values.dtype), codes


def _known_objects(values: NDArray[Any], classes: NDArray[Any], name: str) -> Codes:
    listed = _as_objects(values)
    place_of = {_in_utc(label): place for place, label in enumerate(_as_objects(classes))}
    found = {}
    for label in _distinct(listed, name):
        if _in_utc(label) not in place_of:
            _refuse_unknown(label, classes, name)
        found[label] = place_of[_in_utc(label)]
    return _places(listed, found)


def _places(listed: list[Any], place_of: dict[Any, int]) -> Codes:
    return np.fromiter(map(place_of.__getitem__, listed), dtype=np.uint32, count=len(listed))


def _distinct(listed: list[Any], name: str) -> list[Any]:
    """Return the distinct ones of some objects; refuse missing ones and what nobody can look up."""
    try:
        distinct = list(dict.fromkeys(listed))
    except TypeError:
        kind = type(next(label for label in listed if not _has_hash(label))).__name__
        raise TypeError(
            f"{name} has labels of type {kind}, expected strings, Booleans, numbers or dates"
        ) from None
    if any(map(_is_missing, distinct)):
        row = next(row for row, label in enumerate(listed) if _is_missing(label))
        raise ValueError(_missing_text(name, row, listed[row]))
    return distinct


def _has_hash(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except TypeError:  # pandas' NA has no truth value
        return True


def _of_one_kind(distinct: list[Any], name: str) -> dict[Any, Any]:
    """Return for each label the one that stands for it: a plain one, all of which are of one type.

    Numbers of several types become numbers of the widest; other mixtures are refused.
    """
    plain = {label: _plain(label) for label in distinct}
    kinds = {type(label) for label in plain.values()}
    if kinds == {str}:
        _refuse_surrogates(distinct, name)
    if len(kinds) <= 1:
        return plain
    if not kinds <= {int, float, bool}:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"{name} mixes values of types {names}, expected one type")
    widest = float if float in kinds else int
    return {label: widest(one) for label, one in plain.items()}


def _plain(label: Any) -> Any:
    """Return the Python object of a NumPy scalar; times stay what they are."""
    is_scalar = isinstance(label, np.generic) and label.dtype.kind not in "mM"
    return label.item() if is_scalar else label


def _refuse_surrogates(labels: list[str], name: str) -> None:
    for label in labels:
        try:
            label.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{name}: got the label {label!r} with half a surrogate pair, which no text holds, "
                "expected whole characters"
            ) from None


def _as_objects(array: NDArray[Any]) -> list[Any]:
    """Return values as Python objects; NumPy would make numbers of times in nanoseconds."""
    if array.dtype.kind in "mM" and np.datetime_data(array.dtype)[0] != "D":
        array = array.astype(f"{array.dtype.kind}8[us]")
    return list(array.tolist())


def _in_utc(label: Any) -> Any:
    """Return an instant with a time zone as that of UTC without one, as NumPy and Polars do."""
    if isinstance(label, dt.datetime) and label.tzinfo is not None:
        return label.astimezone(dt.timezone.utc).replace(tzinfo=None)
    return label


def _refuse_missing(values: NDArray[Any], name: str) -> None:
    kind = values.dtype.kind
    if kind not in "fmM":
        return
    missing = ~np.isfinite(values)
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(_missing_text(name, row, values[row]))


def _missing_text(name: str, row: int, label: Any) -> str:
    return f"{name}: the label of row {row} is {label}, expected no null, NaN or infinity"


def _refuse_unknown(label: Any, classes: NDArray[Any], name: str) -> None:
    raise ValueError(
        f"{name}: got the label {_plain(label)!r}, expected one of {shortened(classes)}"
    )
