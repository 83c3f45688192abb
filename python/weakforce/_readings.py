"""Fitted models to read: rules, text, contributions, and expressions for other engines.

In: a fitted estimator. Out: frames, strings, Polars expressions and SQL. What a method does is
written in the module that it calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import polars as pl

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

    def _myself(self) -> BoostingClassifier:
        """Return the estimator that this is a part of."""
        return cast("BoostingClassifier", self)
