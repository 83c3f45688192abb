"""The programs of `reweight` that tests run over, and the check that an answer is optimal.

In: a reweighted model and the margins of its hypotheses. Out: an assertion that names the condition
which is violated most.
"""

import numpy as np
import pytest

from reference.soft_margin import Answer, optimality_residuals

PROGRAMS = [
    ("lp", None),
    ("lp-reg", 1.0),
    ("lp-reg", 3.0),
    ("lp-reg", 25.0),
    ("qp-reg", 0.1),
    ("qp-reg", 10.0),
    ("qp-reg", 100.0),
    ("qp-reg", 3000.0),
    ("l1", 1e-4),
    ("l1", 0.03),
    ("l1", 5.0),
]
every_program = pytest.mark.parametrize(("method", "C"), PROGRAMS)
#: One of each kind, for tests of what does not depend on C.
FEW = [("lp", None), ("lp-reg", 3.0), ("qp-reg", 10.0), ("l1", 0.1)]
some_programs = pytest.mark.parametrize(("method", "C"), FEW)


def answer_in(model):
    return Answer(model.estimator_weights_, model.slack_, model.duals_, model.objective_)


def assert_optimal(model, method, C, M, u, tolerance=1e-6):
    """Every condition holds up to the tolerance, for numbers as large as those of the program."""
    answer, there = answer_in(model), u > 0
    answer = Answer(answer.weights, answer.slack[there], answer.duals[there], answer.objective)
    residuals = optimality_residuals(method, answer, M[there], u[there], C)
    scale = max(1.0, np.abs(answer.weights).max(), answer.duals.max())
    worst = max(residuals, key=residuals.get)
    assert residuals[worst] < tolerance * scale, worst
