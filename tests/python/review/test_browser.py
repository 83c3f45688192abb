"""The page in a real browser: keys, filters, windows, odd data, and what goes wrong."""

import re
import struct
import subprocess
import zlib
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest

from support.browsers import CHROMIUM, NO_BROWSER, Watched, served
from support.command_runs import COMMAND
from support.reviews import noisy_people, opened
from weakforce.review.journal import Journal, journal_path, read_journal
from weakforce.review.journal_lines import JournalError

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)]

ODD = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>&lt;"\' `${1}`'


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Review:
    """A review that is served to a window, and what is on disk of it."""

    def __init__(self, folder, browser, monkeypatch, table=None, **how):
        table = noisy_people() if table is None else table
        self.out = folder / "decisions.parquet"
        self.session, self.journal = opened(table, self.out, monkeypatch=monkeypatch, **how)
        self.table = table
        self.order = self.session.ranking.order.tolist()
        self.server = served(self.session, folder)
        self.address = self.server.__enter__()
        self.context = browser.new_context(viewport={"width": 1200, "height": 900})
        self.context.set_default_timeout(10_000)
        self.windows = []

    def window(self):
        self.windows.append(Watched(self.context))
        return self.windows[-1].open(self.address)

    def kept(self):
        found = read_journal(journal_path(str(self.out)), self.session._table)
        return [(each.row, each.kind) for each in found]

    def close(self):
        self.context.close()
        self.server.__exit__(None, None, None)
        self.journal.close()


@pytest.fixture
def review(tmp_path, browser, monkeypatch):
    review = Review(tmp_path, browser, monkeypatch)
    yield review
    review.close()
    for window in review.windows:
        assert window.complaints == []
        assert window.asked
        assert all(url.startswith((review.address, "data:")) for url in window.asked)


def test_keys_decide_and_every_decision_is_on_disk_before_the_next_row(review):
    window = review.window()
    page = window.page
    assert page.inner_text("#title") == "data.parquet"
    assert page.is_disabled("#undo")
    done, kinds = [], ["keep", "change", "skip", "keep", "change"]
    for place, (key, kind) in enumerate(zip("kcsKC", kinds, strict=True)):
        row = window.row()
        assert row == review.order[place]
        # The page is asked at the very moment at which it shows another row.
        page.evaluate(
            """() => { window.seen = null; new MutationObserver(() => {
                 window.seen ??= document.querySelector('.row h2').textContent;
               }).observe(document.getElementById('row'), {childList: true}); }"""
        )
        window.press(key)
        done.append((row, kind))
        assert page.evaluate("window.seen") == f"Row {review.order[place + 1]}"
        assert review.kept() == done
    counts = page.inner_text("#counts")
    assert "2 kept, 2 changed, 1 skipped" in counts
    assert "60 rows in all" in counts
    assert re.search(r"about \d+ wrong labels? left \(\d+ to \d+\)", page.inner_text("#left"))
    looked_at = sum(bool(review.session.ranking.disagrees[row]) for row, _ in done)
    assert page.evaluate("document.getElementById('progress').value") == looked_at


def test_undo_goes_back_row_by_row(review):
    window = review.window()
    for key in "kcs":
        window.press(key)
    for place, key in ((2, "u"), (1, "Control+z"), (0, "u")):
        window.press(key)
        assert window.row() == review.order[place]
        assert f"Row {review.order[place]} is open again" in window.page.inner_text("#message")
    assert window.page.is_disabled("#undo")
    assert [kind for _, kind in review.kept()] == ["keep", "change", "skip", *["undo"] * 3]
    assert "0 kept, 0 changed, 0 skipped" in window.page.inner_text("#counts")


def test_buttons_do_what_keys_do(review):
    window = review.window()
    for button in ("keep", "change", "skip", "undo"):
        with window.page.expect_response("**/api/*"):
            window.page.click(f"#{button}")
        window.settle()
    assert [kind for _, kind in review.kept()] == ["keep", "change", "skip", "undo"]


def test_keys_that_are_held_or_typed_into_a_field_decide_nothing(review):
    window = review.window()
    page = window.page
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', repeat: true}))")
    page.click("#filter-line")
    page.select_option("select[name=column]", label="city")
    page.fill("input[name=text]", "")
    page.type("input[name=text]", "kcsu")
    assert page.input_value("input[name=text]") == "kcsu"
    assert review.kept() == []
    # Nor does a filter that was not sent change what comes next.
    page.click("h1")
    window.press("s")
    assert window.row() == review.order[1]


