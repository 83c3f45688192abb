"""Bias and variance of predictions once more, row by row from the definitions in the papers."""

from collections import Counter


def kohavi_wolpert(predictions, label):
    """Squared bias and variance of one row; the label has probability 1."""
    classes = {*predictions, label}
    share = {k: sum(1 for p in predictions if p == k) / len(predictions) for k in classes}
    bias = 0.5 * sum(((1.0 if k == label else 0.0) - share[k]) ** 2 for k in classes)
    variance = 0.5 * (1.0 - sum(share[k] ** 2 for k in classes))
    return bias, variance


def domingos(predictions, label):
    """Main prediction, bias, and the mean loss between predictions and the main one."""
    counted = Counter(predictions)
    most = max(counted.values())
    main = min(k for k, count in counted.items() if count == most)
    variance = sum(1 for p in predictions if p != main) / len(predictions)
    return main, 1.0 if main != label else 0.0, variance
