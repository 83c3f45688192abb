"""One page on a model and its data, to be looked at in a browser.

In: a fitted booster, rows and labels. Out: a self-contained HTML page.
"""

from .page import report_page

__all__ = ["report_page"]
