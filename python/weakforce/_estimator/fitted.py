"""The fitted model of an estimator.

In: what fit or a file leaves. Out: a `FittedModel`, which everything that reads a model takes.
"""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from .._reading.fitted_model import FittedModel


class Fitted:
    """What is fitted owns a `FittedModel`."""

    _fitted_model: FittedModel

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted_model")

    @property
    def fitted_model_(self) -> FittedModel:
        """The fitted model, apart from the estimator; it never changes."""
        check_is_fitted(self)
        return self._fitted_model
