# SPDX-License-Identifier: MIT
"""Find metrics by common names such as ``precision@10``."""

from __future__ import annotations

import re
from difflib import get_close_matches

from receval.checked_arguments import checked_arguments
from receval.metrics.metric import BaseMetric, Metric
from receval.metrics.registry import LIST_METRICS, METRICS, parse_any
from receval.storage.messages import quoted

ALIASES = {
    "precision": "P",
    "prec": "P",
    "p": "P",
    "recall": "Recall",
    "r": "Recall",
    "ndcg": "nDCG",
    "map": "AP",
    "ap": "AP",
    "averageprecision": "AP",
    "meanaverageprecision": "AP",
    "mrr": "RR",
    "rr": "RR",
    "reciprocalrank": "RR",
    "meanreciprocalrank": "RR",
    "f": "F1",
    "f1": "F1",
    "f1score": "F1",
    "fmeasure": "F1",
    "hit": "Hit",
    "hits": "Hit(form=count)",
    "hitrate": "Hit",
    "hitratio": "Hit",
    "hr": "Hit",
    "success": "Hit",
    "rprecision": "Rprec",
    "usercoverage": "UserCoverage",
    "catalogcoverage": "ItemCoverage",
    "cataloguecoverage": "ItemCoverage",
    "giniindex": "Gini",
    "intralistdiversity": "ILD",
    "intralistdistance": "ILD",
    "strec": "SubtopicRecall",
    "srecall": "SubtopicRecall",
    "calibration": "Miscalibration",
    "calibrationkl": "Miscalibration",
}
"""Labels by common names, in lower case and without punctuation. Names of
:data:`receval.metrics.registry.METRICS` are matched in the same way."""

_PARTS = re.compile(r"\s*([A-Za-z][A-Za-z0-9_\- ]*?)\s*(\([^()]*\))?\s*(?:[@_ ](\d+))?\s*")


def metric_of_alias(name: str | Metric) -> Metric:
    """Return a metric of judged ranks by a common name, as :func:`any_metric` does.

    Metrics of whole lists are refused.
    """
    found = any_metric(name)
    if not isinstance(found, Metric):
        raise ValueError(
            f"{found.label} is computed from whole lists of recommendations, but a metric of "
            f"judged ranks is needed here. These are {', '.join(METRICS)}."
        )
    return found


@checked_arguments
def any_metric(name: str | BaseMetric) -> BaseMetric:
    """Return the metric of a common name, ignoring case and punctuation.

    All metrics are averaged over users, so ``MRR`` is RR and ``MAP`` is AP.

    Parameters
    ----------
    name : str or BaseMetric
        A label (:func:`receval.metrics.registry.parse_any`), or a common name with a cut-off, such
        as ``precision@10``, ``NDCG@10``, ``recall_20``. A metric is returned unchanged.

    Raises
    ------
    ValueError
        There is no such metric; the message suggests similar names.

    Examples
    --------
    >>> for name in ("precision@10", "ndcg@10", "MRR", "nDCG(gain=exp)@5", "recall_20"):
    ...     print(any_metric(name).label)
    P@10
    nDCG@10
    RR
    nDCG(gain=exp)@5
    Recall@20
    """
    if isinstance(name, BaseMetric):
        return name
    match = _PARTS.fullmatch(name)
    by_plain = {_plain(own): own for own in METRICS | LIST_METRICS} | ALIASES
    if match is None:
        return parse_any(name)
    if _plain(match[1]) in ("coverage", "cov"):
        raise ValueError(
            f"{quoted(match[1])} may mean the share of the catalogue that is recommended "
            "(ItemCoverage), the share of filled ranks (FilledRanks), or the share of users "
            "with a list (UserCoverage). Use the name of the metric."
        )
    own = match[1] if match[1] in METRICS | LIST_METRICS else by_plain.get(_plain(match[1]))
    if own is None:
        near = get_close_matches(_plain(match[1]), list(by_plain), n=3, cutoff=0.5)
        labels = list(dict.fromkeys(by_plain[plain] for plain in near))
        did_you_mean = f"did you mean {' or '.join(labels)}? There are" if labels else "there are"
        raise ValueError(
            f"There is no metric {quoted(match[1])}; {did_you_mean} "
            f"{', '.join(METRICS | LIST_METRICS)}."
        )
    return parse_any(f"{own}{match[2] or ''}{f'@{match[3]}' if match[3] else ''}")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
