"""The report is one page that is well formed, escapes what it shows, and loads nothing."""

import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import people, run, run_here
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SFBoostClassifier,
    Tree,
)
from weakforce._fitting.rows import Rows
from weakforce.report import report_page
from weakforce.report.judgement_section import confusion_section, margins_section
from weakforce.report.pictures import drawing

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """A page that complains about tags that are not closed, or closed without being open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.names, self.links, self.texts = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        given = dict(attributes)
        self.names += [given["id"]] if "id" in given else []
        self.links += [value for name, value in attributes if name in ("src", "href")]
        assert not any(name.startswith("on") for name in given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def evil():
    """Rows whose names, values and labels would do harm in a page."""
    generator = np.random.default_rng(5)
    x = generator.normal(size=150)
    kind = generator.choice(["<script>alert(1)</script>", "a & b", '"quoted"', "日本"], 150)
    label = np.where(x > 0.5, "<b>hot</b>", np.where(kind == "a & b", "a&b", "$\\frac{x"))
    return pl.DataFrame({"<img src=x onerror=alert(1)>": x, "$k_1$": kind, "label": label})


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page that the command wrote."""
    folder = tmp_path_factory.mktemp("report")
    people(200, 2).write_csv(folder / "test.csv")
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(people(300, 1).drop("id"), "pays")
    model.save(folder / "model.json")
    asked = ("--model", "model.json", "--data", "test.csv", "--target", "pays", "--suspects", "3")
    done = run("report", "out.html", *asked, "--title", "Who <pays>?", cwd=folder)
    assert (done.returncode, done.stdout) == (0, b"")
    return folder / "out.html"


@pytest.mark.slow
def test_the_page_is_well_formed_and_loads_nothing(page_file):
    text = page_file.read_text(encoding="utf-8")
    page = Page(text)
    assert page.tags.count("title") == page.tags.count("h1") == page.tags.count("main") == 1
    assert '<html lang="en">' in text
    assert len(page.names) == len(set(page.names))
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert all(link[1:] in page.names for link in page.links if link.startswith("#"))
    assert not re.search(r"url\((?!#)|@import|<script|<iframe", text)
    assert "Who &lt;pays&gt;?" in text


@pytest.mark.slow
def test_the_page_shows_what_the_model_and_the_rows_are(page_file):
    page = Page(page_file.read_text(encoding="utf-8"))
    told = " ".join(page.texts)
    rows = people(200, 2)
    model = weakforce.load(page_file.parent / "model.json")
    assert f"{100 * model.score(rows, 'pays'):.2f} %" in told
    assert f"{rows['age'].null_count()} (" in told
    for entry in weakforce.suspect_labels(rows.drop("id"), "pays").head(3)["row"].to_list():
        assert f" {entry} " in told
    sections = {"data", "learning", "shapes", "rules", "margins", "suspects", "probabilities"}
    assert sections <= set(page.names)
    # Rules are those of the summary, text by text.
    line = model.summary(1).splitlines()[-2].split()
    assert all(text in told for text in line)
    assert "the score is for yes: above 0 speaks for yes, below 0 for no" in told


def test_everything_from_data_is_escaped(evil):
    model = AdaBoostMHClassifier(n_estimators=10).fit(evil, "label")
    text = report_page(model, evil.drop("label"), evil["label"], title="</title>", n_suspects=2)
    page = Page(text)
    assert not {"script", "b", "img"} & set(page.tags)
    told = " ".join(page.texts)
    assert "<script>alert(1)</script>" in told
    assert '"<b>hot</b>"' in told
    assert "<img src=x onerror=alert(1)>" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "shown", "absent"),
    [
        (
            SFBoostClassifier(Rule(), n_estimators=6),
            {"buckets", "rules", "contributions"},
            {"shapes"},
        ),
        (
            DiscreteAdaBoostClassifier(Tree(), n_estimators=3),
            {"margins", "contributions"},
            {"shapes", "rules"},
        ),
        (
            weakforce.MartiBoostClassifier(n_layers=3),
            {"learning", "contributions"},
            {"buckets", "shapes"},
        ),
    ],
)
def test_sections_follow_the_model_and_pages_are_the_same_twice(model, shown, absent):
    rows = people(150, 1).drop("id")
    model.fit(rows, "pays")
    pages = [report_page(model, rows.drop("pays"), rows["pays"], n_suspects=0) for _ in range(2)]
    names = set(Page(pages[0]).names)
    assert shown <= names
    assert not absent & names
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_a_missing_extra_is_named(page_file, monkeypatch, capsys):
    from weakforce.plotting import canvas

    def absent(module):
        raise ModuleNotFoundError(f"No module named {module!r}")

    monkeypatch.setattr(canvas, "import_module", absent)
    asked = ("--model", "model.json", "--data", "test.csv", "--target", "pays", "--suspects", "0")
    assert run_here("report", "other.html", *asked, cwd=page_file.parent) == 1
    assert capsys.readouterr().err == (
        "weakforce: plots need matplotlib, which is not installed: pip install weakforce[plot]\n"
    )
    assert not (page_file.parent / "other.html").exists()


