"""What all estimators share; knows no algorithm.

In: an estimator's parameters, frames and labels. Out: fitted estimators with scikit-learn's methods
and attributes; each shows its `FittedModel` to those who read models. The modules of the boosters,
such as `weakforce.adaboost`, build on it.
"""
