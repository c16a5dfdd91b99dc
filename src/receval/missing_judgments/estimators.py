# SPDX-License-Identifier: MIT
r"""IPS and SNIPS estimators of averages over users, with their standard errors.

User u has :math:`N_u` candidates. Each judged candidate i has a weight :math:`w_{ui}` (1, or the
inverse of the propensity), a worth :math:`c_{ui}`, which is 0 for non-relevant items, and
:math:`d_{ui}`, which is 1, but for recall 0 for non-relevant items. With :math:`a_u = \sum_i w_{ui}
c_{ui}` and :math:`b_u = \sum_i w_{ui} d_{ui}` over the judged candidates:

.. math:: IPS = \frac{1}{|U|} \sum_u a_u, \qquad
          SNIPS = \frac{\sum_u a_u}{\sum_u b_u} \cdot \frac{\sum_u N_u}{|U|}

IPS is unbiased if the propensities are right. SNIPS divides by the weights, which estimate the
number of candidates. Their errors correlate with those of the numerator, so the variance is
smaller, at the cost of a bias that vanishes with more judgments. For recall, SNIPS has no
:math:`N_u`, and IPS does not exist, because the number of relevant items is unknown.

Sources: Schnabel et al. (2016), section 3; Swaminathan and Joachims (2015), "The self-normalized
estimator for counterfactual learning", NIPS; Yang et al. (2018), who normalise user by user. The
variance of a ratio: Cochran (1977), "Sampling techniques", section 6.4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from receval.checked_arguments import checked_arguments
from receval.evaluation.fitted_systems import RankedFold, ranked_folds
from receval.evaluation.measuring import named_protocols
from receval.metrics.aliases import metric_of_alias
from receval.missing_judgments.judgment_sampling import IntervenedTest
from receval.missing_judgments.propensities import (
    CandidatePairs,
    PopularityPropensities,
    PropensityModel,
)
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Judgments
from receval.splits.split_ratings import SplitRatings
from receval.statistics.effect_sizes import CONFIDENCE
from receval.storage.messages import enumerated, quoted

Normalised = Literal["all", "user"]


@dataclass(frozen=True)
class WeightedSums:
    """Sums per user from which the estimates of one system under one metric follow.

    They are :math:`a_u`, :math:`b_u`, :math:`N_u` and the number of lists, each over all folds.

    Examples
    --------
    Two users with 10 candidates each; the first has one relevant item, of weight 4 and worth 1:

    >>> sums = WeightedSums(
    ...     worths=np.array([4.0, 0.0]),
    ...     weights=np.array([8.0, 12.0]),
    ...     sizes=np.array([10.0, 10.0]),
    ...     lists=np.ones(2),
    ... )
    >>> sums.ips().value, sums.snips("all", per_relevant=False).value
    (2.0, 2.0)
    """

    worths: NDArray[np.float64]
    weights: NDArray[np.float64]
    sizes: NDArray[np.float64]
    lists: NDArray[np.float64]

    def ips(self) -> Estimate:
        """Return the IPS estimate: the mean of the users' sums."""
        there = self.lists > 0
        return _mean(self.worths[there] / self.lists[there])

    def snips(self, normalised: Normalised, *, per_relevant: bool) -> Estimate:
        """Return the SNIPS estimate, which is divided by the weights.

        Divided is by the weights of ``all`` users, or per ``user``, over users who have any. The
        latter is an average of averages: with one judgment per user, its weight cancels. A value
        per relevant item (recall) has no estimate of the number of candidates in its divisor.
        """
        if normalised == "user":
            there = self.weights > 0
            shares = self.worths[there] / self.weights[there]
            scale = 1.0 if per_relevant else self.sizes[there] / self.lists[there]
            return _mean(shares * scale)
        there = (self.weights > 0) if per_relevant else (self.lists > 0)
        worths, weights = self.worths[there], self.weights[there]
        size, whole = int(there.sum()), float(weights.sum())
        if not whole > 0:
            return Estimate(float("nan"), float("nan"), size)
        ratio = worths.sum() / whole
        scale = 1.0 if per_relevant else self.sizes[there].sum() / self.lists[there].sum()
        residuals = worths - ratio * weights
        error = float("nan")
        if size > 1:
            error = float(np.sqrt((residuals**2).sum() * size / (size - 1)) / whole * scale)
        return Estimate(float(ratio * scale), error, size)


