"""Reviews for tests: tables with wrong labels, sessions, requests without a network."""

import asyncio
import json
from pathlib import Path

import numpy as np
import polars as pl

from support.command_runs import people
from weakforce.review.opening import ReviewedTable, open_session


def noisy_people(n_rows=60, seed=1) -> pl.DataFrame:
    return people(n_rows, seed).drop("id")


def ranked(table: pl.DataFrame, target: str, seed=0) -> pl.DataFrame:
    """A ranking without any fit: drawn scores, the other label suggested to every second row."""
    generator = np.random.default_rng(seed)
    labels = table.get_column(target)
    classes = labels.unique().sort()
    given = np.searchsorted(np.array(classes.to_list(), dtype=str), labels.cast(pl.String))
    score = np.sort(generator.random(len(labels)))[::-1]
    row = generator.permutation(len(labels))
    best = np.where(np.arange(len(row)) % 2 == 0, (given[row] + 1) % len(classes), given[row])
    return pl.DataFrame(
        {
            "row": row,
            "given": labels.gather(row),
            "suggested": classes.gather(best),
            "margin": 1 - 2 * score,
            "score": score,
        }
    )


def opened(table: pl.DataFrame, out: Path, target="pays", monkeypatch=None, **how):
    """A session and its journal; with `monkeypatch` rows are ranked without a fit."""
    reviewed = ReviewedTable(table, table, target, **how)
    if monkeypatch is not None:
        monkeypatch.setattr(ReviewedTable, "rank", lambda self: ranked(self.rows, self.target))
    return open_session(reviewed, str(out), lambda line: None)


class Client:
    """Sends requests to an application in this process."""

    def __init__(self, app, prefix=""):
        self.app, self.prefix = app, prefix

    def get(self, path, **headers):
        return self.send("GET", path, b"", headers)

    def post(self, path, body, **headers):
        return self.send("POST", path, json.dumps(body).encode(), headers)

    def send(self, method, path, body, headers):
        """The status, the headers and the content of the answer."""
        given = {"host": "127.0.0.1:5000", **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": self.prefix + path,
            "raw_path": (self.prefix + path).encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 5000),
        }
        sent = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        content = b"".join(message.get("body", b"") for message in sent[1:])
        named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], named, content
