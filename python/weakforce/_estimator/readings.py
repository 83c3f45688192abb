"""Fitted models to read: rules, text, contributions, and expressions for other engines.

In: a fitted model. Out: hypotheses, frames, strings, Polars expressions and SQL. What a method does
is written in the module that it calls.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from .._fitting.labels import Floats
from .._reading.contributions import contributions
from .._reading.members import hypotheses_by_round
from .._reading.rules import rule_table
from .._reading.summaries import summary
from ..export import polars_expression, sql_query
from .fitted import Fitted


class Readings(Fitted):
    """The methods of a booster that show what it has learned."""

    n_jobs: int | None

    @property
    def estimators_(self) -> list[Any]:
        """The weak hypotheses by round; by round and class (or problem) if a round has several."""
        return hypotheses_by_round(self.fitted_model_)

    @property
    def feature_importances_(self) -> Floats:
        """How much the model looks at each column; sums to 1."""
        return self.fitted_model_.importances

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
        return rule_table(self.fitted_model_, merge)

    def summary(self, n: int = 20) -> str:
        """Return what the model is, as text to print.

        The `n` strongest rules, where equal ones are merged, or for learners that are not rules
        their sizes and the `n` most important columns. The strength of a rule is half of what it
        makes of a difference to a score: |α| |inside − outside| / 2, and |α| / 2 for a vote for one
        of several classes.
        """
        return summary(self.fitted_model_, n)

    def contributions(
        self, X: Any, *, n_orders: int = 256, random_state: Any = 0, errors: bool = False
    ) -> pl.DataFrame:
        """Return how much every column contributes to the score of each row: Shapley values.

        A column is worth what knowing its value changes in the score, averaged over all orders in
        which the columns of a row could become known. What is not known counts as the training
        rows do: the mean over all of them for stumps, over those that pass the same tests before
        for rules and trees (path-dependent TreeSHAP). Scores that are no sums, those of SFBoost and
        MartiBoost, are averaged over the values that each unknown column has in the training rows,
        whatever the other columns are. That is exact for SFBoost with stumps, and for models that
        tell few combinations of values apart; else it is an estimate.

        Parameters:
            X: the rows.
            n_orders: how many orders an estimate is made of, the same for all rows.
            random_state: the seed they are drawn from.
            errors: whether to add the standard errors of all numbers, in columns with " ±" behind
                their names; 0 where values are exact.

        Returns:
            A frame with a column for each column that fit saw, in its order, and a column bias, the
            same for all rows; the sum of a row is its `decision_function`, also of an estimate. For
            several classes there is a row for each row and class, and the columns row and class
            come first. Should X have columns of these names, ours have underscores behind them.

        Only for stumps, rules and trees: RBF nets and scikit-learn classifiers are refused.

        Examples:
            >>> from weakforce import DiscreteAdaBoostClassifier, datasets
            >>> X, y = datasets.make_xd6(500, seed=1)
            >>> model = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
            >>> parts = model.contributions(X)
            >>> bool(abs(parts.sum_horizontal() - model.decision_function(X)).max() < 1e-9)
            True
        """
        options: dict[str, Any] = {"n_orders": n_orders, "random_state": random_state}
        return contributions(self.fitted_model_, X, self.n_jobs, errors=errors, **options)

    def to_polars(self) -> pl.Expr:
        """Return the model as a Polars expression, which gives its `decision_function`.

        The expression needs neither the model nor this library: it can be serialised, and scores
        lazy frames and streams as well. It finds columns by name, those of an array as `x0`, `x1`
        and so on; columns that the model does not look at may be absent. Null and NaN are missing
        values, and so are categories that fit has not seen.

        Returns:
            For two classes the score, called score; a score of at least 0 speaks for the second
            class, unless `calibrate` or costs move that limit. For more a struct called scores with
            a field for each class. If the model looks at a column of that name, there is an
            underscore behind it.

        Only for stumps, rules and trees whose scores are sums, and for SFBoost: MartiBoost, RBF
        nets and scikit-learn classifiers are refused.

        Examples:
            >>> import polars as pl
            >>> from weakforce import DiscreteAdaBoostClassifier
            >>> people = pl.DataFrame({"age": [20, 30, 40, 50], "ill": ["no", "no", "yes", "no"]})
            >>> model = DiscreteAdaBoostClassifier(n_estimators=3).fit(people, "ill")
            >>> people.filter(model.to_polars() >= 0).rows()
            [(40, 'yes')]
        """
        return polars_expression(self.fitted_model_)

    def to_sql(self, table: Any, dialect: str = "duckdb", *, keep: Any = ()) -> str:
        """Return the model as one SELECT that scores the rows of a table.

        Names and texts are quoted, whatever they hold. Null, NaN and categories that fit has not
        seen are missing values. Columns that the model does not look at may be absent; the columns
        of an array are called `x0`, `x1` and so on.

        Parameters:
            table: the name of the table or view. "main.people" is a table in a schema; a tuple of
                names, such as ("main", "people.2024"), can hold dots.
            dialect: "duckdb" (1.1 or later), "postgres" (14) or "sqlite" (3.35).
            keep: columns of the table that the query hands on, such as a key.

        Returns:
            A query whose columns are those to keep, then for two classes score, for more
            score_<label> for each, which equal `decision_function`; last prediction, the label
            that `predict` gives (where scores are equal up to rounding, it may differ). For sets
            of labels there is a column prediction_<label> for each. Names that are taken have
            underscores behind them. There are no probabilities.

        A query promises no order of its rows, and DuckDB returns them in another one where it joins
        long lists of categories: keep a key, or add ORDER BY.

        Columns should have the types that they had for fit; a TIMESTAMPTZ_NS of DuckDB has to be
        cast to TIMESTAMPTZ first. Lengths of time as labels are intervals, in SQLite numbers of
        microseconds. SQLite knows no dates: it is told that
        dates, datetimes and times of day are ISO texts (2024-05-17 12:30:00.25, with a time zone or
        without) or numbers of microseconds, which durations always are. Intervals should hold no
        months, whose length is anybody's guess.

        Only for stumps, rules and trees whose scores are sums, and for SFBoost: MartiBoost, RBF
        nets and scikit-learn classifiers are refused, and so are more than two classes with
        calibrate="isotonic" or costs in `WeakForceClassifier`.

        Examples:
            >>> import sqlite3
            >>> import polars as pl
            >>> from weakforce import DiscreteAdaBoostClassifier
            >>> people = pl.DataFrame({"age": [20, 30, 40, 50], "ill": ["no", "no", "yes", "yes"]})
            >>> model = DiscreteAdaBoostClassifier(n_estimators=3).fit(people, "ill")
            >>> base = sqlite3.connect(":memory:")
            >>> _ = base.execute("CREATE TABLE people (name TEXT, age REAL)")
            >>> _ = base.execute("INSERT INTO people VALUES ('Ada', 36), ('Carl', 29)")
            >>> query = model.to_sql("people", dialect="sqlite", keep=["name"])
            >>> [(name, label) for name, _, label in base.execute(query)]
            [('Ada', 'yes'), ('Carl', 'no')]
        """
        return sql_query(self.fitted_model_, table, dialect, keep)
