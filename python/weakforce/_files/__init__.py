"""Tables in files: read in batches of bounded memory, scored, and written all at once.

In: names of files. Out: lazy frames, batches of rows, predictions, new files. `formats` and
`failures` import nothing heavy, so that the help texts of the command line come at once.
`weakforce.prediction_files` is the public face; the command line uses the parts.
"""
