"""What boosters for two classes share: several classes by decomposition into two-class problems.

In: the parameters `multi_class` and `decode`. Out: the code by which the core runs the two-class
boosters side by side, and how it reads one class from their scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._fitting.codes import DRAWN, Code, code_for, one_vs_one, one_vs_rest
from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .._fitting.targets import Target
from .base import BoostingClassifier

#: The parameters that are no booster's own.
_DECOMPOSING = ("multi_class", "decode")


@dataclass(eq=False, repr=False, kw_only=True)
class DecomposedClassifier(BoostingClassifier):
    """Boosters for two classes; more classes become several two-class problems.

    Parameters:
        multi_class: "ovr" (a problem for each class against the rest), "ovo" (one for each pair of
            classes), "ecoc" (a random error-correcting code, drawn by `random_state`), "ecoc-max"
            (as many columns, whose rows are made as different as a search finds them), or a code
            matrix of −1, 0 and +1 with a row for each class and a column for each problem; classes
            with 0 take no part in it. All problems are boosted side by side, and a round adds a
            hypothesis to each. Two classes need no code.
        decode: how the scores f of the problems become one for each class, with M its row of the
            code: "score", Σ M f, or for "ovr" the score of its own problem; "loss", less the loss
            Σ L(M f) that the booster would have if the class were the true one (−ln Σ exp(−M f) for
            the AdaBoost family, the hinge for linear and quadratic programs, the logistic loss for
            grids); "hamming", less the number of scores with the wrong sign, 0 counting half;
            "vote", the number of pairs of classes that it wins; "coupling", ln p of the
            probabilities p that agree best with those of all pairs, 1/(1 + exp(−2f)), each pair
            counting by its training rows n, and none surer than (n + 1)/(n + 2) (Hastie and
            Tibshirani 1998). The last two need "ovo", for which "coupling" is recommended: what a
            pair says of a row that belongs to neither class means little, but it is in the sums
            of "score". `predict_proba` is the soft-max of these scores, which for "coupling" is p.
            Two classes need no decoding. Decodings differ in what is scored, not in what is
            learned, so `warm_start` may go on under another one.
    """

    multi_class: Any = "ovr"
    decode: str = "score"

    def _booster_settings(self, rows: Rows, target: Target, costs: Floats | None) -> dict[str, Any]:
        settings = super()._booster_settings(rows, target, costs)
        return {name: value for name, value in settings.items() if name not in _DECOMPOSING}

    def _settings(self, learner: Any, frame: Any, seed: int) -> dict[str, Any]:
        return super()._settings(learner, frame, seed) | {"decode": self.decode}

    def _saved_parameters(self) -> dict[str, Any]:
        parameters = super()._saved_parameters()
        if self.decode == "score":  # files are those of versions that had no other
            del parameters["decode"]
        return parameters

    def _code_for(self, classes: NDArray[Any], seed: int, earlier: Code | None) -> Code | None:
        code = code_for(self.multi_class, classes, seed)
        if (
            code is not None
            and earlier is not None
            and self._draws_code()
            and code.is_like(earlier)
        ):
            return earlier
        return code

    def _draws_code(self) -> bool:
        return isinstance(self.multi_class, str) and self.multi_class in DRAWN

    def _code_in(self, core: _core.Model) -> Code | None:
        if core.n_problems == 1:
            return None
        if core.code_kind == "one_vs_one":
            return one_vs_one(core.n_classes)
        return one_vs_rest(core.n_classes) if core.code is None else Code(core.code)

    @property
    def code_(self) -> NDArray[np.int8]:
        """The code matrix: a row for each class, a column for each two-class problem.

        Absent for two classes, which need none.
        """
        code = self.fitted_model_.code
        if code is None:
            raise AttributeError("code_ is absent, because two classes need no code")
        return code.matrix
