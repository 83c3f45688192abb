"""Margins of a fitted model: by row, as curves and in numbers.

In: a fitted model, rows and labels. Out: what theory says of its margins, margin curves with the
bounds that papers prove, and statistics of margins.
"""
