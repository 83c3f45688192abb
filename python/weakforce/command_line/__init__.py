"""The command line: one file for each subcommand.

In: arguments. Out: models, tables, files and an exit code. `program` is where it begins; a
subcommand knows its own options and what to do, and leaves reading, writing and printing to
`files`, `outputs` and `tables`.
"""
