"""The server of a review: what the page asks for, and nothing to anybody else.

In: a session, a folder for images, a token. Out: an application for uvicorn. All addresses begin
with the token; whoever has another one gets nothing. Answers forbid the page to load anything from
elsewhere and to run any script but its own, so that data cannot do anything. Everything runs in the
thread of the event loop, one request after the other.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from .._files.failures import FileError, reason_of
from .coded_columns import NUMBER
from .filters import Filter, FilterError
from .images import image_file, image_type
from .journal_lines import JournalError
from .row_markup import row_markup
from .session import DecisionError, ReviewSession, StaleDecisionError

try:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route
except ImportError as error:
    raise ImportError(
        "'weakforce review' needs starlette and uvicorn: pip install 'weakforce[review]'"
    ) from error

#: What every answer says of itself.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

#: The files of the page with their types.
_STATIC = {
    "": ("page.html", "text/html"),
    "review.js": ("review.js", "text/javascript"),
    "review.css": ("review.css", "text/css"),
    "row.css": ("row.css", "text/css"),
}

#: A request is a decision of a few words.
_LONGEST_BODY = 100_000


class ReviewServer:
    """The application of a review.

    Attributes:
        app: what uvicorn runs.
    """

    def __init__(
        self,
        session: ReviewSession,
        token: str,
        folder: Path,
        title: str,
        finish: Callable[[], None],
    ) -> None:
        self._session, self._token, self._folder = session, token, folder
        self._title, self._finish = title, finish
        routes = [self._route(name, self._static, "GET") for name in _STATIC]
        routes += [
            self._route("api/start", self._start, "GET"),
            self._route("api/next", self._next, "POST"),
            self._route("api/decide", self._decide, "POST"),
            self._route("api/undo", self._undo, "POST"),
            self._route("api/finish", self._end, "POST"),
            self._route("image/{row:int}/{column:int}", self._image, "GET"),
        ]
        self.app = Starlette(routes=routes, exception_handlers={404: _refuse, 405: _refuse})

    def _route(
        self, path: str, answer: Callable[[Request], Awaitable[Response]], method: str
    ) -> Any:
        async def guarded(request: Request) -> Response:
            given = request.path_params["token"]
            if not secrets.compare_digest(given.encode(), self._token.encode()):
                return _refusal(
                    403, "wrong token: take the address that 'weakforce review' printed"
                )
            if not _is_local(request):
                return _refusal(403, "this address is for pages of 127.0.0.1 only")
            response = await _answered(answer, request)
            response.headers.update(_HEADERS)
            return response

        return Route("/{token}/" + path, guarded, methods=[method])

    async def _static(self, request: Request) -> Response:
        name, kind = _STATIC[request.url.path.rsplit("/", 1)[1]]
        content = (files(__package__) / "static" / name).read_bytes()
        return Response(content, media_type=kind)

    async def _start(self, request: Request) -> Response:  # noqa: ARG002
        """Answer with what stays the same during a review."""
        session = self._session
        return JSONResponse(
            {
                "title": self._title,
                "judged_by": session.ranking.judged_by,
                "classes": session.ranking.classes,
                "columns": [
                    {"name": column.name, "is_number": column.kind == NUMBER}
                    for column in session.columns
                ],
            }
        )

    async def _next(self, request: Request) -> Response:
        asked = await _body(request)
        filter = self._filter(asked)
        return self._row(self._session.next_row(filter, _after(asked)), filter)

    async def _decide(self, request: Request) -> Response:
        asked = await _body(request)
        filter = self._filter(asked)
        label = asked.get("label")
        self._session.decide(
            _whole(asked.get("row"), "row"),
            str(asked.get("decision")),
            None if label is None else _whole(label, "label"),
            _whole(asked.get("seen"), "seen"),
        )
        return self._row(self._session.next_row(filter, _after(asked)), filter)

    async def _undo(self, request: Request) -> Response:
        filter = self._filter(await _body(request))
        row = self._session.undo()
        if row is None:
            raise DecisionError("there is no decision to take back")
        return self._row(row, filter)

    async def _end(self, request: Request) -> Response:  # noqa: ARG002
        self._finish()
        return JSONResponse({"finished": True})

    async def _image(self, request: Request) -> Response:
        row, column = request.path_params["row"], request.path_params["column"]
        columns = self._session.columns
        file = None
        if row < len(self._session.ranking.order) and column < len(columns):
            path = columns[column].values[row]
            file = image_file(path, self._folder) if isinstance(path, str) else None
        if file is None:
            return _refusal(404, "no such image")
        return Response(file.read_bytes(), media_type=image_type(file))

    def _filter(self, asked: dict[str, Any]) -> Filter:
        entries = asked.get("filter", {})
        return self._session.read_filter(entries if isinstance(entries, dict) else {})

    def _row(self, row: int | None, filter: Filter) -> Response:
        """Answer with a row to show and how far the review is."""
        session = self._session
        last = session.decisions.last()
        answer: dict[str, Any] = {
            "progress": asdict(session.progress(filter)),
            "last": None
            if last is None
            else {"row": last.row, "decision": last.kind, "label": last.label},
            "row": None,
        }
        if row is not None:
            decision = session.decisions.of(row)
            suggested = int(session.ranking.suggested[row])
            answer["row"] = {
                "row": row,
                "seen": session.decisions.count_of(row),
                "decision": None if decision is None else decision.kind,
                "label": None if decision is None else decision.label,
                "given": int(session.ranking.given[row]),
                "suggested": None if suggested < 0 else suggested,
                "html": row_markup(session.view(row), self._image_source(row)),
            }
        return JSONResponse(answer)

    def _image_source(self, row: int) -> Callable[[int, str], str | None]:
        def source(column: int, path: str) -> str | None:
            return f"image/{row}/{column}" if image_file(path, self._folder) else None

        return source


async def _answered(answer: Callable[[Request], Awaitable[Response]], request: Request) -> Response:
    """Return an answer, or what went wrong in words."""
    try:
        return await answer(request)
    except StaleDecisionError as error:
        return _refusal(409, str(error))
    except JournalError as error:
        return _refusal(507, str(error))
    except (DecisionError, FilterError) as error:
        return _refusal(400, str(error))
    except (OSError, FileError) as error:
        return _refusal(500, reason_of(error))


async def _refuse(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return _refusal(getattr(error, "status_code", 404), "there is nothing at this address")


def _refusal(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status_code=status, headers=_HEADERS)


def _is_local(request: Request) -> bool:
    """Whether a request is for this machine by its number, and no page from elsewhere sends it.

    Another name would be one that a page from elsewhere has let point here.
    """
    host = request.headers.get("host", "")
    origin = request.headers.get("origin")
    return host.rpartition(":")[0] == "127.0.0.1" and origin in (None, f"http://{host}")


async def _body(request: Request) -> dict[str, Any]:
    """Return what a page sends."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > _LONGEST_BODY:
            raise DecisionError("the request is too long")
    try:
        found = json.loads(content or b"{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise DecisionError("the request is no JSON object")
    return found


def _after(asked: dict[str, Any]) -> int | None:
    after = asked.get("after")
    return None if after is None else _whole(after, "after")


def _whole(value: Any, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise DecisionError(f"{name}: got {value!r}, expected a whole number")
