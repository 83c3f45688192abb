"""Naive oracles: each algorithm once more in plain loops, sharing nothing with the library."""
