"""How boosters fit: from parameters, frames and labels to the core and back.

In: parameters and rows. Out: the core's model. A booster overrides the methods in which it differs
from others.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._fitting import external
from .._fitting.codes import Code
from .._fitting.costs import check_both
from .._fitting.frames import categorical_places, column_names
from .._fitting.labels import Codes, Floats, checked_weights, class_prior
from .._fitting.mistrust import checked_mistrust
from .._fitting.monotone import column_signs
from .._fitting.rows import Rows
from .._fitting.storage import NOTHING, Storage
from .._fitting.targets import LabelSets, Target, learn_target
from .._reading.fitted_model import FittedModel
from ..learners import Stump, WeakLearner
from .capabilities import Capabilities, core_capabilities
from .fitted import Fitted
from .parameters import FOR_CORE, SHARED, SharedParameters

#: Whether identical rows may be treated as one, which changes nothing but the time; tests say no.
_MERGE_ROWS = True


class Given(NamedTuple):
    """Rows as the core takes them."""

    frame: Any
    codes: Codes
    weights: Floats | None
    costs: Floats | None
    mistrust: Floats | None = None


class Task(NamedTuple):
    """What the core is asked to do, and the rows as they came."""

    settings: dict[str, Any]
    given: Given
    held_back: Given | None
    frames: Any
    target: Target
    train: Rows
    validation: Rows
    prior: Floats | None
    is_continued: bool = False


class Fitting(SharedParameters, Fitted):
    """What a booster asks of the core."""

    #: The booster's name, in the core's registry too unless `_core_kind` says otherwise.
    _kind: ClassVar[str]
    #: Whether each class is a two-class problem of its own even if there are only two.
    _class_by_class: ClassVar[bool] = False

    def _task(
        self,
        train: Rows,
        validation: Rows,
        earlier: FittedModel | None,
        storage: Storage = NOTHING,
    ) -> Task:
        """Return rows and parameters as the core takes them."""
        train, validation = train.split(), validation.split()
        target, truth = self._read_target(train, earlier)
        self._check_calibration(train, target)
        learner = self._learner(len(target.classes))
        if external.is_external(learner):
            train, validation = train.in_own_container(), validation.in_own_container()
        elif self._rereads():
            train, validation = train.lasting(), validation.lasting()
        frame = train.as_frame()
        weights, prior = self._weighed(train, target, truth)
        costs = self._row_costs(train, target, truth)
        held_back = self._held_back(validation, target, costs)
        seed = storage.seed(self.random_state)
        code = self._code_for(target.classes, seed, None if earlier is None else earlier.code)
        settings = self._settings(learner, frame, seed)
        settings["n_classes"] = len(target.classes)
        settings["decomposition"] = None if code is None else code.settings()
        settings["booster"] = {self._core_kind(): self._booster_settings(train, target, costs)}
        settings["program"] = self._program()
        codes = target.codes(truth)
        frames = None
        if external.is_external(learner):
            names = column_names(frame) if earlier is None else earlier.feature_names
            targeted = external.learns_targets(len(target.classes), self._class_by_class)
            shown = (train.X, target.classes[codes], weights, validation.X, targeted)
            frames = external.ExternalFrames(learner, seed, target.classes, names, *shown)
        mistrust = checked_mistrust(train.mistrust, len(codes))
        given = Given(frame, codes, weights, costs, mistrust)
        is_continued = earlier is not None
        return Task(
            settings, given, held_back, frames, target, train, validation, prior, is_continued
        )

    def _weighed(
        self, rows: Rows, target: Target, truth: Any
    ) -> tuple[Floats | None, Floats | None]:
        """Return start weights of the rows, and what class weights add to scores, if they do."""
        if self.class_weight is None or self._class_weights_are_costs(rows, target):
            return target.weights(truth, rows.sample_weight, self.class_weight), None
        factors = target.class_factors(truth, rows.sample_weight, self.class_weight)
        weights = checked_weights(rows.sample_weight, len(truth))
        if not factors.all():  # rows of such a class are as good as absent
            kept = (factors > 0)[target.codes(truth)]
            weights = kept.astype(np.float64) if weights is None else weights * kept
        return weights, class_prior(factors)

    def _class_weights_are_costs(self, rows: Rows, target: Target) -> bool:  # noqa: ARG002
        """Whether class weights are factors of the row weights, which stay in force by themselves.

        So it is for targets with several labels per row.
        """
        return isinstance(target, LabelSets)

    def _check_calibration(self, rows: Rows, target: Target) -> None:
        """Refuse ways of making probabilities that do not exist, or not for this target."""

    def _rereads(self) -> bool:
        """Whether rows are read again once the model is fitted."""
        return False

    def _reads_tiles(self) -> bool:
        """Whether rows may be read tile by tile: learners and calibrations may want all at once."""
        learner = self._chosen_learner(2)
        reads_bins = not external.is_external(learner) and learner._takes_categories
        return reads_bins and getattr(self, "calibrate", None) in (None, "noisy", "clean")

    def _read_target(self, train: Rows, earlier: FittedModel | None) -> tuple[Target, Any]:
        """Return what there is to predict, which an earlier fit has settled, and the truth."""
        if train.target is not None:
            return train.target, train.target.read(train.y, type(self).__name__)
        if earlier is not None:
            return earlier.target, earlier.read_labels(train.y)
        return learn_target(train.y, type(self).__name__, self.capabilities().label_sets)

    def _held_back(self, validation: Rows, target: Target, costs: Floats | None) -> Given | None:
        """Return the validation rows as the core takes them; None if there are none."""
        if validation.X is None:
            return None
        truth = target.read(validation.y, type(self).__name__, "y_val")
        costs_val = self._row_costs(validation, target, truth)
        check_both(costs, costs_val)
        return Given(validation.as_frame(), target.codes(truth), None, costs_val)

    def _n_rounds(self) -> Any:
        """Return the largest number of rounds as the user set it."""
        return getattr(self, self.capabilities().rounds)

    @classmethod
    def capabilities(cls) -> Capabilities:
        """Return what the booster can do, whatever its parameters are."""
        return core_capabilities()[cls._core_kind()]

    @classmethod
    def _core_kind(cls) -> str:
        """Return the name of the booster in the core's registry."""
        return cls._kind

    def _program(self) -> dict[str, Any] | None:
        """Return the program whose solution replaces the weights; None if there is none."""
        return None

    def _learner(self, n_classes: int) -> Any:
        learner = self._chosen_learner(n_classes)
        external.check_learner(learner, resample=self._draws_by_weight())
        return learner

    def _draws_by_weight(self) -> bool | None:
        """Whether learners see samples instead of weights; None if the booster cannot do that."""
        return bool(self.resample) if self.capabilities().resample else None

    def _chosen_learner(self, n_classes: int) -> Any:
        """Return the user's learner, or the booster's default."""
        return self._default_learner(n_classes) if self.estimator is None else self.estimator

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Stump()

    def _row_costs(self, rows: Rows, target: Target, truth: Any) -> Floats | None:  # noqa: ARG002
        """Return what every answer costs for every row; None if that follows from the labels."""
        return target.costs(truth)

    def _code_for(self, classes: NDArray[Any], seed: int, earlier: Code | None) -> Code | None:  # noqa: ARG002
        """Return how two-class problems make up the classes; None if the booster needs none."""
        return None

    def _code_in(self, core: _core.Model) -> Code | None:  # noqa: ARG002
        """Return the code by which a model was made; None if there is none."""
        return None

    def _booster_settings(
        self,
        rows: Rows,  # noqa: ARG002
        target: Target,  # noqa: ARG002
        costs: Floats | None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Return the booster's own parameters as the core names them."""
        parameters = self.get_params(deep=False)
        return {name: value for name, value in parameters.items() if name not in SHARED}

    def _settings(self, learner: Any, frame: Any, seed: int) -> dict[str, Any]:
        """Return the shared parameters for the core, which checks their values."""
        parameters = self.get_params(deep=False)
        settings = {name: parameters[name] for name in FOR_CORE if name in parameters}
        settings["estimator"] = external.learner_settings(learner)
        settings["categorical_features"] = categorical_places(self.categorical_features, frame)
        settings["monotonic_cst"] = column_signs(self.monotonic_cst, frame)
        settings["random_state"] = seed
        settings["merge_rows"] = _MERGE_ROWS
        return settings
