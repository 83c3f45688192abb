"""Every way to boost more than two classes, for tests that run over all of them.

Out: estimators with few rounds and small learners that get on with three to five classes, each
learner with several boosters and each decomposition with several binary boosters.
"""

import numpy as np
import pytest

from weakforce import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
)

#: Two columns for three classes, one of which the second column leaves out.
SPARSE_CODE = np.array([[1, 1], [-1, 0], [1, -1]])

_STUMP, _RULE, _TREE = Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=5)
_LARGE = Tree(max_leaf_nodes=7)

#: What to fit, by name; all take three classes.
VARIANTS = {
    "SAMME-Stump": SAMMEClassifier(_STUMP),
    "SAMME-Rule": SAMMEClassifier(_RULE),
    "SAMME-Tree": SAMMEClassifier(_TREE),
    "M1-Tree": AdaBoostM1Classifier(_LARGE),
    "MH-Stump": AdaBoostMHClassifier(_STUMP),
    "MH-Tree": AdaBoostMHClassifier(_TREE),
    "MH-shared-Rule": AdaBoostMHClassifier(_RULE, shared=True),
    "MH-shared-Tree": AdaBoostMHClassifier(_TREE, shared=True),
    "M2-own-Stump": AdaBoostM2Classifier(_STUMP, shared=False),
    "M2-Rule": AdaBoostM2Classifier(_RULE),
    "M2-Tree": AdaBoostM2Classifier(_TREE),
    "Softmax-Stump": SoftmaxBoostClassifier(_STUMP, random_state=0),
    "Softmax-Tree": SoftmaxBoostClassifier(_TREE, random_state=0),
    "Softmax-few-draws-Rule": SoftmaxBoostClassifier(_RULE, n_draws=60, random_state=0),
    "Softmax-all-Tree": SoftmaxBoostClassifier(_TREE, n_draws=None, step="theory"),
    "Logit-Stump": LogitBoostClassifier(_STUMP),
    "Logit-Tree": LogitBoostClassifier(_TREE, step="line-search"),
    "Discrete-ovr-Stump": DiscreteAdaBoostClassifier(_STUMP),
    "Real-ovo-Rule": RealAdaBoostClassifier(_RULE, multi_class="ovo"),
    "R-ecoc-Tree": AdaBoostRClassifier(_TREE, multi_class="ecoc", random_state=0),
    "Gentle-ovr-Tree": GentleBoostClassifier(_TREE),
    "ArcGV-code-Tree": ArcGVClassifier(_TREE, multi_class=SPARSE_CODE),
    "Discrete-ovr-loss-Tree": DiscreteAdaBoostClassifier(_TREE, decode="loss"),
    "R-code-hamming-Rule": AdaBoostRClassifier(_RULE, multi_class=SPARSE_CODE, decode="hamming"),
    "Real-ovo-coupling-Stump": RealAdaBoostClassifier(_STUMP, multi_class="ovo", decode="coupling"),
}

#: Those whose scores are sums of weighted answers.
SUMS = [
    name
    for name, model in VARIANTS.items()
    if model.get_params(deep=False).get("decode", "score") == "score"
]

#: Those without random draws.
WITHOUT_DRAWS = [
    name for name in VARIANTS if not name.startswith("Softmax") or name == "Softmax-all-Tree"
]


def make(name, **parameters):
    """A fresh estimator of ten rounds."""
    model = VARIANTS[name]
    fresh = type(model)(**model.get_params(deep=False))
    return fresh.set_params(**{"n_estimators": 10, **parameters})


def fit(name, X, y, *args, n_classes=3, **named):
    """Fit a variant; one with a code for three classes gets another code for more."""
    model = make(name, **named.pop("parameters", {}))
    if n_classes != 3 and isinstance(getattr(model, "multi_class", None), np.ndarray):
        model.set_params(multi_class=np.eye(n_classes, dtype=int) * 2 - 1)
    return model.fit(X, y, *args, **named)


every_sum = pytest.mark.parametrize("name", SUMS)
every_variant = pytest.mark.parametrize("name", VARIANTS)
every_sure_variant = pytest.mark.parametrize("name", WITHOUT_DRAWS)

#: One variant for every booster, for tests that take longer.
ONE_EACH = ["SAMME-Rule", "M1-Tree", "MH-Stump", "MH-shared-Tree", "M2-Tree", "Softmax-Tree"]
ONE_EACH += ["Logit-Tree", "Discrete-ovr-Stump", "Real-ovo-Rule"]
one_variant_each = pytest.mark.parametrize("name", ONE_EACH)
