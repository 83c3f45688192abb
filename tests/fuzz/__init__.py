"""A fuzzer: random calls over all boosters and learners, and damaged files, for as long as asked.

`python -m tests.fuzz --seconds 60 --seed 1` replays what was ever found (`corpus/`), then draws new
cases (`drawing`), runs each in a process of its own with limits on time and memory (`supervisor`,
`worker`), and makes what fails as small as it can (`minimising`). A case is JSON: `values` says how
Python values are written in it, `frames` and `labels` build what fit gets, `calls` makes the calls,
`promises` says what must hold after a fit, `refusals` which errors are allowed, and `damage` is for
model files and Parquet files.
"""
