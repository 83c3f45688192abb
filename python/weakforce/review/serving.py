"""A review is served: on this machine only, at a random port, under a random token.

In: a session. Out: nothing; it returns when the person finishes or the process is asked to end.
"""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from .._files.failures import FileError, reason_of
from .server import ReviewServer
from .session import ReviewSession

_HOST = "127.0.0.1"


def serve(
    session: ReviewSession,
    *,
    folder: Path,
    title: str,
    port: int = 0,
    open_browser: bool = True,
    report: Callable[[str], None] = print,
) -> None:
    """Serve a review until it is finished.

    Parameters:
        session: the review.
        folder: where relative paths of images begin.
        title: what the page is called.
        port: the port; 0 takes a free one.
        open_browser: whether to show the page in the browser of this machine.
        report: is told the address.
    """
    import uvicorn

    over = threading.Event()
    token = secrets.token_urlsafe(24)
    application = ReviewServer(session, token, folder, title, over.set)
    with _listening(port) as listener:
        address = f"http://{_HOST}:{listener.getsockname()[1]}/{token}/"
        config = uvicorn.Config(
            application.app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        server = uvicorn.Server(config)
        # In a thread of its own, because in the main one uvicorn would take the signals.
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            report(address)
            if open_browser:
                webbrowser.open(address)
            while not over.wait(0.2):
                if not thread.is_alive():
                    raise FileError(f"the server of {address} ended, expected it to run")
        finally:
            server.should_exit = True
            thread.join(timeout=10)


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on this machine."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((_HOST, port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        raise FileError(f"cannot listen on port {port}: {reason_of(error)}") from error
    return listener
