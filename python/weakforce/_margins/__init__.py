"""Margins of a fitted model: by row, as curves and in numbers.

In: a fitted model, rows and labels. Out: what theory says of its margins, margin curves with the
bounds that papers prove, statistics of margins, bounds on the error for new rows, and the annealing
view of AdaBoost; beside them the bias and variance of any classifier.
"""
