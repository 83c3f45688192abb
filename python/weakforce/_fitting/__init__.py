"""From what users pass to `fit` to what the core takes.

In: frames, labels, weights, costs, learners and parameters. Out: frames that speak Arrow, class
codes, targets, code matrices and settings as JSON; for scikit-learn classifiers, the views that the
core calls back; what the core reports of a run, as attributes.
"""
