"""What a fitted model says, in words and numbers for people.

In: a fitted model and rows. Out: hypotheses, literals and rules as text and tables, contributions,
probabilities, evaluations and model files.
"""
