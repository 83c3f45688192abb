"""Margin bounds once more, straight from their statements: loops, counting and bisection."""

import math


def inverse_kl_exponent(q, u):
    """−ln(1 − w) of the smallest w ≥ q with KL(q‖w) ≥ u, by bisection."""

    def divergence(t):
        total = (1 - q) * (math.log(1 - q) + t)
        return total + (q * math.log(q / -math.expm1(-t)) if q > 0 else 0.0)

    low = high = -math.log(1 - q)
    while divergence(high := 2 * high + 1) < u:
        low = high
    for _ in range(200):
        middle = (low + high) / 2
        if divergence(middle) >= u:
            high = middle
        else:
            low = middle
    return high


def inverse_kl(q, u):
    return 1.0 if q == 1 else -math.expm1(-inverse_kl_exponent(q, u))


def share_up_to(margins, theta):
    return sum(1 for margin in margins if margin <= theta) / len(margins)


def schapire(margins, theta, n_hypotheses, delta):
    """What the bound of Schapire et al. is just below one θ."""
    n = len(margins)
    share = sum(1 for margin in margins if margin < theta) / n
    drawn = max(math.ceil(4 / theta**2 * math.log(n / math.log(n_hypotheses))), 1)
    events = math.log(drawn * (drawn + 1) ** 2 / delta) + drawn * math.log(n_hypotheses)
    deviation = math.sqrt(events / (2 * n))
    return share + 2 * math.exp(-drawn * theta**2 / 8) + deviation


def breiman(margins, n_hypotheses, delta):
    """The bound by the smallest margin; None if it does not apply."""
    n, smallest = len(margins), min(margins)
    if smallest <= 4 * math.sqrt(2 / n_hypotheses):
        return None
    ratio = 32 * math.log(2 * n_hypotheses) / (n * smallest**2)
    if ratio > 2 * n:
        return None
    first = ratio * (math.log(2 * n) + math.log(1 / ratio) + 1)
    return first + math.log(n_hypotheses / delta) / n


def wang_u(n, theta, n_hypotheses, delta):
    size = math.log(n_hypotheses)
    return (8 * size / theta**2 * math.log(2 * n**2 / size) + size + math.log(n / delta)) / n


def wang(margins, theta, n_hypotheses, delta):
    """What the bound by the equilibrium margin is at one θ."""
    n = len(margins)
    w = inverse_kl(share_up_to(margins, theta), wang_u(n, theta, n_hypotheses, delta))
    return math.log(n_hypotheses) / n + w


def equilibrium(margins, n_hypotheses, delta):
    """Value, equilibrium margin and its error by definition: over all q, θ the largest for it."""
    n, found = len(margins), []
    lowest = math.sqrt(8 / n_hypotheses)
    first = round(share_up_to(margins, lowest) * n)
    for count in range(first, n):
        # The largest θ with at most so many margins up to it: where the next margin is.
        theta = min(sorted(margins)[count], 1.0)
        exponent = inverse_kl_exponent(count / n, wang_u(n, theta, n_hypotheses, delta))
        found.append((exponent, theta, count / n))
    exponent, theta, share = min(found)
    return math.log(n_hypotheses) / n - math.expm1(-exponent), theta, share
