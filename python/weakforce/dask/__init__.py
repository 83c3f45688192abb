"""Training and scoring on a Dask cluster: the model of one process, to the byte.

In: an estimator, and rows that are spread over the workers of a cluster. Out: the same estimator,
fitted, or Dask collections of what it predicts. Needs the extra `weakforce[dask]`, which is
imported when a name of this module is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .failures import WorkerLostError as WorkerLostError
    from .fitting import fit as fit
    from .scoring import decision_function as decision_function
    from .scoring import predict as predict
    from .scoring import predict_proba as predict_proba
    from .suspects import suspect_labels as suspect_labels

#: The public names and the modules that hold them.
_NAMES = {
    "WorkerLostError": "failures",
    "decision_function": "scoring",
    "fit": "fitting",
    "predict": "scoring",
    "predict_proba": "scoring",
    "suspect_labels": "suspects",
}

#: What the extra installs.
_NEEDED = ("dask", "distributed", "pyarrow")

if not TYPE_CHECKING:
    __all__ = sorted(_NAMES)

    def __getattr__(name: str) -> Any:
        if name not in _NAMES:
            raise AttributeError(f"module 'weakforce.dask' has no attribute {name!r}")
        try:
            module = import_module(f"weakforce.dask.{_NAMES[name]}")
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in _NEEDED:
                raise
            raise ImportError(
                f"weakforce.dask.{name} needs {error.name}: pip install 'weakforce[dask]'"
            ) from error
        found = globals()[name] = getattr(module, name)
        return found


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_NAMES})
