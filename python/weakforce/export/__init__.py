"""Models for other engines: Polars expressions and SQL.

In: a fitted model. Out: an expression or a query that gives its scores. `codes`, `sums`
and `terms` take a model apart; `polars_expression` and `sql` write the parts down, the latter in
one of the `dialects`.
"""

from __future__ import annotations

from .polars_expression import polars_expression
from .sql import sql_query

__all__ = ["polars_expression", "sql_query"]
