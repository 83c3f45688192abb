"""The code matrices of figure 7.12 of paper 002."""

import numpy as np

#: Figure 7.12: four classes, five classifiers; one-vs-rest; one-vs-one.
FIGURE_A = np.array([[1, -1, 1, -1, 1], [1, 1, -1, -1, -1], [-1, -1, 1, -1, -1], [-1, 1, -1, 1, 1]])
FIGURE_B = np.array([[1, -1, -1, -1], [-1, 1, -1, -1], [-1, -1, 1, -1], [-1, -1, -1, 1]])
FIGURE_C = np.array(
    [[1, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 1, 0], [0, -1, 0, -1, 0, 1], [0, 0, -1, 0, -1, -1]]
)
