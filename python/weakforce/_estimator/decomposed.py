"""What boosters for two classes share: several classes by decomposition into two-class problems.

In: the parameter `multi_class`. Out: the code by which the core runs the two-class boosters side by
side and reads one class from their scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._fitting.codes import Code, code_for, one_vs_rest
from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .._fitting.targets import Target
from .base import BoostingClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class DecomposedClassifier(BoostingClassifier):
    """Boosters for two classes; more classes become several two-class problems.

    Parameters:
        multi_class: "ovr" (a problem for each class against the rest), "ovo" (one for each pair of
            classes), "ecoc" (a random error-correcting code, drawn by `random_state`), or a code
            matrix of −1, 0 and +1 with a row for each class and a column for each problem; classes
            with 0 take no part in it. All problems are boosted side by side, and a round adds a
            hypothesis to each. The score of a class is that of its own problem for "ovr", otherwise
            the sum of all scores times its row of the code. Two classes need no code.
    """

    multi_class: Any = "ovr"

    def _booster_settings(self, rows: Rows, target: Target, costs: Floats | None) -> dict[str, Any]:
        settings = super()._booster_settings(rows, target, costs)
        del settings["multi_class"]
        return settings

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
        return isinstance(self.multi_class, str) and self.multi_class == "ecoc"

    def _code_in(self, core: _core.Model) -> Code | None:
        if core.n_problems == 1:
            return None
        return one_vs_rest(core.n_classes) if core.code is None else Code.of(core.code)

    @property
    def code_(self) -> NDArray[np.int8]:
        """The code matrix: a row for each class, a column for each two-class problem.

        Absent for two classes, which need none.
        """
        code = self.fitted_model_.code
        if code is None:
            raise AttributeError("code_ is absent, because two classes need no code")
        return code.matrix
