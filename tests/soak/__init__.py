"""A soak test: the same work over and over, to see whether memory or file handles grow.

`python -m tests.soak --seconds 3600` fits, predicts, saves, loads, pickles, and does so in threads,
forks and spawned processes (`work`), measures the process every few seconds (`measures`), prints a
table and ends with 1 if the process has grown by more than 2 % since it was warm.
"""
