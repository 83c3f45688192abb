"""The numbers by which boosters draw rows: src/data/units.rs, written anew.

A row whose weight is w times the smallest one has w numbers if all weights are such multiples. Rows
are numbered in the order of keys, which are made of what rows hold: ranks of values, and classes.
"""

import numpy as np

WORD = 2**64 - 1


def hashed(*numbers):
    """SplitMix64's finaliser over several numbers."""
    state = 0
    for number in numbers:
        z = (state + number + 0x9E3779B97F4A7C15) & WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        state = z ^ (z >> 31)
    return state


def ranks(column):
    """The rank of each value among the different ones; missing values come last."""
    present = sorted({value for value in column if value is not None})
    codes = {value: code for code, value in enumerate(present)}
    return [len(present) if value is None else codes[value] for value in column]


def repeats(weights):
    """How many rows of the smallest weight each row stands for; 1 if weights are no multiples."""
    ratios = np.asarray(weights, dtype=float) / np.min(weights)
    times = np.rint(ratios)
    if (np.abs(ratios - times) > 1e-9 * times).any() or times.sum() > 64 * len(times):
        return [1] * len(ratios)
    return [int(number) for number in times]


def keys(columns, y, times):
    """A key for each row."""
    codes = [ranks(column) for column in columns]
    rows = list(zip(*codes, strict=True))
    total = lambda numbers: sum(numbers) & WORD  # noqa: E731
    mixed = [total(hashed(0, 0, code) for code in row) for row in rows]
    classes = {
        label: total(
            n * hashed(1, 0, m) for n, m, own in zip(times, mixed, y, strict=True) if own == label
        )
        for label in set(y)
    }
    of_columns = [
        total(
            n * hashed(classes[label], code, m)
            for n, code, m, label in zip(times, column, mixed, y, strict=True)
        )
        for column in codes
    ]
    return [
        hashed(
            3,
            classes[label],
            total(hashed(2, key, code) for key, code in zip(of_columns, row, strict=True)),
        )
        for row, label in zip(rows, y, strict=True)
    ]


def unit_numbers(columns, y, weights=None):
    """The numbers of every row, a list for each; rows must all take part."""
    weights = [1.0] * len(y) if weights is None else [float(weight) for weight in weights]
    times = repeats(weights)
    y = [int(label) for label in y]
    order = sorted(zip(keys(columns, y, times), weights, range(len(y)), strict=True))
    numbers, first = [[] for _ in y], 0
    for _, _, row in order:
        numbers[row] = list(range(first, first + times[row]))
        first += times[row]
    return numbers
