"""A browser for tests: Playwright, which drives the chromium that the system has."""

import shutil
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress

from weakforce.review.serving import serve

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: Why tests in a browser are skipped; "" if they are not.
NO_BROWSER = "" if CHROMIUM else "there is no chromium on this machine (apt-get install chromium)"


@contextmanager
def served(session, folder, title="data.parquet"):
    """Serve a review from this process; yield its address."""
    addresses, known = [], threading.Event()

    def report(address):
        addresses.append(address)
        known.set()

    how = {"folder": folder, "title": title, "open_browser": False, "report": report}
    thread = threading.Thread(target=serve, args=(session,), kwargs=how, daemon=True)
    thread.start()
    assert known.wait(20)
    yield addresses[0]
    # Whoever has not finished it yet does so now.
    with suppress(urllib.error.URLError, ConnectionError):
        urllib.request.urlopen(addresses[0] + "api/finish", b"{}", timeout=10).read()
    thread.join(20)
    assert not thread.is_alive()


class Watched:
    """A page, and everything it asks for or complains about."""

    def __init__(self, context):
        self.page = context.new_page()
        self.asked, self.complaints = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("console", self._console)

    def _dialog(self, dialog):
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def row(self):
        """The row that is shown."""
        return int(self.page.inner_text(".row h2").removeprefix("Row ").replace(",", ""))

    def open(self, address):
        self.page.goto(address)
        self.page.wait_for_selector(".row")
        return self

    def press(self, key):
        """Press a key and wait for the answer to it."""
        with self.page.expect_response(lambda answer: "/api/" in answer.url):
            self.page.keyboard.press(key)
        self.settle()

    def settle(self):
        """Wait until nothing is awaited any more."""
        # The page forbids strings to be evaluated, as other ways to wait would do.
        self.page.wait_for_selector("body:not([aria-busy])")
