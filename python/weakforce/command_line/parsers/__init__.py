"""The arguments of the command line: one file for each subcommand, and what they share.

Nothing here imports Polars or scikit-learn, so that help texts come at once; the module of the same
name in `command_line` runs a subcommand.
"""
