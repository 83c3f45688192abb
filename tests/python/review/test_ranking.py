"""Rankings are those of `suspect_labels` or of a model, and are kept for the same table only."""

import numpy as np
import polars as pl
import pytest

from support.command_runs import people
from weakforce import AdaBoostMHClassifier, LogitBoostClassifier, suspect_labels
from weakforce.review.fingerprints import TableFingerprint
from weakforce.review.ranking import (
    Ranking,
    keep_ranking,
    kept_ranking,
    rank_by_model,
    ranking_key,
    ranking_path,
)

ROWS = people(150, 1).drop("id")
X, Y = ROWS.drop("pays"), ROWS["pays"]


def test_a_ranking_says_what_suspect_labels_says():
    found = suspect_labels(X, Y)
    ranking = Ranking.of(found, "trees")
    assert ranking.classes == ["no", "yes"]
    assert found["reasons"].null_count() < found.height
    for place, (row, given, suggested, margin, _, score, why) in enumerate(found.rows()):
        assert ranking.reasons[row] == (why or "")
        assert ranking.order[place] == row
        assert ranking.classes[ranking.given[row]] == given == Y[row]
        assert ranking.disagrees[row] == (given != suggested)
        # Of two classes the other one is always suggested.
        assert ranking.classes[ranking.suggested[row]] != given
        assert (ranking.margins[row], ranking.scores[row]) == (margin, score)


def test_of_several_classes_none_is_suggested_where_the_given_one_is_likely():
    frame = pl.DataFrame(
        {
            "row": [2, 0, 1],
            "given": [9, 10, 2],
            "suggested": [10, 10, 2],
            "margin": 0.0,
            "score": 0.5,
        }
    )
    ranking = Ranking.of(frame, "")
    assert ranking.classes == ["2", "9", "10"]
    assert ranking.given.tolist() == [2, 0, 1]
    assert ranking.suggested.tolist() == [-1, -1, 2]
    assert ranking.disagrees.tolist() == [False, False, True]


@pytest.mark.parametrize("labels", [Y, pl.Series("y", np.where(Y == "yes", 1, 0)), Y == "yes"])
def test_a_model_ranks_by_its_probabilities(labels):
    model = LogitBoostClassifier(n_estimators=20).fit(X, labels)
    found = rank_by_model(model, X, labels)
    shares = model.predict_proba(X)
    codes = np.searchsorted(model.classes_, labels.to_numpy())
    own = shares[np.arange(len(Y)), codes]
    assert (np.diff(found["score"]) <= 0).all()
    by_row = found.sort("row")
    np.testing.assert_allclose(by_row["score"], 1 - own)
    np.testing.assert_allclose(by_row["margin"], model.margins(X, labels, "logistic"), atol=1e-9)
    assert by_row["suggested"].to_list() == [str(label) for label in model.predict(X).tolist()]
    # Labels of a CSV file are texts.
    texts = labels.cast(pl.String)
    again = rank_by_model(model, X, texts)
    assert again["given"].to_list() == texts.gather(again["row"]).to_list()
    np.testing.assert_allclose(again["score"], found["score"])


def test_labels_that_a_model_does_not_know_are_most_suspect():
    model = AdaBoostMHClassifier(n_estimators=5).fit(X, Y)
    labels = Y.to_list()
    labels[40] = "perhaps"
    found = rank_by_model(model, X, pl.Series(labels))
    assert found.row(0)[:2] == (40, "perhaps")
    assert found["score"][0] == 1.0
    assert Ranking.of(found, "").classes == ["no", "perhaps", "yes"]


def test_a_kept_ranking_comes_back_for_its_key_only(tmp_path):
    path = ranking_path(str(tmp_path / "d.parquet"))
    table = TableFingerprint.of(ROWS, "pays")
    key, other = ranking_key(table, {"seed": 0}), ranking_key(table, {"seed": 1})
    changed = TableFingerprint.of(ROWS.with_columns(age=pl.lit(1.0)), "pays")
    assert len({key, other, ranking_key(changed, {"seed": 0})}) == 3
    found = suspect_labels(X, Y).head(20)
    assert kept_ranking(path, key) is None
    keep_ranking(path, key, found)
    assert kept_ranking(path, key).equals(found)
    assert kept_ranking(path, other) is None
    path.write_bytes(path.read_bytes()[:100])
    assert kept_ranking(path, key) is None


def test_reasons_of_a_ranking_are_by_row():
    frame = pl.DataFrame(
        {"row": [1, 0], "given": ["a", "b"], "suggested": ["b", "b"], "margin": 0.0, "score": 0.5}
    )
    assert Ranking.of(frame, "").reasons is None
    texts = frame.with_columns(reasons=pl.Series(["for row 1", None]))
    assert Ranking.of(texts, "").reasons == ["", "for row 1"]
