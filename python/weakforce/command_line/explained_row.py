"""Why a model says what it says of one row.

In: the row and what its columns contribute. Out: a table to read, or what JSON can hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from .._reading.literal_columns import select
from .._reading.wording import column_text, label_text
from .tables import number, table

#: The most characters of a value.
_LONGEST = 30


@dataclass(frozen=True)
class ExplainedRow:
    """One row.

    Attributes:
        place: its place in the data, from 0.
        answer: what the model predicts.
        labels: the classes, of which each has a score unless there are two.
        values: the row itself.
        parts: a line for each score, with what every column contributes and, last, the bias.
        errors: the same lines with the standard errors of these, if they are estimated.
    """

    place: int
    answer: Any
    labels: list[Any]
    values: dict[str, Any]
    parts: pl.DataFrame
    errors: pl.DataFrame | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the row as what JSON can hold."""
        *contributions, bias = self._numbers()
        by_column = dict(zip(self.values, contributions, strict=True))
        described = {
            "row": self.place,
            "prediction": self.answer,
            "score": self._by_class(self.parts_of_scores().sum_horizontal().to_list()),
            "bias": self._by_class(bias),
            "contributions": {name: self._by_class(parts) for name, parts in by_column.items()},
        }
        if self.errors is not None:
            *errors, _ = _lists(self.errors)
            named = zip(self.values, errors, strict=True)
            described["standard_errors"] = {name: self._by_class(off) for name, off in named}
        return described

    def as_text(self, top: int, meaning: str) -> str:
        """Return the columns that contribute most, with the bias and the sum below.

        What scores mean comes after the answer.
        """
        *contributions, bias = self._numbers()
        nothing = [[0.0] * len(bias)] * (len(contributions) + 1)
        *errors, bias_off = nothing if self.errors is None else _lists(self.errors)
        named = list(zip(self.values.items(), contributions, errors, strict=True))
        named = [entry for entry in named if any(entry[1])]
        named.sort(key=lambda entry: -max(map(abs, entry[1])))
        lines: list[list[Any]] = [
            [*map(_estimated, parts, off), column_text(name), _value(value)]
            for (name, value), parts, off in named[:top]
        ]
        rest = [sum(parts[at] for _, parts, _ in named[top:]) for at in range(len(bias))]
        if len(named) > top:
            lines.append([*map(_signed, rest), f"{len(named) - top} more columns", ""])
        lines.append([*map(_estimated, bias, bias_off), "bias", ""])
        totals = self.parts_of_scores().sum_horizontal().to_list()
        lines.append([*map(_signed, totals), "score", ""])
        titles = [f"for {label_text(label)}" for label in self.labels]
        titles = titles if len(bias) > 1 else ["contribution"]
        return (
            f"row {self.place}: {label_text(self.answer)}; {meaning}\n"
            f"{table([*titles, 'column', 'value'], lines, flush_right=len(titles))}"
        )

    def parts_of_scores(self) -> pl.DataFrame:
        """Return the contributions and the bias without row and class."""
        return select(self.parts, self.parts.columns[-len(self.values) - 1 :])

    def _numbers(self) -> list[list[float]]:
        return _lists(self.parts_of_scores())

    def _by_class(self, numbers: list[float]) -> Any:
        """Return one number for two classes, else one for each class."""
        if len(numbers) == 1:
            return numbers[0]
        return {str(label): number for label, number in zip(self.labels, numbers, strict=True)}


def _lists(frame: pl.DataFrame) -> list[list[float]]:
    return [column.to_list() for column in frame.get_columns()]


def _estimated(value: float, error: float) -> str:
    """Write a contribution, with its standard error if it is estimated."""
    return f"{_signed(value)} ± {number(error)}" if error else _signed(value)


def _signed(value: float) -> str:
    return f"+{number(value)}" if value > 0 else number(value).replace("-", "−")


def _value(value: Any) -> str:
    if value is None:
        return "missing"
    text = " ".join((f"{value:.6g}" if isinstance(value, float) else str(value)).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
