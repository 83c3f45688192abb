"""A fitted model, and what can be read of it.

In: the core's model, with what a booster knows of it, and rows. Out: a `FittedModel`, which all
readers take; hypotheses, literals and rules as text and tables, contributions, probabilities,
evaluations and model files.
"""
