"""Which models are weighted votes for one of two classes.

In: a fitted model. Out: nothing, or an error that names what is different.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


def refuse_all_but_votes(model: FittedModel, needs: str) -> None:
    """Refuse models whose scores are not sums of weighted votes −1 or +1.

    `needs` says which answers the booster can use, as its capabilities state it: what external
    classifiers answer is known from that only.
    """
    got = f"parameter 'model': got {model.name}"
    if model.has_label_sets or model.n_classes != 2:
        raise ValueError(f"{got} for {model.n_classes} classes, expected one for two classes")
    if not model.is_sum or model.n_outputs != 1:
        raise ValueError(
            f"{got}, which does not add up one weighted vote a round, expected a booster that does"
        )
    if not model.n_rounds:
        raise ValueError(f"{got} without any round, expected at least one")
    for found in model.descriptions():
        votes = _votes(found) if isinstance(found, dict) else needs == "votes"
        if not votes:
            raise ValueError(
                f"{got} whose hypotheses answer with confidences, expected votes −1 or +1, such as "
                "those of DiscreteAdaBoostClassifier or of a learner with answer='vote'"
            )


def has_confidences(model: FittedModel) -> bool:
    """Return whether hypotheses answer with other numbers than −1 and +1.

    What external classifiers answer is not known here; they count as votes.
    """
    own = (found for found in model.descriptions() if isinstance(found, dict))
    return any(found.get("says") != "class" and not _votes(found) for found in own)


def _votes(description: Mapping[str, Any]) -> bool:
    """Return whether a hypothesis answers with −1 or +1."""
    if description["kind"] == "rbf_net":
        return bool(description["answer"] == "vote")
    if description.get("says") == "scores":
        return False
    if "values" in description:
        return all(abs(answer) == 1.0 for answer in description["values"])
    return all(abs(description[side]) == 1.0 for side in ("inside", "outside"))
