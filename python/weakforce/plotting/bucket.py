"""The buckets of SFBoost: how many rows of which class are in them, and their scores.

In: the bucket table of a fitted model. Out: a picture of stacked bars with the scores as lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._estimator.checks import checked_booster
from .._fitting.labels import Floats
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text
from ..plotting import canvas

if TYPE_CHECKING:
    from typing_extensions import Self

#: More classes than this have no lines for their scores, which would be a thicket.
_MOST_SCORES = 3

#: More buckets than this have no marks.
_MOST_MARKS = 60


class BucketDisplay:
    """Training rows by bucket and class, and the score of each bucket.

    Parameters:
        counts: training rows by bucket and class.
        scores: the score of each bucket; by bucket and class for more than two classes.
        labels: the names of the classes.
        name: a title, or None.

    Attributes:
        ax_: the axes of the bars, `score_ax_` those of the scores, `figure_` their figure.
        bars_: the bars of each class, from the bottom up.
        score_lines_: the scores: one line for two classes, one for each of three, else none.

    Buckets below the first one and above the last one with training rows are left out.

    Examples:
        >>> from weakforce import BucketDisplay, SFBoostClassifier, datasets
        >>> model = SFBoostClassifier(n_estimators=21)
        >>> model = model.fit(*datasets.make_long_servedio(1000, noise=0.2, seed=1))
        >>> [bars.get_label() for bars in BucketDisplay.from_estimator(model).bars_]
        ['rows of 0', 'rows of 1']
    """

    def __init__(
        self,
        counts: NDArray[np.int64],
        scores: Floats,
        labels: Sequence[str],
        *,
        name: str | None = None,
    ) -> None:
        self.counts = counts
        self.scores = scores
        self.labels = list(labels)
        self.name = name

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw the buckets of a fitted `SFBoostClassifier`.

        Parameters:
            model: the classifier.
            ax: axes to draw on; None makes new ones.

        Returns:
            The display.
        """
        return cls(**bucket_contents(checked_booster(model).fitted_model_)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the buckets.

        Parameters:
            ax: axes to draw on; None makes new ones.

        Returns:
            The display.
        """
        self.ax_ = canvas.own_axes(ax, (6.8, 4.2))
        self.figure_ = self.ax_.figure
        canvas.clear_frame(self.ax_)
        occupied = np.flatnonzero(self.counts.sum(axis=1))
        shown = slice(int(occupied[0]), int(occupied[-1]) + 1)
        buckets = np.arange(len(self.counts))[shown]
        self.bars_: list[Any] = []
        bottom = np.zeros(len(buckets))
        for label, look, counts in zip(
            self.labels, canvas.line_looks(len(self.labels)), self.counts[shown].T, strict=True
        ):
            bars = self.ax_.bar(
                buckets,
                counts,
                bottom=bottom,
                width=0.9,
                color=look["color"],
                alpha=0.55,
                linewidth=0,
                label=f"rows of {canvas.shortened_text(label, 20)}",
            )
            self.bars_.append(bars)
            bottom = bottom + counts
        self._draw_scores(buckets, self.scores[shown], (occupied - occupied[0]).tolist())
        self.ax_.set(xlabel="bucket: the number of tests that a row passes", ylabel="training rows")
        self.ax_.xaxis.get_major_locator().set_params(integer=True)
        self._set_legend()
        return self

    def _draw_scores(self, buckets: NDArray[np.intp], scores: Floats, occupied: list[int]) -> None:
        """Draw the scores, with marks where there are rows: the others are filled in."""
        self.score_ax_ = self.ax_.twinx()
        self.score_lines_: list[Any] = []
        by_class = scores.reshape(len(buckets), -1)
        if by_class.shape[1] > _MOST_SCORES:
            self.score_ax_.set_axis_off()
            return
        single = by_class.shape[1] == 1
        marks = {"marker": "o", "markersize": 4, "markevery": occupied}
        marks = marks if len(buckets) <= _MOST_MARKS else {}
        for place, (numbers, look) in enumerate(
            zip(by_class.T, canvas.line_looks(by_class.shape[1]), strict=True)
        ):
            color = "black" if single else look["color"]
            label = "score" if single else f"score of {self.labels[place]}"
            (line,) = self.score_ax_.plot(
                buckets, numbers, color=color, linewidth=1.6, label=label, **marks
            )
            self.score_lines_.append(line)
        if single:
            self.score_ax_.axhline(0.0, color="black", linewidth=0.8, linestyle=(0, (1, 2)))
            positive = canvas.shortened_text(self.labels[1], 20)
            self.score_ax_.set_ylabel(f"score (above 0: {positive})")
        else:
            self.score_ax_.set_ylabel("score: logarithm of the class’s share")
        self.score_ax_.spines["top"].set_visible(False)

    def _set_legend(self) -> None:
        handles = [*self.bars_, *self.score_lines_]
        canvas.legend_above(self.ax_, handles)
        if self.name is not None:
            self.ax_.set_title(self.name, loc="left", pad=8 + 14 * (1 + (len(handles) - 1) // 3))


def bucket_contents(model: FittedModel) -> dict[str, Any]:
    """Return what a display of buckets holds; refuse models without buckets."""
    buckets = model.buckets
    if buckets is None and model.counts_hypotheses:
        raise TypeError(
            f"parameter 'model': got {model.name} with a table for each of {model.n_problems} "
            "two-class problems, expected two classes, or multi_class='shared'"
        )
    if buckets is None:
        raise TypeError(
            f"parameter 'model': got {model.name}, which has no buckets, expected "
            "SFBoostClassifier; LearningDisplay and MarginDisplay are for all boosters"
        )
    return {
        "counts": buckets.counts,
        "scores": buckets.scores,
        "labels": [label_text(label) for label in model.labels],
        "name": canvas.title_of(model),
    }
