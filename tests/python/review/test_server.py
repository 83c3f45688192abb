"""The server answers its own page and nobody else; what goes wrong comes with its reason."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from support.reviews import Client, noisy_people, opened
from weakforce.review.journal import Journal, journal_path, read_journal
from weakforce.review.journal_lines import JournalError
from weakforce.review.server import ReviewServer

TOKEN = "the-token"


class Served:
    """A review without a network."""

    def __init__(self, folder: Path, monkeypatch, table=None, **how):
        self.table = noisy_people() if table is None else table
        self.out = folder / "decisions.parquet"
        self.session, self.journal = opened(self.table, self.out, monkeypatch=monkeypatch, **how)
        self.finished = []
        server = ReviewServer(
            self.session, TOKEN, folder, "title", lambda: self.finished.append(True)
        )
        self.client = Client(server.app, f"/{TOKEN}/")
        self.anybody = Client(server.app)

    def ask(self, path, body=None, status=200):
        sent = self.client.get(path) if body is None else self.client.post(path, body)
        assert sent[0] == status, sent
        return json.loads(sent[2])

    def decide(self, shown, decision, status=200, **more):
        body = {"row": shown["row"], "seen": shown["seen"], "decision": decision, **more}
        return self.ask("api/decide", body, status)

    def kept(self):
        found = read_journal(journal_path(str(self.out)), self.session._table)
        return [(each.row, each.kind, each.label) for each in found]


@pytest.fixture
def served(tmp_path, monkeypatch):
    served = Served(tmp_path, monkeypatch)
    yield served
    served.journal.close()


PATHS = ["", "review.js", "review.css", "row.css", "api/start", "image/0/0"]


@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_token_is_refused(path, served):
    for wrong in ("wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "ü"):
        status, headers, content = served.anybody.get(f"/{wrong}/{path}")
        assert status == 403
        assert "wrong token" in json.loads(content)["error"]
        assert "default-src 'none'" in headers["content-security-policy"]
    if path != "image/0/0":
        assert served.client.get(path)[0] == 200


def test_decisions_under_a_wrong_token_are_none(served):
    for path in ("api/next", "api/decide", "api/undo", "api/finish"):
        status, _, _ = served.anybody.post(
            f"/wrong/{path}", {"row": 0, "decision": "keep", "seen": 0}
        )
        assert status == 403
    assert served.kept() == []
    assert served.finished == []


@pytest.mark.parametrize("path", ["/", "/api/start", f"/{TOKEN}", f"/{TOKEN}/nothing", "/x/y/z/u"])
def test_other_addresses_hold_nothing(path, served):
    status, _, content = served.anybody.get(path)
    assert status in (307, 404)
    assert b"html" not in content


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:5000"},
        {"host": "localhost.evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:6000"},
    ],
)
def test_pages_from_elsewhere_are_refused(headers, served):
    assert served.client.get("api/start", **headers)[0] == 403
    assert served.client.get("api/start", origin="http://127.0.0.1:5000")[0] == 200


def test_every_answer_forbids_what_is_not_its_own(served):
    for path in PATHS:
        headers = served.client.get(path)[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_names_no_other_place(served):
    for path in PATHS[:4]:
        content = served.client.get(path)[2].decode()
        assert not re.search(r"""(?:["'(=]|:)//|https?:""", content)
        assert "style=" not in content


def test_rows_come_in_the_order_of_the_ranking_and_decisions_go_to_disk(served):
    order = served.session.ranking.order.tolist()
    shown = served.ask("api/next", {})["row"]
    assert shown["row"] == order[0]
    answer = served.decide(shown, "keep")
    assert served.kept() == [(order[0], "keep", served.table["pays"][order[0]])]
    assert answer["row"]["row"] == order[1]
    answer = served.decide(answer["row"], "change", label=1)
    assert answer["row"]["row"] == order[2]
    answer = served.decide(answer["row"], "skip")
    assert [entry[0] for entry in served.kept()] == order[:3]
    assert answer["progress"]["n_skipped"] == 1
    answer = served.ask("api/undo", {})
    assert answer["row"]["row"] == order[2]
    assert answer["row"]["decision"] is None
    assert answer["last"]["row"] == order[1]
    assert [entry[:2] for entry in served.kept()][-1] == (order[2], "undo")


def test_to_change_a_label_to_itself_is_to_keep_it(served):
    shown = served.ask("api/next", {})["row"]
    served.decide(shown, "change", label=shown["given"])
    assert served.kept()[0][1] == "keep"


def test_a_row_that_another_window_decided_is_refused(served):
    shown = served.ask("api/next", {})["row"]
    served.decide(shown, "skip")
    assert "in another window" in served.decide(shown, "keep", status=409)["error"]
    assert len(served.kept()) == 1
    served.ask("api/undo", {})
    served.decide(shown, "keep")


def test_a_review_goes_on_where_it_was(served, tmp_path, monkeypatch):
    answer = served.ask("api/next", {})
    for decision in ("keep", "skip", "keep"):
        answer = served.decide(answer["row"], decision)
    served.journal.close()
    again = Served(tmp_path, monkeypatch)
    found = again.ask("api/next", {})
    again.journal.close()
    assert found == answer


def test_filters_choose_rows_and_are_counted(served):
    answer = served.ask("api/next", {"filter": {"given": "0"}})
    is_no = served.table["pays"] == "no"
    assert served.table["pays"][answer["row"]["row"]] == "no"
    assert answer["progress"]["n_matching"] == is_no.sum()
    answer = served.decide(answer["row"], "skip", filter={"given": "0"})
    assert answer["progress"]["n_matching"] == is_no.sum() - 1
    assert served.ask("api/next", {"filter": {"state": "skipped"}})["progress"]["n_matching"] == 1
    nothing = served.ask("api/next", {"filter": {"state": "changed"}})
    assert nothing["row"] is None
    assert "expected" in served.ask("api/next", {"filter": {"given": "9"}}, status=400)["error"]


def test_settled_rows_are_gone_through_one_after_the_other(served):
    rows = []
    answer = served.ask("api/next", {})
    for _ in range(3):
        rows.append(answer["row"]["row"])
        answer = served.decide(answer["row"], "skip")
    seen, after = [], {}
    for _ in range(4):
        row = served.ask("api/next", {"filter": {"state": "skipped"}, **after})["row"]["row"]
        seen.append(row)
        after = {"after": row}
    assert seen == [*rows, rows[0]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"row": "1", "seen": 0, "decision": "keep"}, "row: got '1', expected a whole number"),
        ({"row": 60, "seen": 0, "decision": "keep"}, "row: got 60, expected a number from 0 to 59"),
        ({"row": -1, "seen": 0, "decision": "keep"}, "row: got -1"),
        ({"row": 1, "seen": 0, "decision": "undo"}, "decision: got 'undo'"),
        ({"row": 1, "seen": 0, "decision": "change"}, "label: got None"),
        ({"row": 1, "seen": 0, "decision": "change", "label": 2}, "label: got 2"),
        ({"row": 1, "decision": "keep"}, "seen: got None"),
    ],
)
def test_decisions_that_make_no_sense_are_refused(body, said, served):
    assert said in served.ask("api/decide", body, status=400)["error"]
    assert served.kept() == []


