"""The command line: one file for each subcommand.

In: arguments. Out: models, tables, files and an exit code. `program` is where it begins; `parsers`
holds the arguments of each subcommand, the module of the same name here runs it. What is heavy to
import is imported only to run one. Files are the affair of `weakforce._files`.
"""