@dataclass(frozen=True)
class Estimate:
    """An estimate of an average over users; NaN where there are no users, or too few.

    Examples
    --------
    >>> low, high = Estimate(0.5, 0.1, users=30).interval
    >>> round(low, 3), round(high, 3)
    (0.295, 0.705)
    """

    value: float
    standard_error: float
    users: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by Student's t."""
        if self.users < 2:
            return float("nan"), float("nan")
        half = float(stdtrit(self.users - 1, (1 + CONFIDENCE) / 2)) * self.standard_error
        return self.value - half, self.value + half


def effective_size(weights: NDArray[np.float64]) -> float:
    r"""Return Kish's effective sample size: the equivalent number of equally weighted judgments.

    .. math:: n_{eff} = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}

    (Kish 1965, "Survey sampling", section 11.7)

    Examples
    --------
    >>> effective_size(np.ones(4)), round(effective_size(np.array([9.0, 1, 1, 1])), 2)
    (4.0, 1.71)
    """
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def _mean(values: NDArray[np.float64]) -> Estimate:
    size = len(values)
    if not size:
        return Estimate(float("nan"), float("nan"), 0)
    error = float(values.std(ddof=1) / np.sqrt(size)) if size > 1 else float("nan")
    return Estimate(float(values.mean()), error, size)


_DCG = re.compile(r"(?i)\s*dcg@(\d+)\s*")


