# SPDX-License-Identifier: MIT
"""Every metric in plain Python, written from the papers' formulas, one list at a time."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, log2, prod
from typing import Any

from metrics.examples import THRESHOLD, Case
from scipy.stats import kendalltau

EPSILON = 1e-5


def hits(case: Case, n: int | None) -> int:
    return len(set(case.listed[:n]) & case.relevant)


def misses(case: Case, n: int | None) -> int:
    return len(set(case.listed[:n]) & case.nonrelevant)


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def ranks_counted(case: Case, metric: Any) -> int:
    if getattr(metric, "denominator", "cutoff") == "filled":
        return len(case.listed[: metric.cutoff])
    return metric.cutoff or len(case.listed)


def precision(case: Case, metric: Any) -> float:
    return share(hits(case, metric.cutoff), ranks_counted(case, metric))


def anti_precision(case: Case, metric: Any) -> float:
    return share(misses(case, metric.cutoff), ranks_counted(case, metric))


def unjudged(case: Case, metric: Any) -> float:
    if not case.listed:
        return 1.0
    n = metric.cutoff or len(case.listed)
    top = case.listed[:n]
    empty = n - len(top)
    return (empty + len([item for item in top if item not in case.ratings])) / n


def reachable(case: Case, n: int | None) -> int:
    return len(case.relevant) if n is None else min(n, len(case.relevant))


def recall(case: Case, metric: Any) -> float:
    wanted = len(case.relevant)
    if getattr(metric, "denominator", "relevant") == "reachable":
        wanted = reachable(case, metric.cutoff)
    return share(hits(case, metric.cutoff), wanted)


def hit(case: Case, metric: Any) -> float:
    found = hits(case, metric.cutoff)
    return float(found if metric.form == "count" else found > 0)


def r_precision(case: Case, metric: Any) -> float:
    return share(hits(case, reachable(case, metric.cutoff)), len(case.relevant))


def fallout(case: Case, metric: Any) -> float:
    return share(misses(case, metric.cutoff), len(case.nonrelevant))


def stratified_recall(case: Case, metric: Any) -> float:
    power = 1.0 if metric.gamma == inf else metric.gamma / (metric.gamma + 1)
    weights = {i: float(case.metadata.positive_ratings[i]) ** -power for i in case.relevant}
    found = set(case.listed[: metric.cutoff]) & case.relevant
    return share(sum(weights[i] for i in found), sum(weights.values()))


def ips_hit(case: Case, metric: Any) -> float:
    counts = [float(n) for n in case.metadata.positive_ratings]
    found = set(case.listed[: metric.cutoff]) & case.relevant
    return sum(min(metric.most, sum(counts) / counts[i]) for i in found)


def f1(case: Case, metric: Any) -> float:
    p, r = precision(case, metric), recall(case, metric)
    return share(2 * p * r, p + r)


def average_precision(case: Case, metric: Any) -> float:
    top = case.listed[: metric.cutoff]
    found = [hits(case, k) / k for k, item in enumerate(top, 1) if item in case.relevant]
    n = metric.cutoff or len(case.listed)
    if metric.terms == "ranks":
        found = [hits(case, k) / k for k in range(1, n + 1)]
    divisor = {
        "relevant": len(case.relevant),
        "reachable": reachable(case, metric.cutoff),
        "listed": min(len(top), len(case.relevant)),
        "hits": hits(case, metric.cutoff),
        "cutoff": n,
    }[metric.denominator]
    return share(sum(found), divisor)


def average_recall(case: Case, metric: Any) -> float:
    n = metric.cutoff or len(case.listed)
    recalls = [share(hits(case, k), len(case.relevant)) for k in range(1, n + 1)]
    if metric.terms == "ranks":
        return share(sum(recalls), n)
    found = [r for r, item in zip(recalls, case.listed, strict=False) if item in case.relevant]
    return share(sum(found), reachable(case, metric.cutoff))


def inferred_average_precision(case: Case, metric: Any) -> float:
    total = 0.0
    for k, item in enumerate(case.listed[: metric.cutoff], 1):
        if item not in case.relevant:
            continue
        r, s = hits(case, k - 1), misses(case, k - 1)
        if k == 1:
            total += 1.0
        elif metric.form == "valcarce":
            total += 1 / k + (k - 1) / k * (r + EPSILON) / (r + s + 2 * EPSILON)
        elif metric.form == "trec_eval":
            pooled = (r + s) / (k - 1)
            total += 1 / k + (k - 1) / k * pooled * (r + EPSILON) / (r + s + 2 * EPSILON)
        else:
            rel, nrel, d100 = hits(case, k), misses(case, k), r + s
            total += 1 / k + (k - 1) / k * (d100 / (k - 1) * rel / (rel + nrel))
    return share(total, len(case.relevant))


def binary_preference(case: Case, metric: Any) -> float:
    r, n = len(case.relevant), len(case.nonrelevant)
    total = 0.0
    for k, item in enumerate(case.listed[: metric.cutoff], 1):
        if item in case.relevant:
            above = misses(case, k)
            counted = above if metric.form == "bellogin" else min(above, r)
            total += 1 - counted / min(n, r) if above else 1
    return share(total, r)


def right_pairs(case: Case, metric: Any) -> float:
    """Count the pairs of a relevant item and another one of the list that are in order."""
    others = [item for item in case.listed if item not in case.relevant]
    n_others = len(others) + (metric.others == "one-more")
    if not others and metric.others == "listed":
        return 0.0
    total = 0.0
    for k, item in enumerate(case.listed[: metric.cutoff]):
        if item in case.relevant:
            above = [other for other in case.listed[:k] if other not in case.relevant]
            total += (n_others - len(above)) / n_others
    n_relevant = len(case.relevant)
    return share(
        total, reachable(case, metric.cutoff) if metric.denominator == "reachable" else n_relevant
    )


def partial_area(case: Case, metric: Any) -> float:
    """Count the right pairs of the relevant items and the first of the others."""
    others = [item for item in case.listed if item not in case.relevant]
    n = len(others) if metric.cutoff is None else metric.cutoff
    counted = others[:n] + [None] * (n - len(others))
    found = [item for item in case.listed if item in case.relevant]
    wanted = len(case.relevant)
    if metric.relevant == "first" and metric.cutoff is not None:
        found, wanted = found[:n], min(n, wanted)
    right = [
        other is None or case.listed.index(item) < case.listed.index(other)
        for item in found
        for other in counted
    ]
    return share(sum(right), n * wanted)


def pairs_within(case: Case, metric: Any) -> float:
    top = case.listed[: metric.cutoff]
    found = [k for k, item in enumerate(top) if item in case.relevant]
    others = [k for k, item in enumerate(top) if item not in case.relevant]
    if not found or not others:
        return float(bool(found))
    return share(sum(k < other for k in found for other in others), len(found) * len(others))


def percentile_rank(case: Case, metric: Any) -> float:
    n = case.n_candidates - (metric.denominator == "others")
    top = case.listed[: metric.cutoff]
    places = [share(top.index(item), n) if item in top else 1.0 for item in case.relevant]
    return share(sum(places), len(places))


def classes(case: Case, metric: Any) -> tuple[int, int, int, int]:
    """Return the right and wrong items within the cut-off, and the same of those outside."""
    n = len(case.listed[: metric.cutoff])
    tp = hits(case, metric.cutoff)
    fn = len(case.relevant) - tp
    return tp, n - tp, case.n_candidates - n - fn, fn


def accuracy(case: Case, metric: Any) -> float:
    tp, _, tn, _ = classes(case, metric)
    return share(tp + tn, case.n_candidates) if case.listed else 0.0


def matthews(case: Case, metric: Any) -> float:
    tp, fp, tn, fn = classes(case, metric)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return share(tp * tn - fp * fn, product**0.5) if product > 0 else 0.0


def weight_of_pairs(case: Case, metric: Any) -> float:
    if metric.name == "PercentileRank":
        return min(1, len(case.relevant)) if metric.weight == "equal" else len(case.relevant)
    if not case.relevant or not set(case.listed) - case.relevant:
        return 0.0
    return {"judged": len(case.ratings), "relevant": len(case.relevant), "equal": 1}[metric.weight]


def area_under_log_curve(case: Case, metric: Any) -> float:
    """Integrate the share of relevant items found over the logarithm of that of the others."""
    others = [item for item in case.listed if item not in case.relevant]
    if not others or not case.relevant:
        return 0.0
    found, area, seen = 0, 0.0, 0
    for k, item in enumerate(case.listed, 1):
        if item in case.relevant:
            found += metric.cutoff is None or k <= metric.cutoff
            continue
        seen += 1
        start, end = (max(part / len(others), metric.least) for part in (seen - 1, seen))
        area += found / len(case.relevant) * log(end / start)
    # What is found below the last of the others lies beyond the end of the axis.
    return area / -log(metric.least)


GAINS: dict[str, Callable[[float, float], float]] = {
    "rating": lambda rating, _: rating,
    "binary": lambda rating, _: float(rating >= THRESHOLD),
    "exp": lambda rating, _: 2**rating - 1,
    "exp-normalised": lambda rating, highest: (
        max(2 ** (rating - 1) - 1, 0) / (2 ** (highest - 1) - 1)
    ),
    "exp-relevant": lambda rating, _: (2**rating - 1) * (rating >= THRESHOLD),
    "exp-steps": lambda rating, _: (2 ** (rating - THRESHOLD + 1) - 1) * (rating >= THRESHOLD),
    "exp-steps-from-0": lambda rating, _: (2 ** (rating + 1) - 1) * (rating >= THRESHOLD),
    "relevant": lambda rating, _: rating * (rating >= THRESHOLD),
    "steps": lambda rating, _: (rating - THRESHOLD + 1) * (rating >= THRESHOLD),
    "cm100k": lambda rating, _: {1: 0, 2: 0, 3: 1, 4: 2, 5: 5}.get(rating, max(rating - 2, 0)),
}


def gain(metric: Any, case: Case, item: int) -> float:
    rating = case.ratings.get(item)
    return 0.0 if rating is None else GAINS[metric.gain](rating, case.metadata.maximum_rating)


def loss(metric: Any, case: Case, item: int) -> float:
    if metric.loss == "cm100k":
        return max(3 - case.ratings.get(item, 3), 0)
    if item not in case.nonrelevant:
        return 0.0
    return 1.0 if metric.loss == "binary" else THRESHOLD - case.ratings[item]


DISCOUNTS: dict[str, Callable[[int], float]] = {
    "log": lambda k: log2(k + 1),
    "log-after-2": lambda k: log2(max(k, 2)),
    "reciprocal": float,
}


def normalised(case: Case, metric: Any, worth: Callable[[Any, Case, int], float]) -> float:
    discount = DISCOUNTS[getattr(metric, "discount", "log")]

    worths = {item: worth(metric, case, item) for item in {*case.ratings, *case.listed}}

    def discounted(items: list[int]) -> float:
        return sum(worths[item] / discount(k) for k, item in enumerate(items, 1))

    # Half a star is worth less than nothing to 2^(r-1) - 1; it still has a rank of its own.
    best = sorted(case.ratings, key=worths.__getitem__, reverse=True)
    top = list(case.listed[: metric.cutoff])
    if metric.name == "DCG":
        return discounted(top)
    ideal = {
        "all": best,
        "cut": best[: metric.cutoff],
        "filled": best[: len(top)],
        "listed": [item for item in best if item in case.listed][: metric.cutoff],
        "ranks": [],
    }[metric.ideal]
    divisor = discounted(ideal)
    if metric.ideal == "ranks":
        # A relevant item, whose gain is 1, at every rank.
        ranks = range(1, (len(case.listed) if metric.cutoff is None else metric.cutoff) + 1)
        divisor = sum(1 / discount(k) for k in ranks)
    return discounted(top) / divisor if divisor > 0 else 0.0


def reciprocal_of_first(case: Case, metric: Any, wanted: set[int]) -> float:
    top = case.listed[: metric.cutoff]
    return max((1 / k for k, item in enumerate(top, 1) if item in wanted), default=0.0)


def expected_reciprocal_rank(case: Case, metric: Any) -> float:
    if not case.ratings:
        return 0.0
    own = metric.maximum == "user"
    highest = max(case.ratings.values()) if own else case.metadata.maximum_rating
    g = [
        (2 ** case.ratings[item] - 1) / 2**highest if item in case.ratings else 0.0
        for item in case.listed[: metric.cutoff]
    ]
    return sum(g[k] / (k + 1) * prod(1 - before for before in g[:k]) for k in range(len(g)))


def rank_biased_precision(case: Case, metric: Any) -> float:
    top = case.listed[: metric.cutoff]
    steps = (gain(metric, case, item) * metric.phi**k for k, item in enumerate(top))
    met = (1 - metric.phi) * sum(steps)
    if metric.denominator == "none":
        return met
    return share(met, 1 - metric.phi ** min(len(top), len(case.relevant)))


def rank_biased_residual(case: Case, metric: Any) -> float:
    """Weigh what is not known: the unjudged ranks, and the infinite tail after the last."""
    top = case.listed[: metric.cutoff]
    unknown = [metric.phi**k for k, item in enumerate(top) if item not in case.ratings]
    return (1 - metric.phi) * sum(unknown) + metric.phi ** len(top)


def rank_biased_overlap(case: Case, metric: Any) -> float:
    """Webber et al. 2010: prefixes of both orders as sets, the last agreement for the rest."""
    judged = [item for item in case.listed if item in case.ratings]
    ideal = sorted(judged, key=lambda item: (-case.ratings[item], case.listed.index(item)))
    phi, deepest = metric.phi, len(case.listed[: metric.cutoff])
    agreement = [len(set(case.listed[:d]) & set(ideal[:d])) / d for d in range(1, deepest + 1)]
    if not agreement:
        return 0.0
    seen = sum((1 - phi) * phi**d * a for d, a in enumerate(agreement))
    return seen + phi**deepest * agreement[-1]


def kendall_tau(case: Case, metric: Any) -> float:
    """scipy's tau-b, which has no value where there is no pair or all ratings are equal."""
    values = [case.ratings[item] for item in case.listed[: metric.cutoff] if item in case.ratings]
    if len(set(values)) < 2:
        return 0.0
    return float(kendalltau(range(len(values), 0, -1), values, variant="b").statistic)


