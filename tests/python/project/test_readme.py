"""The README's examples run as printed, and its table names what the package exports."""

import re
from pathlib import Path

import polars as pl
import pytest

import weakforce

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
SHOWN = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)


def example_with(words):
    """The only example that contains some words."""
    (found,) = [example for example in EXAMPLES if words in example]
    return found


def shown_with(words):
    """The only output that contains some words."""
    (found,) = [output for output in SHOWN if words in output]
    return found


def test_the_first_example_is_the_default_and_does_what_it_says(tmp_path, monkeypatch, capsys):
    example = EXAMPLES[0]
    assert "WeakForceClassifier" in example
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    printed, shown = capsys.readouterr().out.splitlines(), SHOWN[0].splitlines()
    assert [line.split()[:2] for line in printed] == [line.split()[:2] for line in shown]
    assert float(printed[0].split()[-1]) < 0.045
    assert int(printed[-1].split()[0]) >= 97
    assert abs(float(printed[4].split()[3].rstrip("%")) - 20) < 5


def test_the_margins_example_runs_as_printed(tmp_path, monkeypatch, capsys):
    example = example_with("test error 0.069")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    for claimed in ("test error 0.069", "x18 ≤ -0.063 → −1, else +1", "98 of 100"):
        assert claimed in example
        assert claimed in printed
    assert len([line for line in example.splitlines() if line.strip()]) <= 10


def test_the_rules_are_those_shown(capsys):
    exec(compile(example_with("make_monks"), "README.md", "exec"), {})
    assert capsys.readouterr().out == shown_with("strength  inside")


@pytest.mark.slow
def test_telling_the_costs_halves_them(capsys):
    example = example_with("SoftmaxBoostClassifier(cost=cost")
    exec(compile(example, "README.md", "exec"), {})
    printed = dict(line.split(": ") for line in capsys.readouterr().out.splitlines())
    for name, cost in printed.items():
        if name != "scikit-learn":  # whose numbers are its own
            assert f"# {name}: {cost}\n" in example
    told = float(printed.pop("costs minimised"))
    assert len(printed) == 3
    assert all(told < 0.6 * float(cost) for cost in printed.values())


def test_four_rules_are_the_truth(capsys):
    exec(compile(example_with("reweight("), "README.md", "exec"), {})
    assert capsys.readouterr().out == shown_with("4 rules, test error 0.000")


def test_most_of_the_suspects_are_wrong(capsys):
    exec(compile(example_with("suspect_labels("), "README.md", "exec"), {})
    count, claim = capsys.readouterr().out.split(" ", 1)
    assert claim == "of the first 90 are wrong\n"
    assert int(count) >= 80


def test_contributions_are_those_shown_and_exports_score_the_same(capsys):
    names = {}
    exec(compile(example_with("contributions("), "README.md", "exec"), names)
    assert capsys.readouterr().out == shown_with("worst texture")
    scores = names["model"].decision_function(names["X"])
    assert abs(names["scored"]["score"] - scores).max() < 1e-9
    assert names["query"].startswith("WITH ")


def test_every_estimator_and_learner_is_in_the_table():
    for known in [weakforce.WeakForceClassifier, *weakforce.boosters(), *weakforce.weak_learners()]:
        assert f"`{known.__name__}" in README


def test_relative_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (Path(__file__).parents[3] / target).exists(), target


def test_files_are_predicted_as_printed(tmp_path, monkeypatch):
    (example,) = [example for example in EXAMPLES if "predict_file" in example]
    monkeypatch.chdir(tmp_path)
    X, y = weakforce.datasets.make_xd6(100, seed=1)
    model = weakforce.RealAdaBoostClassifier(n_estimators=5).fit(X, y)
    model.save("model.json")
    X.with_row_index("id").write_parquet("new-1.parquet")
    names = {"weakforce": weakforce, "model": model}
    exec(compile(example, "README.md", "exec"), names)
    assert names["frame"]["prediction"].to_list() == model.predict(X).tolist()
    columns = ["id", "prediction", "probability_0", "probability_1"]
    assert pl.read_parquet("answers.parquet").columns == columns
