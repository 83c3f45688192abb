"""A naive oracle for many classes, part two: stumps, rules and trees over channels (C1–C3).

In: the rows and weights of reference/channels.py. Out: hypotheses that answer with a number, a
class or a number for every class.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reference.channels import Array, Ground, Says, best_split
from reference.learners import TIE, Columns, Split
from reference.rule import Literal, grow, negated


@dataclass
class Hypothesis:
    """Parts of the rows and their answers: leaf numbers come from following the tests."""

    kind: str
    splits: list[tuple[int, Split]]
    literals: tuple[Literal, ...]
    values: list[Any]

    def parts(self, columns: Columns) -> Array:
        """The number of the part of every row; leaf 0 keeps what is inside."""
        n_rows = len(columns[0])
        part = np.zeros(n_rows, dtype=int)
        if self.kind == "rule":
            for row in range(n_rows):
                part[row] = not all(lit.holds(columns[lit.column][row]) for lit in self.literals)
            return part
        for new, (leaf, split) in enumerate(self.splits, start=1):
            for row in np.flatnonzero(part == leaf):
                if not split.takes(columns[split.column][row]):
                    part[row] = new
        return part

    def answers(self, columns: Columns) -> Array:
        return np.array(self.values)[self.parts(columns)]


def fit_tree(
    ground: Ground,
    V: Array,
    says: Says,
    *,
    max_leaf_nodes=12,
    max_depth=None,
    min_samples_leaf=1,
    min_weight_leaf=0.0,
    criterion="gini",
    answer="vote",
    smoothing=0.0,
    kind="tree",
) -> Hypothesis:
    """Grow best-first; the leaf made first wins a tie. A leaf keeps its number for rows inside."""
    leaves = [{"V": V, "born": 0, "depth": 0}]
    splits: list[tuple[int, Split]] = []
    while len(leaves) < max_leaf_nodes:
        for leaf in leaves:
            if "best" in leaf:
                continue
            impurity = float(says.impurity(criterion, leaf["V"].sum(axis=0)))
            leaf["best"] = None
            if impurity > TIE and (max_depth is None or leaf["depth"] < max_depth):
                limits = (min_samples_leaf, min_weight_leaf * V.sum())
                leaf["best"] = best_split(ground, leaf["V"], criterion, says, *limits)
            leaf["gain"] = impurity - leaf["best"].score if leaf["best"] else -np.inf
        largest = max(leaf["gain"] for leaf in leaves)
        if largest == -np.inf:
            break
        tied = [at for at, leaf in enumerate(leaves) if leaf["gain"] >= largest - TIE]
        at = min(tied, key=lambda place: leaves[place]["born"])
        old, born = leaves[at], 2 * len(splits)
        splits.append((at, old["best"].split))
        rows = old["best"].rows[:, None]
        depth = old["depth"] + 1
        leaves[at] = {"V": np.where(rows, old["V"], 0.0), "born": born + 1, "depth": depth}
        leaves.append({"V": np.where(rows, 0.0, old["V"]), "born": born + 2, "depth": depth})
    values = [says.answer(answer, leaf["V"].sum(axis=0), smoothing) for leaf in leaves]
    return Hypothesis(kind, splits, (), values)


def fit_stump(ground: Ground, V: Array, says: Says, *, criterion="error", **answers) -> Hypothesis:
    """A tree of two leaves, or of one if nothing can be tested; a pure frame is tested too."""
    best = best_split(ground, V, criterion, says)
    if best is None:
        return fit_tree(ground, V, says, max_leaf_nodes=1, kind="stump", **answers)
    smoothing = answers.get("smoothing", 0.0)
    values = [
        says.answer(answers.get("answer", "vote"), side, smoothing)
        for side in (best.inside, best.outside)
    ]
    return Hypothesis("stump", [(0, best.split)], (), values)


def fit_rule(
    ground: Ground,
    V: Array,
    says: Says,
    *,
    max_literals=2,
    criterion="z",
    answer="vote",
    min_gain=0.0,
    smoothing=0.0,
) -> Hypothesis:
    """Grow as reference/rule.py does, over sums of channels."""
    every, holds = ground.literals
    weights = V.sum(axis=1)

    def score(rows):
        return says.impurity(criterion, rows @ V) + says.impurity(criterion, ~rows @ V)

    def best_literal(fired):
        """(score, literal, rows) of the first of the best literals; None if none says anything."""
        kept = fired & holds
        tells = (kept @ weights > 0) & ((fired & ~holds) @ weights > 0)
        scores = np.where(tells, score(kept), np.inf)
        at = int(np.argmax(scores <= scores.min() + TIE))
        return (float(scores[at]), every[at], kept[at]) if tells[at] else None

    def other_side(literal, kept):
        opposite, column = negated(literal), ground.columns[literal.column]
        others = np.array([opposite.holds(value) for value in column])
        return others if (others == ~kept)[weights > 0].all() else None

    everything = np.ones(ground.n_rows, dtype=bool)
    so_far = float(score(everything))
    literals, fired = grow(
        everything, so_far, best_literal, other_side, max_literals, gain=min_gain, tie=TIE
    )
    sides = [V[rows].sum(axis=0) for rows in (fired, ~fired)]
    values = [says.answer(answer, side, smoothing) for side in sides]
    return Hypothesis("rule", [], literals, values)


LEARNERS = {"stump": fit_stump, "rule": fit_rule, "tree": fit_tree}


def learn(learner: dict[str, Any], ground: Ground, V: Array, says: Says) -> Hypothesis:
    """Fit the learner that a dict describes, `{"kind": "tree", "max_leaf_nodes": 4}`."""
    settings = {name: value for name, value in learner.items() if name != "kind"}
    if settings.get("answer") == "auto":
        settings["answer"] = "vote"
    return LEARNERS[learner.get("kind", "stump")](ground, V / V.sum(), says, **settings)
