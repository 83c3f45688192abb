"""26 classes need no array of rows × classes × columns, nor a copy of the codes for each class.

In: fits of few and of many rows, each in a child process of its own. Out: by how much more memory
grew for each further row; sums by bin, which do not grow with the rows, cancel out.
"""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

ROWS, COLUMNS, CLASSES = (12_000, 36_000), 100, 26
TREE = "Tree(max_leaf_nodes=6)"
MODELS = [
    f"SAMMEClassifier({TREE})",
    f"AdaBoostMHClassifier({TREE})",
    f"AdaBoostMHClassifier({TREE}, shared=True)",
    f"AdaBoostM2Classifier({TREE})",
    f"SoftmaxBoostClassifier({TREE}, random_state=0)",
    f"SoftmaxBoostClassifier({TREE}, n_draws=None)",
    f"DiscreteAdaBoostClassifier({TREE})",
]

#: Prints the growth for every model and number of rows; nothing is fitted outside of children.
MEASURE = """
import gc, json, os, sys
import numpy as np
from weakforce import *

models, sizes, columns, classes = json.loads(sys.argv[1])

def status(name):
    lines = open("/proc/self/status")
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))

def measure(model, rows):
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    X = rng.random(size=(rows, columns), dtype=np.float32) * (1 + y[:, None] % 7)
    model.set_params(n_estimators=1, max_bins=31).fit(X[:200], y[:200])  # whatever is made once
    gc.collect()
    open("/proc/self/clear_refs", "w").write("5")  # forgets the highest mark so far
    before = status("VmRSS")
    model.fit(X, y)
    return status("VmHWM") - before

for model in models:
    for rows in sizes:
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, str(measure(eval(model), rows)).encode())
            os._exit(0)
        os.close(writer)
        print(os.read(reader, 100).decode())
        os.wait()
"""


@pytest.fixture(scope="module")
def grown():
    """Bytes for every model, for few rows and for many."""
    if sys.platform != "linux":
        pytest.skip("asks Linux for the highest mark")
    wanted = json.dumps([MODELS, ROWS, COLUMNS, CLASSES])
    command = [sys.executable, "-c", MEASURE, wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    numbers = iter(map(int, done.stdout.split()))
    return dict(zip(MODELS, zip(numbers, numbers, strict=True), strict=True))


@pytest.mark.parametrize("model", MODELS)
def test_memory_grows_by_codes_and_a_few_numbers_per_row_and_class(model, grown):
    few, many = grown[model]
    per_row = (many - few) / (ROWS[1] - ROWS[0])
    bound = 5 * COLUMNS + 6 * 8 * CLASSES
    assert 0 < per_row < bound < COLUMNS * CLASSES  # the least that rows × classes × columns take