def evil_page(model, evil, **parameters):
    model.fit(evil, "label")
    return report_page(model, evil.drop("label"), evil["label"], n_suspects=0, **parameters)


def test_margins_of_confidences_are_logistic_and_those_of_votes_normalized(evil):
    for booster, said in (
        (RealAdaBoostClassifier(n_estimators=2), "Logistic margins in numbers"),
        (LogitBoostClassifier(n_estimators=2), "Logistic margins in numbers"),
        (DiscreteAdaBoostClassifier(n_estimators=2), "Normalized margins in numbers"),
        (SAMMEClassifier(n_estimators=2), "Normalized margins in numbers"),
    ):
        model = booster.fit(evil, "label")
        X, y = evil.drop("label"), evil["label"]
        page = margins_section(model.fitted_model_, Rows(X, y), None, None).html
        assert said in page


def test_confusions_are_shaded_by_their_share_in_the_class():
    classes = [{"label": x, "rows": 10, "recall": 0.8, "precision": 0.5} for x in ("no", "<yes>")]
    section = confusion_section({"classes": classes, "confusion": [[8, 2], [10, 0]]})
    page = Page(section.html)
    grounds = re.findall(r'style="background:([^"]+)">(\d+)', section.html)
    assert grounds == [
        ("rgb(0 114 178 / 0.48)", "8"),
        ("rgb(213 94 0 / 0.12)", "2"),
        ("rgb(213 94 0 / 0.60)", "10"),
        ("none", "0"),
    ]
    assert page.texts.count('"<yes>"') == 3


@pytest.mark.slow
def test_confusions_of_many_classes_are_a_picture_and_a_list_of_mistakes():
    labels = [f"c{at}" for at in range(12)]
    classes = [{"label": x, "rows": 9, "recall": 0.5, "precision": 0.5} for x in labels]
    counts = (np.eye(12, dtype=int) * 5).tolist()
    counts[3][7] = 4
    with drawing():
        section = confusion_section({"classes": classes, "confusion": counts})
    page = Page(section.html)
    assert "svg" in page.tags
    at = page.texts.index("The most frequent mistakes")
    told = [text for text in page.texts[at:] if text.strip()]
    assert told[4:7] == ["c3", "c7", "4"]
    assert len(told) == 7


@pytest.mark.slow
def test_models_whose_scores_are_decoded_have_no_shapes(evil):
    model = DiscreteAdaBoostClassifier(n_estimators=2, decode="hamming")
    names = set(Page(evil_page(model, evil)).names)
    assert "rules" in names
    assert not {"shapes", "contributions"} & names


def test_suspects_link_to_what_a_review_shows_of_them(page_file):
    text = page_file.read_text(encoding="utf-8")
    links = re.findall(r'<a href="#suspect-(\d+)">(\d+)</a>', text)
    assert len(links) == 3
    for row, shown in links:
        assert row == shown
        card = text.split(f'<div id="suspect-{row}">')[1].split("</article>")[0]
        for part in ("Reasons", "Values", "Most similar rows", "usual for yes", "usual for no"):
            assert part in card
        assert f'<h3 class="row-name">Row {row}</h3>' in card
        assert "style=" not in card
