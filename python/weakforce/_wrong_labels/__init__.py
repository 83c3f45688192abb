"""Who judges labels, and what is made of it.

In: rows with class codes. Out: judgements of one fit, out of bag or over its rounds; rankings, the
reasons for them, and what is done about wrong labels.
"""
