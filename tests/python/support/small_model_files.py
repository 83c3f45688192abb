"""Model files in few bytes, and ways to damage them; for the tests of what `load` refuses."""

import copy
import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

from support.registry import SMALL
from weakforce import RealAdaBoostClassifier
from weakforce._reading.model_file import describe, from_bytes

X = pl.DataFrame(
    {
        "n": [1.0, 2.0, None, 4.0, 5.0, 6.0],
        "t": ["a", "b", None, "c", "d", "a"],
        "c": [1, 2, 3, 1, 2, 3],
    }
)
Y = [0, 1, 0, 1, 1, 0]


def frame_for(learner) -> pl.DataFrame:
    return X if learner._takes_categories else X.select("n", "c")


def small_model(learner) -> RealAdaBoostClassifier:
    """Every part of a file in few bytes: cuts, categories, rare ones, subsets, validation."""
    model = RealAdaBoostClassifier(
        learner(**SMALL.get(learner._kind, {})),
        n_estimators=5,
        max_bins=3,
        class_weight={0: 1, 1: 2.5},
    )
    if learner._takes_categories:
        model.set_params(categorical_features=["c"], estimator__criterion="z")
        model.set_params(estimator__answer="gentle")
    else:
        model.set_params(learning_rate=0.1)  # or it would be perfect at once
    frame = frame_for(learner)
    weights = [1.0, 2.5, 1.0, 2.5, 2.5, 1.0]
    return model.fit(frame, Y, weights, X_val=frame, y_val=[0, 1, 0, 1, 1, 1])


def file_of(model) -> bytes:
    """The bytes that `save` writes."""
    return model.fitted_model_.core.to_json(
        describe(model.fitted_model_, model.get_params(deep=False))
    )


def changed(whole: bytes, place: str, value) -> bytes:
    """The file with something else at a place such as `features.0.cuts`; None takes it away."""
    document = json.loads(whole)
    *path, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    inner = document
    for step in path:
        inner = inner[step]
    if value is None and isinstance(inner, dict):
        del inner[last]
    else:
        inner[last] = copy.deepcopy(value)
    return json.dumps(document).encode()


def refuse(data: bytes, where: str) -> None:
    """Loading must fail with a ValueError that says where."""
    with pytest.raises(ValueError, match=f"model file.*{where}") as caught:
        from_bytes(data)
    assert "internal error" not in str(caught.value)


#: What takes the place of a byte most often.
LIKELY = np.frombuffer(b'0123456789-+.eE"[]{},:\\ntfu \x00\xff', np.uint8)


def mutated(whole: bytes, generator: np.random.Generator) -> bytes:
    """The file with a few bytes changed, most digits for others, and sometimes some cut out."""
    data = np.frombuffer(whole, np.uint8).copy()
    for place in generator.integers(0, len(data), generator.integers(1, 4)):
        if chr(data[place]).isdigit() and generator.random() < 0.7:
            data[place] = generator.choice(LIKELY[:10])
        elif generator.random() < 0.7:
            data[place] = generator.choice(LIKELY)
        else:
            data[place] = generator.integers(0, 256)
    if generator.random() < 0.2:
        start, stop = sorted(generator.integers(0, len(data), 2))
        data = np.delete(data, slice(start, min(stop, start + 20)))
    return data.tobytes()


def outcome(data: bytes, use) -> str:
    """Load; if that succeeds, use everything the model offers."""
    try:
        model = from_bytes(data)
    except ValueError as error:
        return "refused" if str(error).startswith("model file: ") else f"raised {error!r}"
    use(model.set_params(n_jobs=1))
    return "loaded"


def outcomes_of_mutations(whole: bytes, use, *, number: int, seed: int) -> Counter:
    generator = np.random.default_rng(seed)
    return Counter(outcome(mutated(whole, generator), use) for _ in range(number))
