"""The calls of a case: fit, what must hold afterwards, and a few further calls.

In: a case. Out: "fitted" or "refused"; findings are raised. A refusal must leave the estimator as
it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import weakforce

from . import frames, labels
from .promises import check, check_contributions, check_exports, check_scores, refused
from .refusals import must_hold
from .values import decode


class UnbuiltError(Exception):
    """A case that cannot be put together: no fault of the library's."""


def run_fit(case: dict[str, Any]) -> str:
    """Fit, and check what the model promises."""
    X, y, weights, validation, other = _build(case)
    model = refused(lambda: _estimator(case))
    if model is None:
        return "refused"
    before = repr(model.get_params())
    fitted = refused(lambda: model.fit(X, y, weights, **validation))
    must_hold(repr(model.get_params()) == before, "fit leaves parameters as they are")
    if fitted is None:
        must_hold(not hasattr(model, "classes_"), "a failed fit leaves the estimator as it was")
        return "refused"
    check(model, X, y, frames.as_polars(case["columns"], case["container"]))
    if other is not None:
        _check_other(model, other, case)
    for name in case["then"]:
        refused(_further(name, model, (X, y, weights)))
    return "fitted"


def _build(case: dict[str, Any]) -> tuple[Any, ...]:
    """Return X, y, weights, the validation rows and the other rows of a case."""
    try:
        X = frames.build(case["columns"], case["container"])
        y, weights = labels.build(case["labels"]), labels.build(case["weights"])
        given, other = case["validation"], case["other"]
        validation = {}
        if given is not None:
            validation["X_val"] = frames.build(given["columns"], case["container"])
            validation["y_val"] = labels.build(given["labels"])
        rows = None if other is None else frames.build(other, case["container"])
    except BaseException as error:  # panics of Polars and Arrow among them
        raise UnbuiltError(f"{type(error).__name__}: {error}") from None
    return X, y, weights, validation, rows


def _estimator(case: dict[str, Any]) -> Any:
    parameters = {name: decode(value) for name, value in case["parameters"].items()}
    if case["learner"] is not None and case["booster"] != "WeakForceClassifier":
        parameters["estimator"] = decode(case["learner"])
    return getattr(weakforce, case["booster"])(**parameters)


def _check_other(model: Any, rows: Any, case: dict[str, Any]) -> None:
    """Check rows that fit has not seen, or that they are refused."""
    if refused(lambda: model.decision_function(rows)) is None:
        refused(lambda: model.predict(rows))
        refused(lambda: model.contributions(rows))
        return
    scores = check_scores(model, rows)
    check_contributions(model, rows, scores)
    frame = frames.as_polars(case["other"], case["container"])
    same = _types(case["other"]) == _types(case["columns"])
    if frame is not None and same:
        check_exports(model, frame)


def _types(columns: list[dict[str, Any]]) -> dict[str, str]:
    return {column["name"]: column["type"] for column in columns}


def _further(name: str, model: Any, given: tuple[Any, Any, Any]) -> Callable[[], Any]:
    X, y, weights = given
    return {
        "staged": lambda: [len(scores) for scores in model.staged_decision_function(X)],
        "margin_curve": lambda: weakforce.margin_curve(model, X, y, sample_weight=weights),
        "margin_statistics": lambda: weakforce.margin_statistics(model, X, y),
        "margin_bounds": lambda: weakforce.margin_bounds(model, X, y),
        "reweight": lambda: check_scores(
            weakforce.reweight(model, X, y, C=1.0, sample_weight=weights, time_limit=5.0), X
        ),
        "warm_start": lambda: _fit_again(model, given),
        "suspect_labels": lambda: weakforce.suspect_labels(X, y, sample_weight=weights),
        "clone": lambda: _fit_twice(model, given),
        "report": lambda: _report(model, X, y),
    }[name]


def _fit_again(model: Any, given: tuple[Any, Any, Any]) -> None:
    if "warm_start" not in model.get_params():
        return
    if isinstance(model.n_estimators, int) and not hasattr(model, "n_layers"):
        model.set_params(n_estimators=model.n_estimators + 2)
    model.set_params(warm_start=True).fit(*given)
    check_scores(model, given[0])


def _fit_twice(model: Any, given: tuple[Any, Any, Any]) -> None:
    """Check that the same fit gives the same model."""
    from sklearn.base import clone

    if not isinstance(model.get_params().get("random_state"), int):
        return
    again = clone(model).fit(*given)
    same = (
        again.decision_function(given[0]).tobytes() == model.decision_function(given[0]).tobytes()
    )
    must_hold(same, "the same fit gives the same model")


def _report(model: Any, X: Any, y: Any) -> None:
    import polars as pl

    from weakforce.report import report_page

    if isinstance(X, pl.DataFrame) and X.height:
        report_page(model, X, pl.Series("label", y), n_suspects=0)
