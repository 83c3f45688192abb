"""The report is one page that is well formed, escapes what it shows, and loads nothing."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import people, run, run_here
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    Rule,
    SFBoostClassifier,
    Tree,
)
from weakforce.report import report_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

VOID = {"meta", "link", "br", "img", "input", "hr"}

#: A page that loads and complains, to see that both would be seen.
LOUD = """<!DOCTYPE html><html><head><title>loud</title></head><body>
<script>console.error("boom");</script><img src="http://example.invalid/x.png"></body></html>"""


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
    assert {"data", "learning", "shapes", "rules", "margins", "suspects"} <= set(page.names)


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
        (SFBoostClassifier(Rule(), n_estimators=6), {"buckets", "rules"}, {"shapes"}),
        (DiscreteAdaBoostClassifier(Tree(), n_estimators=3), {"margins"}, {"shapes", "rules"}),
        (weakforce.MartiBoostClassifier(n_layers=3), {"learning"}, {"buckets", "shapes"}),
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


def opened(path: Path) -> tuple[list[str], list[str]]:
    """Open a page in a browser; return what its console says and which addresses it asks for."""
    folder = path.parent
    log, picture = folder / f"{path.stem}-net.json", folder / f"{path.stem}.png"
    command = [
        *(str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync"),
        *("--disable-component-update", "--disable-extensions", f"--user-data-dir={folder / 'me'}"),
        *("--enable-logging=stderr", "--v=0", f"--log-net-log={log}", f"--screenshot={picture}"),
        path.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert picture.stat().st_size > 0
    told = json.loads(log.read_text())
    starts = told["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [
        event["params"]["url"]
        for event in told["events"]
        # What the browser asks for by itself has no origin.
        if event["type"] == starts
        and event.get("params", {}).get("initiator", "not an origin") != "not an origin"
    ]
    return re.findall(r"CONSOLE[^\n]*", done.stderr), asked


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine")
def test_a_browser_shows_the_page_without_errors_or_requests(page_file, tmp_path):
    loud = tmp_path / "loud.html"
    loud.write_text(LOUD)
    said, asked = opened(loud)
    assert any("boom" in line for line in said)
    assert asked == ["http://example.invalid/x.png"]
    assert opened(page_file) == ([], [])
