"""Fitted models to read: rules, text, contributions, and expressions for other engines.

In: a fitted estimator. Out: frames, strings, Polars expressions and SQL. What a method does is
written in the module that it calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl

from ._contributions import contributions
from ._rules import rule_table, summarise

if TYPE_CHECKING:
    from ._base import BoostingClassifier


class Readings:
    """The methods of a booster that show what it has learned."""

    def rules(self, *, merge: bool = False) -> pl.DataFrame:
        """Return the rules of a model of `Rule()` or `Stump()` as a table.

        Parameters:
            merge: whether rules with the same condition become one line, strongest first. Its
                weight is their sum and its answers are weighted means, so that it adds the same
                to every score; "rounds" lists where it came from; weight_fired and error are means
                over these rounds. Should the weights cancel, the weight is the sum of their sizes.

        Returns:
            A frame with the columns round (from 1), rule (the condition), text (with the answers),
            weight (α), inside and outside (the answers to rows on which the rule fires, and to all
            others), rows_fired (training rows) and weight_fired (share of the row weights of its
            round), both null for stumps, and error (weighted error in its round). If a round has a
            rule for each class or two-class problem, the column class says for which it is. Rules
            that vote for classes answer with labels (as text) and merge only if they agree.
        """
        return rule_table(self._myself(), merge)

    def summary(self, n: int = 20) -> str:
        """Return what the model is, as text to print.

        The `n` strongest rules, where equal ones are merged, or for learners that are not rules
        their sizes and the `n` most important columns. The strength of a rule is half of what it
        makes of a difference to a score: |α| |inside − outside| / 2, and |α| / 2 for a vote for one
        of several classes.
        """
        return summarise(self._myself(), n)

    def contributions(self, X: Any) -> pl.DataFrame:
        """Return how much every column contributes to the score of each row: Shapley values.

        A column is worth what knowing its value changes in the score, averaged over all orders in
        which the columns of a row could become known. What is not known counts as the training
        rows do: the mean over all of them for stumps, over those that pass the same tests before
        for rules and trees (path-dependent TreeSHAP).

        Parameters:
            X: the rows.

        Returns:
            A frame with a column for each column that fit saw, in its order, and a column bias, the
            same for all rows; the sum of a row is its `decision_function`. For several classes
            there is a row for each row and class, and the columns row and class come first. Should
            X have columns of these names, ours have underscores behind them.

        Only for scores that are sums of stumps, rules or trees: SFBoost, MartiBoost, RBF nets and
        scikit-learn classifiers are refused.

        Examples:
            >>> from weakforce import DiscreteAdaBoostClassifier, datasets
            >>> X, y = datasets.make_xd6(500, seed=1)
            >>> model = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
            >>> parts = model.contributions(X)
            >>> bool(abs(parts.sum_horizontal() - model.decision_function(X)).max() < 1e-9)
            True
        """
        return contributions(self._myself(), X)

    def _myself(self) -> BoostingClassifier:
        """Return the estimator that this is a part of."""
        return cast("BoostingClassifier", self)
