"""The hypotheses of a model: one by one, and by round.

In: a fitted model. Out: readable hypotheses with their places, weights and errors. A round has one
hypothesis, one for each class or two-class problem, or, in a grid, one for each node of a layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .hypotheses import hypothesis_from_core

if TYPE_CHECKING:
    from .fitted_model import FittedModel


class Member(NamedTuple):
    """A hypothesis in its place.

    Attributes:
        hypothesis: the readable form, or a scikit-learn classifier.
        round: its round, from 1.
        output: the class or two-class problem it is for; None if a round has one for all.
        weight: its weight α; in a grid, the share of the training weight that reaches its node.
        error: its weighted error.
    """

    hypothesis: Any
    round: int
    output: int | None
    weight: float
    error: float


def hypotheses_by_round(model: FittedModel) -> list[Any]:
    """Return the hypotheses by round; by round and output, or layer and node, if there are several.

    Places without a hypothesis hold None.
    """
    if model.has_grid:
        return _by_layer(model)
    rounds: list[Any] = [[None] * model.n_outputs for _ in range(model.n_rounds)]
    for found, (at, output) in zip(_hypotheses(model), model.member_places(), strict=True):
        if _is_alone(found, model):
            rounds[at] = found
        else:
            rounds[at][output] = found
    return rounds


def _is_alone(found: Any, model: FittedModel) -> bool:
    """Return whether a hypothesis is the only one of its round."""
    if model.code is not None:
        return False
    # Classifiers of other libraries do not tell what they answer.
    says = getattr(found, "says", "number" if model.class_by_class else "class")
    return says != "number" or (model.n_outputs == 1 and not model.class_by_class)


def each_member(model: FittedModel) -> Iterator[Member]:
    """Yield every hypothesis in its place."""
    return _in_grid(model) if model.has_grid else _in_rounds(model)


def _hypotheses(model: FittedModel) -> list[Any]:
    labels = model.labels
    return [hypothesis_from_core(found, labels) for found in model.descriptions()]


def _in_rounds(model: FittedModel) -> Iterator[Member]:
    weights, errors = model.weights, model.errors
    for at, found in enumerate(hypotheses_by_round(model)):
        if not isinstance(found, list):
            yield Member(found, at + 1, None, float(weights[at]), float(errors[at]))
            continue
        for output, member in enumerate(found):
            if member is not None:
                place = (at, output) if weights.ndim == 2 else at
                yield Member(member, at + 1, output, float(weights[place]), float(errors[place]))


def _at_nodes(model: FittedModel) -> Iterator[tuple[Any, int, int, int]]:
    """Yield every hypothesis of a grid with its layer, problem and node."""
    width = model.n_outputs // model.n_problems
    for found, (layer, output) in zip(_hypotheses(model), model.member_places(), strict=True):
        yield (found, layer, *divmod(output, width))


def _in_grid(model: FittedModel) -> Iterator[Member]:
    masses, errors = model.node_masses, model.errors
    for found, layer, problem, node in _at_nodes(model):
        place = (layer, node) if model.code is None else (layer, problem, node)
        output = None if model.code is None else problem
        yield Member(found, layer + 1, output, float(masses[place]), float(errors[place]))


def _by_layer(model: FittedModel) -> list[Any]:
    problems = range(model.n_problems)
    layers = [[[None] * (at + 1) for _ in problems] for at in range(model.n_rounds)]
    for found, layer, problem, node in _at_nodes(model):
        layers[layer][problem][node] = found
    return layers if len(problems) > 1 else [layer[0] for layer in layers]