def test_filters_by_class_and_by_column(review):
    window = review.window()
    page, table = window.page, review.table
    page.click("#filter-line")

    def show(**chosen):
        for name, value in chosen.items():
            if name in ("text", "low", "high"):
                page.fill(f"input[name={name}]", value)
            else:
                page.select_option(f"select[name={name}]", label=value)
        with page.expect_response("**/api/next"):
            page.click("#filter button[type=submit]")
        window.settle()
        return page.inner_text("#filter-line")

    is_no = table["pays"] == "no"
    assert f"({is_no.sum()})" in show(given="no")
    assert table["pays"][window.row()] == "no"
    wanted = is_no & (table["city"] == "10115")
    line = show(column="city", condition="is", text="10115")
    assert line == f"Filter: given no, city is 10115 ({wanted.sum()})"
    assert wanted[window.row()]
    page.keyboard.press("Escape")
    page.click("h1")
    window.press("s")
    assert f"({wanted.sum() - 1})" in page.inner_text("#filter-line")
    assert wanted[window.row()]
    wanted = is_no & table["age"].is_between(30, 50).fill_null(False)
    line = show(column="age", condition="is between", low="30", high="50")
    assert "age is between 30 and 50" in line
    assert wanted[window.row()]
    line = show(condition="is missing", given="any")
    assert f"({table['age'].null_count()})" in line or f"({table['age'].null_count() - 1})" in line
    with page.expect_response("**/api/next"):
        page.click("#filter button[type=reset]")
    window.settle()
    assert page.inner_text("#filter-line") == "Filter: all open rows (59)"
    line = show(state="skipped")
    assert line == "Filter: skipped (1)"
    assert "was skipped" in page.inner_text("#message")
    window.press("k")
    assert "No row is left" in page.inner_text("#row")


@contextmanager
def started(folder):
    """A review in a process of its own, and the address of its page; killed in the end."""
    options = ["--target", "pays", "--out", "d.parquet", "--no-browser"]
    command = [*COMMAND, "review", "data.parquet", *options]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        yield running.stdout.readline().split()[-1]
    finally:
        running.kill()
        running.wait()


def test_a_killed_review_goes_on_where_it_was(tmp_path, browser):
    noisy_people().write_parquet(tmp_path / "data.parquet")
    context = browser.new_context()
    shown = last = None
    for _ in range(2):
        with started(tmp_path) as address:
            window = Watched(context).open(address)
            if shown is not None:
                assert window.row() == shown
                assert "2 kept, 1 changed" in window.page.inner_text("#counts")
                window.press("u")
                assert window.row() == last
            for key in "kck":
                last = window.row()
                window.press(key)
            shown = window.row()
        window.page.keyboard.press("k")
        window.page.wait_for_selector("#message.error")
        assert "does not answer" in window.page.inner_text("#message")
        assert window.row() == shown
    context.close()


def test_two_windows_do_not_decide_the_same_row_twice(review):
    first, second = review.window(), review.window()
    assert first.row() == second.row() == review.order[0]
    first.press("k")
    second.page.wait_for_selector("text=was decided in another window")
    second.settle()
    assert second.row() == review.order[1]
    # A window that does not hear of it is told when it decides.
    third = Watched(review.context)
    deaf = "window.BroadcastChannel = class { postMessage() {} addEventListener() {} };"
    third.page.add_init_script(deaf)
    review.windows.append(third.open(review.address))
    second.press("k")
    assert third.row() == review.order[1]
    third.page.keyboard.press("c")
    third.page.wait_for_selector("text=was decided in another window")
    third.settle()
    assert third.row() == review.order[2]
    assert review.kept() == [(review.order[0], "keep"), (review.order[1], "keep")]
    third.complaints.remove(next(text for text in third.complaints if "409" in text))


def test_a_wrong_token_shows_nothing(review):
    page = review.context.new_page()
    wrong = review.address[:-3] + "xy/"
    answer = page.goto(wrong)
    assert answer.status == 403
    assert "wrong token" in page.inner_text("body")
    assert page.query_selector(".row") is None
    port = review.address.split("/")[2]
    assert page.goto(f"http://{port}/").status == 404


def test_what_goes_wrong_is_said_and_the_row_stays(review, monkeypatch):
    window = review.window()
    row = window.row()
    with monkeypatch.context() as patched:

        def full(self, decision):
            raise JournalError("cannot write 'x': No space left on device")

        patched.setattr(Journal, "append", full)
        window.press("k")
        assert "No space left on device" in window.page.inner_text("#message.error")
        assert window.row() == row
    window.press("k")
    assert window.row() == review.order[1]
    assert window.page.is_hidden("#message")
    window.complaints.remove(next(text for text in window.complaints if "507" in text))


