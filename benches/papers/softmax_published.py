"""Tables 2 and 3 of paper 001 (Geist, Soft-max boosting, 2015), for the sets measured here.

Test errors in per cent by set, booster, share of exchanged training labels and number of rounds.
"""

from __future__ import annotations

MH, SAMME, SM_BOOST = BOOSTERS = ("MH", "SAMME", "sm-boost")
ROUNDS = (10, 100, 1000)
NOISES = (0.0, 0.2)

Cells = dict[tuple[float, int], float]


def cells(clean: tuple[float, float, float], noisy: tuple[float, float, float]) -> Cells:
    """Lay out a line of table 2 and the same line of table 3."""
    return {
        (noise, rounds): error
        for noise, errors in zip(NOISES, (clean, noisy), strict=True)
        for rounds, error in zip(ROUNDS, errors, strict=True)
    }


PUBLISHED: dict[str, dict[str, Cells]] = {
    "vowel": {
        MH: cells((49.4, 44.6, 42.9), (55.8, 47.2, 47.6)),
        SAMME: cells((47.8, 39.4, 38.3), (54.1, 44.6, 41.3)),
        SM_BOOST: cells((56.9, 45.7, 46.3), (52.8, 48.9, 43.7)),
    },
    "dna": {
        MH: cells((5.14, 3.96, 4.05), (8.26, 7.67, 7.25)),
        SAMME: cells((6.15, 4.64, 4.46), (13.8, 10.5, 8.85)),
        SM_BOOST: cells((6.49, 4.89, 4.13), (6.15, 4.64, 6.24)),
    },
    "satimage": {
        MH: cells((13.0, 10.0, 9.20), (16.7, 12.8, 10.9)),
        SAMME: cells((13.7, 9.85, 8.8), (17.3, 12.9, 10.7)),
        SM_BOOST: cells((12.9, 10.8, 8.95), (13.8, 11.8, 10.4)),
    },
    "pendigits": {
        MH: cells((4.86, 2.43, 2.17), (10.9, 7.63, 5.7)),
        SAMME: cells((3.03, 2.49, 2.29), (11.7, 6.66, 4.49)),
        SM_BOOST: cells((8.23, 4.57, 2.83), (9.06, 3.97, 3.06)),
    },
    "letter": {
        MH: cells((15.0, 3.72, 2.34), (26.2, 15.1, 8.58)),
        SAMME: cells((13.0, 3.68, 2.84), (25.8, 11.6, 6.84)),
        SM_BOOST: cells((26.9, 10.7, 5.40), (20.2, 13.2, 6.98)),
    },
}