@dataclass(frozen=True)
class AdditiveMetric:
    r"""A sum of :math:`c(k)` over the ranks k of the relevant items of a list.

    ===========  =================================  ===============================
    ``kind``     :math:`c(k)` for :math:`k \le n`   the sum is divided by
    ===========  =================================  ===============================
    ``P``        :math:`1 / n`                      nothing
    ``DCG``      :math:`1 / \log_2(k + 1)`          nothing
    ``Recall``   1                                  the number of relevant items
    ===========  =================================  ===============================

    Examples
    --------
    >>> AdditiveMetric("DCG", 3).worth(np.array([1, 3, 4, 0])).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """

    kind: Literal["P", "DCG", "Recall"]
    cutoff: int

    @property
    def label(self) -> str:
        """Printed name, such as ``DCG@10``."""
        return f"{self.kind}@{self.cutoff}"

    @property
    def per_relevant(self) -> bool:
        """Whether the sum is divided by the unknown number of relevant items."""
        return self.kind == "Recall"

    def worth(self, ranks: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what a relevant item adds at each rank; 0 if it is not ranked or below rank n."""
        within = (ranks > 0) & (ranks <= self.cutoff)
        worth = np.zeros(len(ranks))
        if self.kind == "DCG":
            worth[within] = 1.0 / np.log2(ranks[within] + 1.0)
        else:
            worth[within] = 1.0 / self.cutoff if self.kind == "P" else 1.0
        return worth


def additive_metric_of(name: str) -> AdditiveMetric:
    """Return the metric with a name such as ``P@10``, ``recall@5`` or ``DCG@10``.

    Metrics that are not sums over relevant items, or have no cut-off, are refused.

    Examples
    --------
    >>> additive_metric_of("precision@5").label
    'P@5'
    >>> additive_metric_of("nDCG@5")
    Traceback (most recent call last):
    ValueError: nDCG@5 is not a sum over relevant items that each count by their own rank. ...
    """
    found = _DCG.fullmatch(name)
    if found and int(found[1]) > 0:
        return AdditiveMetric("DCG", int(found[1]))
    metric = metric_of_alias(name)
    if metric.cutoff is None or metric != type(metric)(cutoff=metric.cutoff):
        raise ValueError(
            f"{quoted(name)} cannot be estimated. Give a cut-off and no other parameter, as in "
            "P@10."
        )
    if metric.name not in ("P", "Recall"):
        raise ValueError(
            f"{metric.label} is not a sum over relevant items that each count by their own rank. "
            "Estimates by propensities need such a sum. Choose P@n, DCG@n or Recall@n."
        )
    return AdditiveMetric("P" if metric.name == "P" else "Recall", metric.cutoff)


FoldGenerator = Callable[[int], np.random.Generator]

ESTIMATE_COLUMNS = (
    "system",
    "metric",
    "estimator",
    "propensities",
    "value",
    "standard_error",
    "low",
    "high",
    "users",
    "judgments",
    "effective_size",
    "clipped",
)


@checked_arguments
def unbiased_estimates(
    data: SplitRatings,
    systems: Mapping[str, Any],
    *,
    metrics: str | Sequence[str] = ("P@10", "DCG@10", "Recall@10"),
    propensities: PropensityModel | Sequence[PropensityModel] | None = None,
    protocol: str | Protocol = "AR AI-AN",
    relevant: float | Literal["auto"] = "auto",
    clip: float = 0.0,
    normalised: Normalised = "all",
) -> pd.DataFrame:
    r"""Estimate metrics from biased test ratings, weighted by propensities.

    Parameters
    ----------
    data : SplitRatings
        From :func:`receval.splits.split_ratings.split`.
    systems : mapping of str to recommender, scorer or array
        As for :func:`receval.evaluation.systems.evaluate_systems`.
    metrics : str or sequence of str
        ``P@n``, ``DCG@n`` or ``Recall@n``
        (:class:`receval.missing_judgments.estimators.AdditiveMetric`).
    propensities : PropensityModel or sequence, optional
        From :mod:`receval.missing_judgments.propensities`; popularity by default.
    protocol : str or Protocol
        ``AR AI-AN`` or ``AR train-AN``: the ranks must not depend on which items were judged.
    relevant : float or "auto"
        Test ratings at or above it are relevant.
    clip : float
        Smaller propensities are raised to this value, for less variance but more bias.
    normalised : {"all", "user"}
        The divisor of SNIPS (:meth:`receval.missing_judgments.estimators.WeightedSums.snips`).
        Recall of the other estimators is averaged accordingly, over all relevant items or over
        users.

    Returns
    -------
    DataFrame
        One row per system, metric and estimator, where ``estimator`` is

        - ``naive``: as if no judgment were missing;
        - ``IPS`` and ``SNIPS``, for each of the ``propensities``
          (:mod:`receval.missing_judgments.estimators`); there is no IPS of recall;
        - ``MAR``: from the unbiased judgments, where the split has any, each of which stands for
          the candidates of its user that were not drawn.

        The other columns are ``value`` with its ``standard_error`` and 95 % interval from ``low``
        to ``high`` over ``users``, assuming that users are a random sample and propensities are
        known; the number of ``judgments`` of candidates and their ``effective_size`` (Kish), for
        recall those of relevant ones; and the share ``clipped``.

    Raises
    ------
    ValueError
        A name is unknown, the protocol ranks only judged items, no test rating is relevant, or
        propensities cannot be computed.

    Notes
    -----
    Averages are over all users with candidates, even those without test ratings, because having one
    depends on what was observed. MAR values are over the users with unbiased judgments, which are
    assumed to be a uniform sample of the user's candidates. That is true if items were drawn
    regardless of what the user had rated. If the drawn items were kept apart from the chosen ones,
    or are in train in other folds (``unbiased_rows="fold"``), popular items are in the sample more
    often than other candidates, and MAR values are too high.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aaabbbcc"), "item": list("xyzxyzxy"), "rating": [1] * 8}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> scores = {"up": np.tile(np.arange(3.0), (3, 1))}
    >>> found = unbiased_estimates(halves, scores, metrics="P@1")
    >>> found["estimator"].tolist()
    ['naive', 'IPS', 'SNIPS']
    """
    chosen = [
        additive_metric_of(name) for name in ([metrics] if isinstance(metrics, str) else metrics)
    ]
    if propensities is None:
        propensities = PopularityPropensities()
    models = list(propensities) if isinstance(propensities, Sequence) else [propensities]
    if len({model.label for model in models}) < len(models):
        raise ValueError(
            "Two kinds of propensities have the same name, so their rows could not be told apart: "
            f"{enumerated([model.label for model in models])}."
        )
    if not 0 <= clip < 1:
        raise ValueError(
            f"Propensities are clipped at {clip:g}, but clip must be at least 0 and below 1."
        )
    (ranking,) = named_protocols([protocol]).values()
    threshold = data.relevance(relevant).threshold
    folds = ranked_folds(data, systems, ranking, threshold)
    return estimates_of_folds(
        folds, list(systems), chosen, models, ranking, threshold, clip=clip, normalised=normalised
    )


def estimates_of_folds(
    folds: Iterable[RankedFold],
    systems: Sequence[str],
    metrics: Sequence[AdditiveMetric],
    propensities: Sequence[PropensityModel],
    protocol: Protocol,
    threshold: float,
    *,
    interventions: Mapping[IntervenedTest, FoldGenerator] | None = None,
    clip: float = 0.0,
    normalised: Normalised = "all",
) -> pd.DataFrame:
    """Estimate metrics of systems from their ranks, as :func:`unbiased_estimates` does.

    Test ratings at or above the threshold are relevant. The intervened tests to draw come with a
    function that returns the random generator of a fold, given its number; the ``naive`` estimator
    on each of them has its name.
    """
    samples: list[_Sample] = []
    for ranked in folds:
        of_fold = _samples(ranked, protocol, propensities, clip)
        naive = of_fold[0]
        for test, generator_for in (interventions or {}).items():
            kept = test.drawn(ranked.data, protocol, generator_for(ranked.number))
            pairs = replace(naive.pairs, judged=naive.pairs.judged & kept)
            of_fold.append(replace(naive, source=(test.name, ""), pairs=pairs))
        samples += of_fold
    by_source: dict[tuple[str, str], list[_Sample]] = {}
    for sample in samples:
        by_source.setdefault(sample.source, []).append(sample)
    sources = [_Source(own, threshold) for own in by_source.values()]
    # Unbiased estimates come last.
    sources.sort(key=lambda source: source.kind == "MAR")
    rows = [
        row
        for name in systems
        for metric in metrics
        for source in sources
        for row in _rows(name, metric, source, normalised)
    ]
    return pd.DataFrame(rows, columns=list(ESTIMATE_COLUMNS))


@dataclass(frozen=True)
class _Sample:
    """Weighted judgments of one fold, and their ranks by each system."""

    source: tuple[str, str]
    judgments: Judgments
    pairs: CandidatePairs
    weights: NDArray[np.float64]
    ranks: Mapping[str, JudgedRanks]
    clipped: NDArray[np.bool_] | None = None


def _samples(
    ranked: RankedFold, protocol: Protocol, models: Sequence[PropensityModel], clip: float
) -> list[_Sample]:
    """Return the weighted judgments of a fold for every source of estimates."""
    fold = ranked.data
    pairs = CandidatePairs.of(fold, fold.test, protocol)
    samples = [_Sample(("naive", ""), fold.test, pairs, np.ones(len(fold.test)), ranked.test)]
    for model in models:
        own = model.of(fold, protocol)
        low = own < clip
        used = np.where(pairs.judged, np.maximum(own, clip), 1.0)
        if not ((used > 0) & (used <= 1)).all():
            raise ValueError(
                f"Some propensities of {quoted(model.label)} are not above 0 and at most 1, so "
                "test ratings cannot be weighted by them. Give others, or set clip."
            )
        weights = 1.0 / used
        samples.append(_Sample(("IPS", model.label), fold.test, pairs, weights, ranked.test, low))
    if fold.unbiased is not None:
        drawn = CandidatePairs.of(fold, fold.unbiased, protocol)
        users = fold.unbiased.users
        counts = np.bincount(users[drawn.judged], minlength=len(drawn.sizes))
        # Users without a random sample are left out of the average.
        sizes = np.where(counts > 0, drawn.sizes, 0)
        weights = np.ones(len(users))
        weights[drawn.judged] = (sizes / np.maximum(counts, 1))[users[drawn.judged]]
        of_sampled = CandidatePairs(drawn.judged, sizes, drawn.is_candidate)
        samples.append(_Sample(("MAR", ""), fold.unbiased, of_sampled, weights, ranked.unbiased))
    return samples


class _Divisor:
    """The divisor of all systems: the weights of the judgments, or of the relevant ones."""

    def __init__(self, samples: Sequence[_Sample], rows: Sequence[NDArray[np.intp]]) -> None:
        n_users = len(samples[0].pairs.sizes)
        own = list(zip(samples, rows, strict=True))
        self.weights = np.zeros(n_users)
        for sample, chosen in own:
            users = sample.judgments.users[chosen]
            self.weights += np.bincount(users, sample.weights[chosen], minlength=n_users)
        weights = np.concatenate([sample.weights[chosen] for sample, chosen in own])
        clipped = [s.clipped[chosen].sum() for s, chosen in own if s.clipped is not None]
        self.judgments = len(weights)
        self.effective_size = effective_size(weights)
        self.clipped = float(sum(clipped) / len(weights)) if len(weights) else 0.0


class _Source:
    """The samples of all folds for one kind of estimate."""

    def __init__(self, samples: Sequence[_Sample], threshold: float) -> None:
        self.kind, self.propensities = samples[0].source
        judged = [sample.pairs.judged for sample in samples]
        relevant = [
            own & (sample.judgments.values >= threshold)
            for own, sample in zip(judged, samples, strict=True)
        ]
        rows = [np.flatnonzero(own) for own in relevant]
        self._divisors = {
            True: _Divisor(samples, rows),
            False: _Divisor(samples, [np.flatnonzero(own) for own in judged]),
        }
        self._relevant = [
            (sample.ranks, own, sample.judgments.users[own], sample.weights[own])
            for sample, own in zip(samples, rows, strict=True)
        ]
        sizes = np.array([sample.pairs.sizes for sample in samples])
        self._sizes = sizes.sum(axis=0).astype(np.float64)
        self._lists = (sizes > 0).sum(axis=0).astype(np.float64)

    def divisor(self, metric: AdditiveMetric) -> _Divisor:
        return self._divisors[metric.per_relevant]

    def sums(self, name: str, metric: AdditiveMetric) -> WeightedSums:
        worths = np.zeros(len(self._sizes))
        for ranks, rows, users, weights in self._relevant:
            worth = weights * metric.worth(ranks[name].ranks[rows])
            worths += np.bincount(users, weights=worth, minlength=len(worths))
        return WeightedSums(worths, self.divisor(metric).weights, self._sizes, self._lists)


def _rows(
    name: str, metric: AdditiveMetric, source: _Source, normalised: Normalised
) -> Iterator[dict[str, Any]]:
    sums, divisor = source.sums(name, metric), source.divisor(metric)
    weighted = ["SNIPS"] if metric.per_relevant else ["IPS", "SNIPS"]
    for estimator in weighted if source.kind == "IPS" else [source.kind]:
        if estimator == "SNIPS" or metric.per_relevant:
            estimate: Estimate = sums.snips(normalised, per_relevant=metric.per_relevant)
        else:
            estimate = sums.ips()
        low, high = estimate.interval
        yield {
            "system": name,
            "metric": metric.label,
            "estimator": estimator,
            "propensities": source.propensities,
            "value": estimate.value,
            "standard_error": estimate.standard_error,
            "low": low,
            "high": high,
            "users": estimate.users,
            "judgments": divisor.judgments,
            "effective_size": divisor.effective_size,
            "clipped": divisor.clipped,
        }
