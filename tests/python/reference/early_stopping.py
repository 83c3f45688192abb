"""Early stopping written from its definition: when a run should have ended."""


def watched_by(model):
    """What early stopping looks at: the scores, or the costs if the booster minimises those."""
    return (
        -model.validation_cost_ if hasattr(model, "validation_cost_") else model.validation_score_
    )


def expected_rounds(scores, patience, tol):
    """The first round after which the last `patience` ones had gained nothing, or None."""
    for t in range(patience + 1, len(scores) + 1):
        if scores[t - patience : t].max() <= scores[: t - patience].max() + tol:
            return t
    return None
