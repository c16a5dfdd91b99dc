# SPDX-License-Identifier: MIT
"""Find metrics by common names such as ``precision@10``."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from receval.checked_arguments import checked_arguments
from receval.metrics.metric import BaseMetric, Metric
from receval.metrics.registry import ALL_METRICS, METRICS, metric_class, parse_any
from receval.storage.messages import quoted

_PARTS = re.compile(r"\s*([A-Za-z][A-Za-z0-9_\- ]*?)\s*(\([^()]*\))?\s*(?:[@_ ](\d+))?\s*")


def metric_of_alias(name: str | BaseMetric) -> Metric:
    """Return a metric of judged ranks by a common name, as :func:`any_metric` does.

    Metrics of whole lists and of predicted ratings are refused.
    """
    found = any_metric(name)
    if not isinstance(found, Metric):
        raise ValueError(
            f"{found.label} is computed from {found.computed_from}, but a metric of judged ranks "
            f"is needed here. These are {', '.join(METRICS)}."
        )
    return found


@cache
def labels_by_name() -> dict[str, str]:
    """Return the labels of all metrics by their names, in lower case and without punctuation.

    The names are those of the registry, and the other names that the classes declare.

    Examples
    --------
    >>> labels_by_name()["mrr"], labels_by_name()["hits"]
    ('RR', 'Hit(form=count)')
    """
    found = {_plain(name): name for name in ALL_METRICS}
    for name in ALL_METRICS:
        # Not inherited: a variant of a metric has other names.
        for written in vars(metric_class(name)).get("other_names", ()):
            other, bracket, parameters = written.partition("(")
            found[_plain(other)] = f"{name}{bracket}{parameters}"
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
    if match is None:
        return parse_any(name)
    if _plain(match[1]) in ("coverage", "cov"):
        raise ValueError(
            f"{quoted(match[1])} may mean the share of the catalogue that is recommended "
            "(ItemCoverage), the share of filled ranks (FilledRanks), or the share of users "
            "with a list (UserCoverage). Use the name of the metric."
        )
    known = match[1] in ALL_METRICS
    own = match[1] if known else labels_by_name().get(_plain(match[1]))
    if own is None:
        by_plain = labels_by_name()
        near = get_close_matches(_plain(match[1]), list(by_plain), n=3, cutoff=0.5)
        labels = list(dict.fromkeys(by_plain[plain] for plain in near))
        did_you_mean = f"did you mean {' or '.join(labels)}? There are" if labels else "there are"
        raise ValueError(
            f"There is no metric {quoted(match[1])}; {did_you_mean} {', '.join(METRICS)} and those "
            "of whole lists and of predicted ratings in docs/metrics.md."
        )
    return parse_any(f"{own}{match[2] or ''}{f'@{match[3]}' if match[3] else ''}")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
