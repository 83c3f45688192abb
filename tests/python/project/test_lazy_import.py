"""`import weakforce` is light: names are imported when they are first used, and all are there."""

import ast
import inspect
import json
import os
import pickle
import pydoc
import subprocess
import sys
from importlib import import_module

import pytest

import weakforce
from weakforce import _public_names

HEAVY = ("matplotlib", "numpy", "polars", "scipy", "sklearn")


def loaded_after(code, **environment):
    """The heavy packages that a new process has loaded after some code."""
    code += f"\nimport json, sys; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "code",
    [
        "import weakforce",
        "import weakforce; weakforce.__version__; dir(weakforce)",
        "import weakforce; hasattr(weakforce, 'NoSuchClassifier')",
    ],
)
def test_importing_the_library_loads_nothing_heavy(code):
    assert loaded_after(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "import weakforce; weakforce.datasets.make_twonorm(10)",
        "from weakforce import datasets; list(datasets.make_xd6(10))",
        "import weakforce as w; w.bayes_margin_curve(w.datasets.make_xd6(10))",
    ],
)
def test_simulated_domains_load_no_scikit_learn(code):
    assert loaded_after(code) == ["numpy", "polars"]


@pytest.mark.parametrize(
    "code",
    ["from weakforce import RealAdaBoostClassifier", "import weakforce; weakforce.MarginDisplay"],
)
def test_an_estimator_or_a_display_loads_scikit_learn_but_no_matplotlib(code):
    assert loaded_after(code) == ["numpy", "polars", "scipy", "sklearn"]


def test_an_environment_variable_imports_everything_at_once():
    found = loaded_after("import weakforce; assert 'Tree' in vars(weakforce)", EAGER_IMPORT="1")
    assert found == ["numpy", "polars", "scipy", "sklearn"]


@pytest.mark.parametrize(("name", "module"), _public_names.PUBLIC_NAMES.items())
def test_every_name_of_the_table_is_in_its_module(name, module):
    found = getattr(weakforce, name)
    assert found is getattr(import_module(f"weakforce.{module}"), name)
    if inspect.isclass(found) or inspect.isfunction(found):
        home = f"weakforce.{module}"
        assert found.__module__ == home or found.__module__.startswith(f"{home}.")


def test_the_table_names_every_booster_of_the_library():
    registered = [
        booster.__name__
        for booster in weakforce.boosters()
        if booster.__module__.startswith("weakforce.")
    ]
    assert registered == list(_public_names.BOOSTERS)


def test_the_table_names_every_weak_learner_of_the_library():
    for learner in weakforce.weak_learners():
        if learner.__module__.startswith("weakforce."):
            assert _public_names.PUBLIC_NAMES[learner.__name__] == "learners"


def test_type_checkers_see_the_same_names_in_the_same_modules():
    tree = ast.parse(inspect.getsource(weakforce))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    seen = {}
    for statement in block.body:
        (alias,) = statement.names
        assert alias.name == alias.asname  # this is how a name is handed on
        seen[alias.name] = statement.module
    assert seen == {**_public_names.PUBLIC_NAMES, "datasets": None}


@pytest.mark.parametrize("order", ["symmetric, adaboost", "adaboost, symmetric"])
def test_boosters_come_in_the_same_order_whatever_is_imported_first(order):
    code = (
        f"from weakforce import {order}; import weakforce\n"
        "print([booster.__name__ for booster in weakforce.boosters()])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == list(_public_names.BOOSTERS)


def test_a_star_import_gives_all_public_names():
    names = {}
    exec("from weakforce import *", names)
    assert set(weakforce.__all__) <= set(names)
    assert set(weakforce.__all__) <= set(dir(weakforce))


def test_modules_are_attributes_without_an_import_of_their_own():
    names = ["datasets", "learners", "adaboost", "export", "plotting"]  # later ones load more
    code = f"import weakforce; print([getattr(weakforce, name).__name__ for name in {names}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == [f"weakforce.{name}" for name in names]


def test_a_new_process_reads_a_pickle():
    X, y = weakforce.datasets.make_xd6(100, seed=1)
    stored = pickle.dumps(weakforce.ArcGVClassifier(weakforce.Rule(), n_estimators=2).fit(X, y))
    code = f"import pickle; print(type(pickle.loads({stored!r})).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "ArcGVClassifier"


def test_help_lists_the_classes():
    text = pydoc.render_doc(weakforce, renderer=pydoc.plaintext)
    for name in ("DiscreteAdaBoostClassifier", "Stump", "suspect_labels"):
        assert name in text


def test_a_name_that_does_not_exist_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'AdaBostClassifier'"):
        weakforce.AdaBostClassifier  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'AdaBostClassifier'"):
        exec("from weakforce import AdaBostClassifier")