def test_finishing_ends_it(review):
    window = review.window()
    window.press("k")
    with window.page.expect_response("**/api/finish"):
        window.page.click("#finish")
    window.settle()
    assert "The review is finished" in window.page.inner_text("#row")
    assert window.page.is_disabled("#keep")
    window.page.keyboard.press("k")
    assert len(review.kept()) == 1


def picture(width, height):
    """A PNG of one colour."""

    def chunk(kind, content):
        crc = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + crc

    lines = (b"\0" + b"\x20\x80\xc0" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.fixture
def odd(tmp_path, browser, monkeypatch):
    """Columns and values that look like HTML, long names, an image, texts, four classes."""
    generator = np.random.default_rng(1)
    n = 40
    long = "a_name_without_any_place_to_break_it_" * 3
    table = pl.DataFrame(
        {
            ODD: generator.choice([ODD, "b", "javascript:alert(1)"], n),
            long: generator.normal(size=n),
            "photo": ["photo.png", "http://example.com/x.png", f"{ODD}.png", "gone.png"] * 10,
            "note": [f"{ODD} {'word ' * 60}\nnext line {at}" for at in range(n)],
            "code": [f"{'x' * 70}{at % 5}" for at in range(n)],
            "^y.*$": generator.integers(0, 9, n),
            "y": [ODD, f"class_{'x' * 40}", "c", "d"] * 10,
        }
    )
    (tmp_path / "photo.png").write_bytes(picture(800, 600))
    review = Review(tmp_path, browser, monkeypatch, table, target="y")
    yield review
    review.close()
    for window in review.windows:
        assert window.complaints == []
        # Paths that look like addresses of the network are not asked for.
        assert all(url.startswith((review.address, "data:")) for url in window.asked)


def test_nothing_in_the_data_runs_and_images_and_texts_show(odd):
    window = odd.window()
    page = window.page
    images = 0
    for _ in range(20):
        row = window.row()
        if odd.table["photo"][row] == "photo.png":
            image = page.wait_for_selector(".row img")
            assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 800
            images += 1
        else:
            assert page.query_selector(".row img") is None
            assert odd.table["photo"][row] in page.inner_text(".row-image")
        assert page.inner_text(".row-text p").startswith(ODD)
        assert "\nnext line" in page.inner_text(".row-text p")
        assert page.evaluate("window.hacked") is None
        assert page.query_selector(".row script, .row [onerror]") is None
        assert page.inner_text(".values tbody th >> nth=0") == ODD
        window.press("k")
    assert images >= 2
    page.click("#filter-line")
    options = page.eval_on_selector_all("select[name=column] option", "all => all.map(o => o.text)")
    assert ODD in options


def test_other_labels_by_digit_and_by_choice(odd):
    window = odd.window()
    classes = odd.session.ranking.classes
    for digit in "1234":
        row = window.row()
        window.press(digit)
        assert odd.session.label(row) == classes[int(digit) - 1]
    row = window.row()
    with window.page.expect_response("**/api/decide"):
        window.page.select_option("#other", value="2")
    window.settle()
    assert odd.session.label(row) == classes[2]
    assert len(odd.kept()) == 5


#: The least contrast of any text with its ground, and which text has it.
CONTRAST = """() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = [r, g, b].map((v) => v / 255).map((v) =>
      v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const ground = (each) => {
    for (; each; each = each.parentElement) {
      const colour = numbers(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  let least = [99, ""];
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !each.checkVisibility() || each.closest("svg, :disabled, option")) continue;
    const pair = [light(numbers(getComputedStyle(each).color)), light(ground(each))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < least[0]) least = [ratio, each.tagName + ": " + each.textContent.slice(0, 40)];
  }
  return least;
}"""

#: What is wider than the page.
WIDE = """() => [...document.querySelectorAll("body *:not(svg *)")].filter((each) =>
  each.checkVisibility() && each.getBoundingClientRect().right > window.innerWidth + 1
).map((each) => each.tagName + ": " + each.textContent.slice(0, 40))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 760, 1200])
def test_it_reads_well_in_any_light_and_width(scheme, width, odd, tmp_path):
    window = odd.window()
    page = window.page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.click("#filter-line")
    page.select_option("select[name=column]", index=2)
    for _ in range(4):
        assert page.evaluate(WIDE) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        ratio, text = page.evaluate(CONTRAST)
        assert ratio >= 4.5, text
        page.click("h1")
        assert page.evaluate("document.activeElement.tagName") == "BODY"
        window.press("s")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.search(r"\d+", ground)[0]) < 128) == (scheme == "dark")
