"""How long the page of a review takes: the first row after the ranking, and every next one.

In: nothing; a table of 100,000 rows and 30 columns is drawn, and a ranking of it without a fit is
kept, so that what is timed begins after the ranking. Out: a table of seconds. Needs
`weakforce[review]`, Playwright and a chromium.

    python benches/review_page.py [--rows 100000] [--decisions 200]
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

COLUMNS = 30


def drawn_table(n_rows: int) -> pl.DataFrame:
    """Twenty columns of numbers, of which some are missing, ten of categories, three classes."""
    generator = np.random.default_rng(1)
    label = generator.integers(0, 3, n_rows)
    columns: dict[str, object] = {}
    for at in range(20):
        numbers = generator.normal(label * (at % 3) / 3, 1.0)
        numbers[generator.random(n_rows) < 0.02] = np.nan
        columns[f"number_{at}"] = numbers
    for at in range(10):
        values = generator.integers(0, 5 * 10 ** (at % 3), n_rows) + label * (at % 2)
        columns[f"category_{at}"] = [f"value {value}" for value in values.tolist()]
    columns["label"] = [f"class {value}" for value in label.tolist()]
    return pl.DataFrame(columns)


def keep_drawn_ranking(folder: Path, table: pl.DataFrame) -> None:
    """Keep a ranking of the table beside the decisions, as a review does after a fit."""
    from weakforce.review.opening import ReviewedTable
    from weakforce.review.ranking import keep_ranking, ranking_path

    generator = np.random.default_rng(2)
    n_rows = table.height
    score = np.sort(generator.random(n_rows))[::-1]
    row = generator.permutation(n_rows)
    found = pl.DataFrame(
        {
            "row": row,
            "given": table["label"].gather(row),
            "suggested": table["label"].gather(generator.permutation(row)),
            "margin": 1 - 2 * score,
            "score": score,
        }
    )
    reviewed = ReviewedTable(table, table, "label")
    keep_ranking(ranking_path(str(folder / "d.parquet")), reviewed.key(), found)


def time_page(address: str, n_decisions: int, began: float) -> tuple[float, list[float]]:
    """Return the seconds to the first row, and from each key to the next row on the screen."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        ready = time.perf_counter()
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".row")
        first = began + time.perf_counter() - ready
        # From the key to the frame after the new row is in the page.
        page.evaluate(
            """() => { window.times = []; let pressed = 0;
            addEventListener("keydown", () => { pressed = performance.now(); }, true);
            new MutationObserver(() => requestAnimationFrame(() => setTimeout(() =>
              window.times.push((performance.now() - pressed) / 1000)))
            ).observe(document.getElementById("row"), {childList: true}); }"""
        )
        for at in range(n_decisions):
            page.keyboard.press("ks"[at % 2])
            while page.evaluate("window.times.length") <= at:
                time.sleep(0.002)
        times = page.evaluate("window.times")
        browser.close()
    return first, times


def main() -> None:
    """Time one review and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--decisions", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = drawn_table(arguments.rows)
        table.write_parquet(folder / "data.parquet")
        keep_drawn_ranking(folder, table)
        command = [sys.executable, "-m", "weakforce", "review", "data.parquet", "--target", "label"]
        begins = time.perf_counter()
        running = subprocess.Popen(
            [*command, "--out", "d.parquet", "--no-browser", "--quiet"],
            cwd=folder, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert running.stdout is not None
        found = re.search(r"http\S+", running.stdout.readline())
        assert found is not None
        began = time.perf_counter() - begins
        try:
            first, times = time_page(found[0], arguments.decisions, began)
        finally:
            running.kill()
            running.wait()
        kept = len((folder / "d.parquet.journal").read_bytes().splitlines()) - 1
    print(f"{arguments.rows:,} rows, {COLUMNS} columns; {kept:,} decisions on disk")
    print(f"command to address      {began:6.2f} s (reading, fingerprints, usual values)")
    print(f"command to first row    {first:6.2f} s")
    last = sorted(times)
    print(f"key to next row, median {1000 * statistics.median(times):6.1f} ms")
    print(f"key to next row, 99 %   {1000 * last[int(0.99 * len(last))]:6.1f} ms")
    print(f"key to next row, most   {1000 * last[-1]:6.1f} ms")


if __name__ == "__main__":
    main()
