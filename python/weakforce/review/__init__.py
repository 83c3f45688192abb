"""Suspect labels settled by a person, one row after the other, in a browser on this machine.

`weakforce review` runs it. In: a table, its target, and a ranking of its rows. Out: a file of
decisions, which can be applied to the table. Data go one way: `tables` and `fingerprints` read the
table, `ranking` says which row comes first, `session` holds all that is known, `row_view` and
`row_markup` show a row, `server` answers the page, and `journal` brings every decision to disk.
Nothing here imports Starlette or uvicorn but `server` and `serving`.
"""
