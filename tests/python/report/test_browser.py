"""In a browser, reports show without errors or requests, and nothing is scrolled sideways."""

import json
import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from support.command_runs import people
from weakforce import AdaBoostMHClassifier, RealAdaBoostClassifier, Rule
from weakforce.report import report_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine"),
]

#: A page that loads and complains, to see that both would be seen.
LOUD = """<!DOCTYPE html><html><head><title>loud</title></head><body>
<script>console.error("boom");</script><img src="http://example.invalid/x.png"></body></html>"""

#: A page in a frame of some width; its title becomes the names of what is wider than that.
FRAMED = """<!DOCTYPE html><html><head><title>not measured</title></head><body>
<iframe srcdoc="{page}" style="width:{width}px;height:900px;border:0"></iframe><script>
addEventListener("load", () => {{
  const inside = document.querySelector("iframe").contentDocument;
  const limit = inside.documentElement.clientWidth;
  const wide = [...inside.querySelectorAll("body *:not(svg *)")].filter(
    (each) => each.getBoundingClientRect().right > limit + 1 || each.scrollWidth > limit + 1);
  const names = wide.map((each) => each.tagName + ":" + each.textContent.slice(0, 30));
  document.title = "measured at " + limit + ": " + names.join("; ");
}});</script></body></html>"""


def browser(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """Run the browser without a window."""
    command = [
        *(str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *(
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-sync",
        ),
        *("--disable-component-update", "--disable-extensions", f"--user-data-dir={folder / 'me'}"),
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def opened(path: Path) -> tuple[list[str], list[str]]:
    """Open a page in a browser; return what its console says and which addresses it asks for."""
    folder = path.parent
    log, picture = folder / f"{path.stem}-net.json", folder / f"{path.stem}.png"
    done = browser(
        folder,
        *("--enable-logging=stderr", "--v=0", f"--log-net-log={log}", f"--screenshot={picture}"),
        path.as_uri(),
    )
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


def too_wide(page: str, width: int, folder: Path) -> str:
    """Return what does not fit into a page of some width."""
    path = folder / "framed.html"
    path.write_text(FRAMED.format(page=escape(page), width=width), encoding="utf-8")
    dumped = browser(folder, "--dump-dom", "--virtual-time-budget=5000", path.as_uri()).stdout
    title = re.search(r"<title>measured at (\d+): (.*?)</title>", dumped, re.DOTALL)
    assert title is not None
    assert int(title[1]) == width
    return title[2]


@pytest.fixture(scope="module")
def page():
    rows = people(200, 1).drop("id")
    model = RealAdaBoostClassifier(n_estimators=10).fit(rows, "pays")
    return report_page(model, rows.drop("pays"), rows["pays"], n_suspects=3)


def test_the_page_shows_without_errors_or_requests(page, tmp_path):
    loud, path = tmp_path / "loud.html", tmp_path / "page.html"
    loud.write_text(LOUD)
    path.write_text(page, encoding="utf-8")
    said, asked = opened(loud)
    assert any("boom" in line for line in said)
    assert asked == ["http://example.invalid/x.png"]
    assert opened(path) == ([], [])


@pytest.mark.parametrize("width", [400, 760, 1200])
def test_nothing_has_to_be_scrolled_sideways(width, page, tmp_path):
    assert too_wide('<p style="width:2000px">broad</p>', width, tmp_path) == "P:broad"
    assert too_wide(page, width, tmp_path) == ""


@pytest.mark.parametrize("width", [400, 1200])
def test_long_names_and_several_classes_wrap(width, tmp_path):
    generator = np.random.default_rng(1)
    names = [f"a_name_without_any_place_to_break_it_{at}" * 2 for at in range(8)]
    X = pl.DataFrame(generator.normal(size=(120, 8)), schema=names)
    X = X.with_columns(pl.Series("text", [f"{'word' * 30}{at % 4}" for at in range(120)]))
    y = pl.Series([f"class_{'x' * 30}_{at}" for at in generator.integers(0, 7, 120)])
    model = AdaBoostMHClassifier(Rule(), n_estimators=5).fit(X, y)
    assert too_wide(report_page(model, X, y, n_suspects=2), width, tmp_path) == ""
