"""A fitted model: what export, plots, reports, margins and contributions read.

In: the core's model, the target, and what a booster knows of its models. Out: scores, margins,
hypotheses and numbers by round. This is the only reader of the core's model; an estimator owns one
and shows it as `fitted_model_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from .._fitting import external
from .._fitting.codes import Code
from .._fitting.frames import as_frame, split_column
from .._fitting.labels import Floats
from .._margins.theory import MarginTheory
from .buckets import Buckets
from .calibrations import VoteShares
from .decisions import Decisions
from .schema import Feature


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModel(Decisions):
    """What fit has learned; it never changes.

    Attributes:
        core: the core's model.
        code: how two-class problems make up the classes; None if they do not.
        name: the name of the booster's class.
        learner: the weak learner.
        theory: what is known of its margins.
        class_by_class: whether each class is a two-class problem of its own even if there are only
            two.

    Those of `Decisions` say what its scores mean.
    """

    core: _core.Model
    code: Code | None
    name: str
    learner: Any
    theory: MarginTheory
    class_by_class: bool = False

    # Outputs

    @property
    def n_outputs(self) -> int:
        """The number of sums that hypotheses add to, before scores are made of them."""
        return self.core.n_outputs

    @property
    def n_problems(self) -> int:
        """The number of two-class problems."""
        return self.core.n_problems

    @property
    def decode(self) -> str:
        """How outputs become scores, as users call it; "score" where there is no choice."""
        return self.core.decoding or "score"

    @property
    def decoding(self) -> Floats | None:
        """By output and class, how much of an output is in a score that is a sum of them.

        None if outputs are scores.
        """
        code = self.core.code
        return None if code is None else np.array(code, dtype=np.float64).T

    @property
    def output_names(self) -> list[Any]:
        """What the hypotheses of a round are for, if there are several: labels, or texts."""
        return self.labels if self.code is None else self.code.output_names(self.labels)

    # Schema

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.core.n_features

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns; None if X had none."""
        return self.core.feature_names

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, those of an array being x0, x1 and so on."""
        return self.feature_names or [f"x{at}" for at in range(self.n_features)]

    @property
    def features(self) -> list[Feature]:
        """The columns with their kinds and bins."""
        return [Feature.from_core(description) for description in self.core.features]

    # Numbers by round

    @property
    def n_rounds(self) -> int:
        """The number of rounds."""
        return self.core.n_rounds

    @property
    def stop_reason(self) -> str:
        """Why the run ended."""
        return self.core.stop_reason

    @property
    def weights(self) -> Floats:
        """The weights of hypotheses by round; by round and problem, or layer and node."""
        return self._by_node(self.core.weights)

    @property
    def errors(self) -> Floats:
        """Their weighted errors, likewise."""
        return self._by_node(self.core.errors)

    @property
    def edges(self) -> Floats:
        """Their edges, likewise."""
        return self._by_node(self.core.edges)

    @property
    def train_scores(self) -> Floats:
        """The share of training weight classified right after each round."""
        return self.core.train_scores

    @property
    def validation_scores(self) -> Floats:
        """The same on validation rows; empty without them."""
        return self.core.validation_scores

    @property
    def expected_costs(self) -> Floats:
        """The expected cost after each round; empty for boosters that minimise none."""
        return self.core.expected_costs

    @property
    def validation_costs(self) -> Floats:
        """The same on validation rows."""
        return self.core.validation_costs

    @property
    def is_reweighted(self) -> bool:
        """Whether a program has replaced the weights."""
        return self.core.is_reweighted

    @property
    def importances(self) -> Floats:
        """How much the model uses each column; sums to 1. Absent if its classifiers do not say."""
        if not self.is_external:
            return self.core.importances
        weights = self.core.weights
        of_members = np.array(
            [weights[place if weights.ndim == 2 else place[0]] for place in self.member_places()]
        )
        return external.importances_of(self.core.externals, of_members, self.n_features)

    # Combiners

    @property
    def is_sum(self) -> bool:
        """Whether scores are made of sums of weighted answers."""
        return self.core.is_sum

    @property
    def tables(self) -> list[Buckets]:
        """The tables of buckets: one for all classes, or one for each problem; else none."""
        return [Buckets.from_core(table) for table in self.core.tables]

    @property
    def counts_hypotheses(self) -> bool:
        """Whether scores are looked up by the number of hypotheses that fire."""
        return self.core.combiner in ("buckets", "tables")

    @property
    def buckets(self) -> Buckets | None:
        """The one table of buckets; None unless scores are looked up in one."""
        return self.tables[0] if self.core.combiner == "buckets" else None

    def bucket_scores(self, n_rounds: int) -> list[Floats]:
        """Return the scores by bucket after some rounds, by table."""
        return self.core.bucket_scores(n_rounds)

    @property
    def has_grid(self) -> bool:
        """Whether rows walk through a grid of hypotheses."""
        return self.core.combiner == "grid"

    @property
    def node_masses(self) -> Floats:
        """The share of the training weight that reaches each node of a grid, as `weights`."""
        masses = self.core.node_masses
        if masses is None:
            raise ValueError("the model has no grid")
        return self._by_node(masses)

    def _by_node(self, numbers: Floats) -> Floats:
        """Return numbers of a grid by layer and node, or by layer, problem and node."""
        if not self.has_grid:
            none_of_problems = self.n_rounds == 0 and self.code is not None
            return numbers.reshape(0, self.n_problems) if none_of_problems else numbers
        by_node = numbers.reshape(self.n_rounds, self.n_problems, -1)[..., : self.n_rounds]
        return by_node[:, 0] if self.n_problems == 1 else by_node

    # Hypotheses

    @property
    def is_external(self) -> bool:
        """Whether the hypotheses are classifiers of another library."""
        return self.core.is_external

    @property
    def n_members(self) -> int:
        """The number of hypotheses."""
        return self.core.n_members

    def member_places(self) -> list[tuple[int, int]]:
        """Return the round, from 0, and the output of each hypothesis."""
        rounds, outputs = self.core.member_rounds, self.core.member_outputs
        return list(zip(rounds.tolist(), outputs.tolist(), strict=True))

    def descriptions(self) -> Iterator[Any]:
        """Yield the core's description of each hypothesis; external classifiers as they are."""
        return (self.core.hypothesis(at) for at in range(self.n_members))

    def step_functions(self) -> tuple[dict[int, Floats], list[int]]:
        """Return what columns add by themselves, and the hypotheses that are not in it.

        By column, what hypotheses that test no other one add to each output, by code; the last code
        is that of missing values.
        """
        by_column, others = self.core.step_functions()
        steps = {at: sums for at, sums in enumerate(by_column) if sums is not None}
        return steps, others

    def hypothesis_kinds(self) -> Iterator[str]:
        """Yield the kind of each hypothesis; of external classifiers the name of their class."""
        for found in self.descriptions():
            yield found["kind"] if isinstance(found, dict) else type(found).__name__

    # Rows

    def read(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return X without its target, and the truth of the target."""
        X, y = split_column(X, y, "y")
        return X, self.read_labels(y)

    def read_labels(self, y: Any) -> Any:
        """Return the truth of labels."""
        return self.target.read(y, self.name)

    def decision_function(self, X: Any, n_jobs: int | None) -> Floats:
        """Return the scores of every row."""
        frame, view = self._view(X)
        return self.shown(self.core.decision_function(frame, n_jobs, view))

    def staged_decision_function(self, X: Any, n_jobs: int | None) -> Iterator[Floats]:
        """Yield the scores of every row after each round."""
        frame, view = self._view(X)
        for scores in self.core.staged(frame, n_jobs, view):
            yield self.shown(scores)

    def without_prior(self) -> FittedModel:
        """Return the model whose scores are those of the hypotheses alone."""
        return self if self.prior is None else replace(self, prior=None)

    def probabilities_after(self, n_rounds: int, scores: Floats) -> Floats:
        """Return P(class) for scores of the first rounds."""
        if isinstance(self.calibration, VoteShares):
            return VoteShares(float(self.weights[:n_rounds].sum())).probabilities(scores)
        return self.probabilities(scores)

    def _view(self, X: Any) -> tuple[Any, external.ScoringView | None]:
        """Return X as the core reads it, and as external classifiers do."""
        if not self.is_external:
            return as_frame(X), None
        targeted = external.learns_targets(self.n_classes, self.class_by_class)
        return external.score_view(X, self.feature_names, self.classes, targeted)

    def contributions(
        self, X: Any, n_jobs: int | None, orders: tuple[int, int]
    ) -> tuple[
        list[_core.Numbers | None],
        Floats,
        tuple[list[_core.Numbers | None], Floats] | None,
        int,
    ]:
        """Return what each column adds to the outputs, the bias, errors, and the number of rows.

        `orders` says how many pairs of orders are drawn from which seed if values are estimated.
        """
        return self.core.contributions(as_frame(X), n_jobs, orders)

    def margins(self, leads: Floats, kind: str, n_rounds: int | None = None) -> Floats:
        """Return the margins that belong to leads after some rounds; by default all."""
        rounds = self.n_rounds if n_rounds is None else n_rounds
        return self.theory.margins(self, leads, kind, rounds)

    def loss_bounds(self) -> Floats | None:
        """Return what the loss is proved to be at most; see `MarginTheory.loss_bounds`."""
        return self.theory.loss_bounds(self)
