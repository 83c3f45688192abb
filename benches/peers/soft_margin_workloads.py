"""The workloads of soft-margin programs, beside cvxpy with Clarabel.

In: sizes and threads. Out: titles, bars and contenders. The margins are those of real stumps,
boosted on simulated rows; ours are weighed from the frame, while cvxpy gets the matrix ready.
Objectives are compared over random problems, in millionths of the objective.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import cvxpy as cp
import numpy as np
import polars as pl
from contest import Bar, Contender, Workload
from memory import Job, measure_in_fresh_process
from numpy.typing import NDArray
from problem import draw
from rivals import N_COLUMNS, Sizes, fit

from weakforce import (
    BoostingClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    reweight,
)

Matrix = NDArray[np.float64]

N_VOTES = 200
FEWER_ROWS, MANY_ROWS = 8_000, 50_000
PRICE = 100.0  # the default of QPAdaBoostClassifier
MILLIONTHS = 1e6
N_PROBLEMS = 20
MOST = (2_000, 200)  # rows and hypotheses of a random problem
SMALLEST = 0.1  # objectives nearer to zero count as this large: cvxpy is exact to some 1e-8
PRICES = {"lp": None, "lp-reg": (1.0, 30.0), "qp-reg": (0.1, 1e4), "l1": (1e-3, 1e2)}


def soft_margin_workloads(sizes: Sizes) -> dict[str, Workload]:
    quadratic = f"QP_Reg over {N_VOTES} stumps on"
    difference = f"largest difference of objectives, {N_PROBLEMS} random problems,"
    programs = {
        f"x{number}": Workload(
            f"{difference} {method}, up to {MOST[0]:,} × {MOST[1]}",
            (Bar(None, at_most=1),),
            partial(same_objective, method, sizes),
            unit="millionths",
            pick=max,
        )
        for number, method in enumerate(PRICES, 1)
    }
    return {
        "u": Workload(
            f"{quadratic} {FEWER_ROWS:,} rows, C = {PRICE:g}",
            (Bar("cvxpy", at_least=5),),
            partial(against_cvxpy, sizes),
        ),
        "v": Workload(
            f"{quadratic} {MANY_ROWS:,} rows, C = {PRICE:g}",
            (Bar(None, at_most=60),),
            partial(many_rows, sizes),
        ),
        "w": Workload(
            f"peak memory of QPAdaBoost above its input, {MANY_ROWS:,} rows, {N_VOTES} stumps",
            (Bar(None, at_most=2_000),),
            partial(peak_memory, sizes),
            unit="MB",
            pick=max,
        ),
        **programs,
    }


def against_cvxpy(sizes: Sizes) -> list[Contender]:
    """Slack as variables of its own, as the program is written, or inside the objective."""
    model, frame, y = boosted(FEWER_ROWS, sizes)
    M = margins_of(model, frame, y)
    written = partial(solve_with_cvxpy, "qp-reg", M, PRICE)
    return [
        Contender.timed("weakforce", "polars", partial(weigh, model, frame, y)),
        Contender.timed("cvxpy", "slack as variables", written),
        Contender.timed("cvxpy", "slack in the objective", partial(solve_hinge, M, PRICE)),
    ]


def many_rows(sizes: Sizes) -> list[Contender]:
    model, frame, y = boosted(MANY_ROWS, sizes)
    return [Contender.timed("weakforce", "polars", partial(weigh, model, frame, y))]


def peak_memory(sizes: Sizes) -> list[Contender]:
    """The whole fit: AdaBoost, the margins of all votes, and the program."""
    parameters = {"C": PRICE}
    job = Job(
        MANY_ROWS,
        N_COLUMNS,
        N_VOTES,
        sizes.threads,
        booster="QPAdaBoostClassifier",
        parameters=parameters,
    )
    return [Contender("weakforce", "polars", lambda: measure_in_fresh_process(job))]


def same_objective(method: str, sizes: Sizes) -> list[Contender]:
    def largest_difference() -> float:
        generator = np.random.default_rng(0)
        return max(difference(method, generator, sizes) for _ in range(N_PROBLEMS))

    return [Contender("weakforce", "", largest_difference)]


def difference(method: str, generator: np.random.Generator, sizes: Sizes) -> float:
    """Return by how many millionths the objectives of a random problem differ."""
    n_rows, n_votes = (int(np.exp(generator.uniform(np.log(10), np.log(most)))) for most in MOST)
    frame, y = draw(n_rows, N_COLUMNS, seed=int(generator.integers(2**31)))
    y[:2] = (0, 1)
    booster = DiscreteAdaBoostClassifier if generator.random() < 0.5 else RealAdaBoostClassifier
    model = booster(n_estimators=n_votes, n_jobs=sizes.threads).fit(frame, y)
    price = None
    if PRICES[method] is not None:
        price = float(np.exp(generator.uniform(*np.log(PRICES[method]))))
    ours = reweight(model, frame, y, method=method, C=price).objective_
    theirs = solve_with_cvxpy(method, margins_of(model, frame, y), price)
    return MILLIONTHS * abs(ours - theirs) / max(abs(theirs), SMALLEST)


def boosted(
    n_rows: int, sizes: Sizes
) -> tuple[BoostingClassifier, pl.DataFrame, NDArray[np.int64]]:
    frame, y = draw(n_rows, N_COLUMNS)
    model = DiscreteAdaBoostClassifier(n_estimators=N_VOTES, n_jobs=sizes.threads)
    return fit(model, frame, y), frame, y


def weigh(model: BoostingClassifier, frame: pl.DataFrame, y: NDArray[np.int64]) -> object:
    return reweight(model, frame, y, method="qp-reg", C=PRICE)


def margins_of(model: BoostingClassifier, frame: pl.DataFrame, y: NDArray[np.int64]) -> Matrix:
    """Return y h(x) of all hypotheses, a column for each; votes are exactly −1 or +1."""
    scores = np.array(list(model.staged_decision_function(frame)))
    answers = np.diff(scores, axis=0, prepend=0.0) / model.estimator_weights_[:, None]
    return (2 * y - 1)[:, None] * answers.T.round(12)


def solve_with_cvxpy(method: str, M: Matrix, price: float | None) -> float:
    """Return the objective of a program, written down as it is defined."""
    n_rows, n_votes = M.shape
    weights = cp.Variable(n_votes, nonneg=True)
    slack = cp.Variable(n_rows, nonneg=True)
    rho = cp.Variable()
    paid = 0 if price is None else price / n_rows * cp.sum(slack)
    goals: dict[str, Callable[[], tuple[Any, list[Any]]]] = {
        "lp": lambda: (cp.Maximize(rho), [M @ weights >= rho, cp.sum(weights) == 1]),
        "lp-reg": lambda: (
            cp.Maximize(rho - paid),
            [M @ weights >= rho - slack, cp.sum(weights) == 1],
        ),
        "qp-reg": lambda: (
            cp.Minimize(cp.sum_squares(weights) + paid),
            [M @ weights >= 1 - slack],
        ),
        "l1": lambda: (
            cp.Minimize(cp.sum(weights) + n_rows * paid),
            [M @ weights >= 1 - slack],
        ),
    }
    return solved(cp.Problem(*goals[method]()))


def solve_hinge(M: Matrix, price: float) -> float:
    weights = cp.Variable(M.shape[1], nonneg=True)
    slack = cp.sum(cp.pos(1 - M @ weights))
    return solved(cp.Problem(cp.Minimize(cp.sum_squares(weights) + price / len(M) * slack)))


def solved(problem: Any) -> float:
    """Return the objective; one that is only almost exact will do, as it can but miss a bar."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        problem.solve(solver=cp.CLARABEL)
    if problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        raise RuntimeError(f"cvxpy says {problem.status}")
    return float(problem.value)
