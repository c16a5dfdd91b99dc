# SPDX-License-Identifier: MIT
"""Definitions of metrics in words, as descriptions of dialects give them."""

from __future__ import annotations

from receval.metrics.metric import Metric

USERS_IN_WORDS = {
    "tested": "users with a test rating",
    "relevant": "users with a relevant test rating",
    "covered": "users with a test rating and a list",
    "relevant-covered": "users with a relevant test rating and a list",
    "all": "all users",
}
"""Who is averaged, by the names that :func:`receval.metrics.evaluation.evaluated_lists` has."""

_DIVISORS = {
    "cutoff": "k, also where the list is shorter",
    "filled": "the number of items in the list, at most k",
    "relevant": "the number of relevant items",
    "reachable": "the number of relevant items, at most k",
    "listed": "the number of relevant items, at most as many as the list has within k",
    "hits": "the number of hits",
}
_GAINS = {
    "rating": "the rating, be it relevant or not",
    "binary": "1 for a relevant item",
    "exp": "2^r - 1 of the rating r",
    "exp-normalised": "(2^(r - 1) - 1) / (2^(m - 1) - 1) of the rating r, m being the highest",
    "exp-relevant": "2^r - 1 of a relevant rating r",
    "exp-steps": "2^(r - t + 1) - 1 of a relevant rating r, t being the threshold",
    "exp-steps-from-0": "2^(r + 1) - 1 of a relevant rating r",
    "relevant": "the rating of a relevant item",
    "steps": "r - t + 1 of a relevant rating r, t being the threshold",
    "cm100k": "max(r - 2, 0) of a rating r below 5, and r from 5 on, whatever the threshold",
}
_DISCOUNTS = {
    "log": "log2(rank + 1)",
    "log-after-2": "log2(max(rank, 2)), so that ranks 1 and 2 weigh the same",
}
_IDEALS = {
    "cut": "the best k test items",
    "all": "all test items",
    "filled": "as many of the best test items as the list has within k",
    "listed": "the list's own judged items",
}
_PLAIN = {
    "RR": "1 / rank of the first relevant item, 0 if there is none within k",
    "Rprec": "hits within as many ranks as there are relevant items, over their number",
    "F1": "twice the hits, over k and the number of relevant items",
    "bpref": "relevant items, less those judged not relevant above them, as trec_eval has it",
    "infAP": "precision expected at the ranks of the relevant items, over their number",
    "ERR": "expected reciprocal of the rank where a user stops who is satisfied by chance",
}


def metric_in_words(metric: Metric) -> str:
    """Return the definition of a metric at a cut-off k.

    Raises
    ------
    ValueError
        No dialect has such a metric, so that there are no words for it.

    Examples
    --------
    >>> from receval.metrics.registry import parse
    >>> metric_in_words(parse("P(denominator=filled)"))
    'hits / the number of items in the list, at most k'
    """
    own = vars(metric)
    if metric.name in ("P", "Recall"):
        return f"hits / {_DIVISORS[own['denominator']]}"
    if metric.name == "AP":
        where = "the ranks of the hits" if own["terms"] == "hits" else "every rank, hit or not"
        return f"sum of the precisions at {where} / {_DIVISORS[own['denominator']]}"
    if metric.name == "nDCG":
        return (
            f"gain {_GAINS[own['gain']]}; discount {_DISCOUNTS[own['discount']]}; "
            f"ideal list: {_IDEALS[own['ideal']]}"
        )
    if metric.name == "Hit":
        return "number of hits" if own["form"] == "count" else "1 if there is a hit, else 0"
    if metric.name == "RBP":
        over = ", over that of the best list" * (own["denominator"] == "best")
        phi = f"{own['phi']:g}"
        return f"gain {_GAINS[own['gain']]}; weight (1 - {phi}) {phi}^(rank - 1){over}"
    if metric.name not in _PLAIN:
        raise ValueError(f"There are no words for {metric.label}: add them to {__name__}.")
    return _PLAIN[metric.name]