ORACLES: dict[str, Callable[[Case, Any], float]] = {
    "P": precision,
    "antiP": anti_precision,
    "Recall": recall,
    "StratifiedRecall": stratified_recall,
    "IPSHit": ips_hit,
    "Fallout": fallout,
    "F1": f1,
    "Hit": hit,
    "Rprec": r_precision,
    "AP": average_precision,
    "AverageRecall": average_recall,
    "nDCG": lambda case, metric: normalised(case, metric, gain),
    "DCG": lambda case, metric: normalised(case, metric, gain),
    "nDCL": lambda case, metric: normalised(case, metric, loss),
    "RR": lambda case, metric: reciprocal_of_first(case, metric, case.relevant),
    "antiRR": lambda case, metric: reciprocal_of_first(case, metric, case.nonrelevant),
    "ERR": expected_reciprocal_rank,
    "bpref": binary_preference,
    "AUC": right_pairs,
    "GAUC": right_pairs,
    "logAUC": area_under_log_curve,
    "PartialAUC": partial_area,
    "ListAUC": pairs_within,
    "PercentileRank": percentile_rank,
    "Accuracy": accuracy,
    "MCC": matthews,
    "infAP": inferred_average_precision,
    "RBP": rank_biased_precision,
    "RBPresidual": rank_biased_residual,
    "RBO": rank_biased_overlap,
    "tau": kendall_tau,
    "FilledRanks": lambda case, metric: len(case.listed[: metric.cutoff]) / metric.cutoff,
    "UserCoverage": lambda case, metric: float(len(case.listed) > 0),
    "Unjudged": unjudged,
}


def values(cases: list[Case], metrics: list[Any]) -> list[list[float]]:
    """Return a row for each metric, with the value of each case."""
    seen = {
        form: [case.seen(*form) for case in cases]
        for form in {(metric.condensed, metric.depth) for metric in metrics}
    }
    rows = [
        [ORACLES[metric.name](case, metric) for case in seen[metric.condensed, metric.depth]]
        for metric in metrics
    ]
    return [
        linearised(row, seen[metric.condensed, metric.depth], metric)
        if metric.name in ("GAUC", "PercentileRank")
        else row
        for row, metric in zip(rows, metrics, strict=True)
    ]


def linearised(row: list[float], cases: list[Case], metric: Any) -> list[float]:
    weights = [weight_of_pairs(case, metric) for case in cases]
    if not sum(weights):
        return [float("nan")] * len(row)
    mean = sum(w * x for w, x in zip(weights, row, strict=True)) / sum(weights)
    scale = len(row) / sum(weights)
    return [mean + w * scale * (x - mean) for w, x in zip(weights, row, strict=True)]
