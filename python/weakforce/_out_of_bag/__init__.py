"""What a classifier knows of rows that its trees have not seen.

In: scores of training rows out of bag, and what the core reports of the members of a pool. Out:
losses, an estimate of the share of wrong labels, suspects, and frames that tell what was chosen.
"""