def test_requests_that_are_no_objects_or_too_long_are_refused(served):
    for content in (b"{", b"[]", b"\xff", b" " * 200_000):
        assert served.client.send("POST", "api/next", content, {})[0] == 400
    assert served.client.get("api/decide")[0] in (404, 405)


def test_nothing_to_take_back(served):
    assert "no decision" in served.ask("api/undo", {}, status=400)["error"]


def test_a_full_disk_is_said_and_the_decision_can_be_made_again(served, monkeypatch):
    def full(self, decision):
        raise JournalError("cannot write 'x': No space left on device")

    shown = served.ask("api/next", {})["row"]
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", full)
        assert "No space left" in served.decide(shown, "keep", status=507)["error"]
        assert served.ask("api/next", {})["row"] == shown
    served.decide(shown, "keep")
    assert len(served.kept()) == 1


def test_finishing_is_passed_on(served):
    served.ask("api/finish", {})
    assert served.finished == [True]


ODD = '<script>alert("1")</script>&amp;\' "'


@pytest.fixture
def odd(tmp_path, monkeypatch):
    table = pl.DataFrame(
        {
            ODD: [f"{ODD}{at % 3}" for at in range(30)],
            "image": [ODD + ".png", "photo.png", "http://example.com/x.png"] * 10,
            "text": [f"{ODD} {'long ' * 20}{at}" for at in range(30)],
            "^x.*$": [float(at) for at in range(30)],
            "pays": [ODD, "b"] * 15,
        }
    )
    (tmp_path / "photo.png").write_bytes(b"not really an image")
    served = Served(tmp_path, monkeypatch, table)
    yield served
    served.journal.close()


def test_odd_names_and_values_are_escaped(odd):
    answer = odd.ask("api/next", {})
    for _ in range(30):
        html = answer["row"]["html"]
        assert "<script" not in html
        assert "onerror" not in html
        assert html.count("&lt;script&gt;") >= 8
        allowed = "article|header|h2|h3|p|span|figure|figcaption|img|section|ul|li|strong|svg|rect"
        allowed += "|div|table|thead|tbody|tr|th|td"
        assert set(re.findall(r"<([a-z0-9]+)", html)) <= set(allowed.split("|"))
        # Quotes of data never end an attribute: outside of tags nothing has the form of one.
        assert not re.search(r'"alert', html)
        answer = odd.decide(answer["row"], "keep")
    assert answer["row"] is None


def test_images_are_files_that_the_table_names_and_nothing_else(odd):
    place = odd.table.columns.index("image")
    sources = set()
    for row in range(30):
        html = odd.session.views.of(row)
        assert html.images[0][2] == odd.table["image"][row]
        status, headers, content = odd.client.get(f"image/{row}/{place}")
        assert status == (200 if row % 3 == 1 else 404)
        if status == 200:
            assert content == b"not really an image"
            assert headers["content-type"] == "image/png"
        sources.add(status)
    assert odd.client.get("image/0/0")[0] == 404
    assert odd.client.get("image/99/1")[0] == 404
    assert odd.client.get("image/1/99")[0] == 404
