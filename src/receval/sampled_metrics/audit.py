# SPDX-License-Identifier: MIT
"""Audit sampled metrics: compare them with full ranking, over all possible samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import ReadingReport, readings_of
from receval.data.relevance import RelevanceRule
from receval.data.run import read_run
from receval.evaluation.fitted_systems import ProgressSteps, ranked_folds
from receval.evaluation.identifiers import (
    SharedCodes,
    TrainedPairs,
    check_that_identifiers_meet,
    without_trained_pairs,
)
from receval.evaluation.measuring import named_metrics_of_ranks
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.figures.curves import line, logarithmic_x
from receval.figures.finish import legend_below, number_axes
from receval.figures.printed_numbers import NOTHING, fixed, p_value
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    NO_WINNER,
    SINGLE_COLUMN,
    legend_name,
    new_figure,
    series_styles,
    styles_of_many,
)
from receval.figures.tables import Column, Table
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.metric import Metric
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.listed_ranks import rank_listed
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.rank_corrections import ESTIMATORS, corrected_values
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.sampled_metrics.sampled_moments import AuditedMoments, full_cutoffs, order_changes
from receval.seeds import generator
from receval.splits.split import Fold
from receval.splits.split_ratings import SplitRatings
from receval.storage.messages import quoted

DECIMALS = 4


@dataclass(frozen=True)
class SamplingAudit:
    """Comparison of sampled metrics with full ranking.

    Attributes
    ----------
    values : DataFrame
        By ``metric`` and ``system``: the value under ``full`` ranking; the number of ``negatives``,
        and the ``expected`` sampled value and its ``sd`` over samples; the number of
        ``relevant_items`` averaged.
    corrections : DataFrame
        By metric, system and ``estimator``: ``expected``, ``bias`` against full ranking, ``sd``
        (NaN for MLE, which is computed from the expected distribution of sampled ranks).
    cutoffs : DataFrame
        By metric and system, for metrics that are step functions of the rank (Recall, P): the
        ``full_cutoff`` that corresponds to the ``cutoff`` among samples
        (:mod:`receval.sampled_metrics.sampled_moments`).
    curve : DataFrame
        ``expected`` and ``sd`` by metric, system and number of ``negatives``.
    pairs : DataFrame
        By metric and pair of systems: ``full_difference`` and ``full_p`` of its t-test over users;
        ``expected_difference`` and its ``sd``; the ``swap_probability``; and the number of
        negatives that is ``enough`` for a swap probability below .05 (to within 2 %), also as a
        ``share`` of the candidates.
    swaps : DataFrame
        ``swap_probability`` by metric, pair of systems and number of negatives.
    by_user : DataFrame
        Means over each user's relevant items, under full ranking and expected.
    settings : mapping
    notes : tuple of Note
        Warnings about possible misinterpretations.
    reading : tuple of ReadingReport
        How test data, training data and runs were read.
    words : tuple of str
        Which test ratings are relevant.
    """

    values: pd.DataFrame
    corrections: pd.DataFrame
    cutoffs: pd.DataFrame
    curve: pd.DataFrame
    pairs: pd.DataFrame
    swaps: pd.DataFrame
    by_user: pd.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    words: tuple[str, ...] = ()

    def as_report(self, title: str = "Sampled metrics") -> Report:
        """Return a report with tables, figures and sentences."""
        largest = int(self.settings["largest_number_of_negatives"])
        parts: list[ReportPart] = [ReportText("In short", tuple(self.sentences()))]
        parts.append(ReportTable("values", self._values_table()))
        parts.append(
            ReportFigure.drawn(
                "negatives",
                lambda: draw_negatives(self.curve, self.values),
                "Expected value against the number of sampled negatives, with a band of 1.96 "
                f"standard deviations over samples. At the right end ({largest:,}) all candidates "
                "are ranked. Dashed: the number audited.",
            )
        )
        data = {"values": self.values, "curve": self.curve, "corrections": self.corrections}
        if len(self.pairs):
            parts.append(ReportTable("pairs", self._pairs_table()))
            parts.append(
                ReportFigure.drawn(
                    "swaps",
                    lambda: draw_swaps(self.swaps, self.values),
                    "Probability that an evaluation by samples puts two systems in the other order "
                    "than full ranking. Dotted: .05. Dashed: the number audited."
                    + self._pairs_left_out(),
                )
            )
            data |= {"pairs": self.pairs, "swaps": self.swaps}
        if len(self.cutoffs):
            parts.append(ReportTable("cutoffs", self._cutoffs_table()))
            data["cutoffs"] = self.cutoffs
        parts.append(ReportTable("corrections", self._corrections_table()))
        data |= {"per_user": self.by_user}
        return Report(
            title, tuple(parts), data, self.notes, self.settings, self.reading, self.words
        )

    def sentences(self) -> list[str]:
        """Return a few sentences that summarise the findings."""
        sampled, largest = self.settings["sampled"], self.settings["largest_number_of_negatives"]
        told = [
            f"Each of {self.settings['relevant_items']:,} relevant test items is ranked among "
            f"{sampled:,} sampled non-relevant items, or all of up to {largest:,}. All means "
            "and standard deviations are exact sums over the samples that could be drawn."
        ]
        if not len(self.pairs):
            return told
        reversed_ = self.pairs[self.pairs["swap_probability"] > 0.5]
        seldom = self.pairs[self.pairs["swap_probability"] < 0.05]
        told.append(
            f"With {sampled:,} negatives, {len(seldom)} of {len(self.pairs)} pairs (a pair under "
            "each metric counts by itself) change places with a probability below .05, and "
            f"{len(reversed_)} with one above .5: those are in the wrong order on average, which "
            "more users or repeated samples do not mend."
        )
        needed = self.pairs["enough"].max()
        if np.isfinite(needed):
            told.append(
                f"For all pairs that differ, {int(needed):,} negatives would be enough, "
                f"{fixed(100 * needed / largest, 0)} % of the candidates."
            )
        return told

    def _pairs_left_out(self) -> str:
        """Return how many pairs the figure shows, if it does not show all."""
        pairs = len(self.pairs[["first", "second"]].drop_duplicates())
        return "" if pairs <= MOST_PAIRS else f" The first {MOST_PAIRS} of {pairs:,} pairs."

    def _values_table(self) -> Table:
        sampled = self.settings["sampled"]
        rows = tuple(
            (
                row.metric,
                row.system,
                fixed(row.full, DECIMALS),
                fixed(row.expected, DECIMALS),
                fixed(row.sd, DECIMALS),
                fixed(row.expected / row.full, 1) if row.full > 0 else NOTHING,
            )
            for row in self.values.itertuples()
        )
        heads = ("Full ranking", f"{sampled:,} sampled", "SD over samples", "Sampled / full")
        return Table(
            "Sampled and full values",
            _columns(("Metric", "System"), heads),
            rows,
            caption=(
                "The value under full ranking (1R AN), and the exact expectation and standard "
                f"deviation of the sampled one (1R NN) over all samples of {sampled:,}."
            ),
        )

    def _pairs_table(self) -> Table:
        rows = tuple(
            (
                row.metric,
                row.first,
                row.second,
                fixed(row.full_difference, DECIMALS, signed=True),
                p_value(row.full_p),
                fixed(row.expected_difference, DECIMALS, signed=True),
                fixed(row.sd, DECIMALS),
                _probability(row.swap_probability),
                NOTHING if np.isnan(row.enough) else f"{int(row.enough):,}",
            )
            for row in self.pairs.itertuples()
        )
        heads = ("Full", "p (full)", "Sampled", "SD", "Pr(other order)", "Enough")
        return Table(
            "Pairs of systems",
            _columns(("Metric", "First", "Second"), heads),
            rows,
            caption=(
                "Differences under full ranking (averages over relevant items), with the p-value "
                "of a t-test over users (of the averages of their items), and with "
                f"{self.settings['sampled']:,} sampled negatives. Enough: the smallest number of "
                "negatives for which, and for all larger ones that were tried, two systems are in "
                "the other order with a probability below .05, to within 2 %."
            ),
            notes=(
                "Systems that do not differ significantly under full ranking have no order that an "
                "evaluation could be asked to keep.",
                "Samples are drawn for each relevant item and each system by itself. Systems that "
                "share their samples differ less by chance: probabilities below .5 are then lower, "
                "and those above are higher.",
            ),
        )

    def _cutoffs_table(self) -> Table:
        rows = tuple(
            (
                row.metric,
                row.system,
                str(row.cutoff),
                f"{row.full_cutoff:,}",
                f"{fixed(100 * row.share, 1)} %",
            )
            for row in self.cutoffs.itertuples()
        )
        heads = ("Among samples", "Under full ranking", "Of the candidates")
        return Table(
            "Cut-offs of the same value",
            _columns(("Metric", "System"), heads),
            rows,
            caption=(
                "The cut-off under full ranking at which a system has the value that it is "
                f"expected to have among {self.settings['sampled']:,} sampled negatives: how deep "
                "in its lists the sampled metric looks."
            ),
            notes=(
                "If systems of a metric have the same one, their sampled values are in the order "
                "of full ones at that cut-off (Li et al., 2020).",
            ),
        )

    def _corrections_table(self) -> Table:
        rows = []
        for (metric, system), own in self.corrections.groupby(["metric", "system"], sort=False):
            cells = [str(metric), str(system), fixed(float(own["full"].iloc[0]), DECIMALS)]
            for estimator in ESTIMATORS:
                (row,) = own[own["estimator"] == estimator].itertuples()
                spread = "" if np.isnan(row.sd) else f" ± {_spread(row.sd)}"
                cells.append(fixed(row.expected, DECIMALS) + spread)
            rows.append(tuple(cells))
        return Table(
            "Corrected values",
            _columns(("Metric", "System"), ("Full ranking", *ESTIMATORS)),
            tuple(rows),
            caption=(
                "Expectation of corrected sampled metrics, ± their standard deviation over samples "
                f"of {self.settings['sampled']:,}: at the unbiased estimate of the rank, by "
                "constrained least squares (CLS), by the trade-off of bias and variance with a "
                "weight of .1 (BV; Krichene and Rendle, 2020), and by the most likely distribution "
                "of ranks (MLE; Jin et al., 2021)."
            ),
            notes=(
                "The corrections take the average number of candidates for that of all users. MLE "
                "is that of the expected distribution of sampled ranks, as of very many users.",
                "CLS is nearly unbiased at the price of its variance, which makes it useless where "
                "its standard deviation is many times the value; BV gives up some of the one for "
                "the other.",
            ),
        )


def _columns(names: Sequence[str], numbers: Sequence[str]) -> tuple[Column, ...]:
    return (*map(Column, names), *(Column(head, "right") for head in numbers))


def _spread(value: float) -> str:
    return fixed(value, DECIMALS) if value < 10 else f"{value:.1e}"


def _probability(value: float) -> str:
    if np.isnan(value):
        return NOTHING
    return "< .001" if value < 0.001 else "> .999" if value > 0.999 else fixed(value, 3)


MOST_COLUMNS = 3
"""Maximum number of panels in a row."""

MOST_PAIRS = 15
"""Maximum number of pairs of systems with a curve."""

_HEIGHT = 2.2
_LETTER, _HANDLE, _LINE = 0.07, 0.45, 0.17
"""Sizes in inches: a letter of the legend, the space around its labels, and a line."""


def draw_negatives(curve: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the expected values over the number of negatives, one panel per metric.

    If there are more systems than styles, the best by the first metric have colours and the others
    are grey.
    """
    first = values[values["metric"] == values["metric"].iloc[0]]
    best = first.sort_values("full", ascending=False, kind="stable")["system"].tolist()
    styles = styles_of_many(best)

    def draw(axes: Axes, metric: str) -> None:
        own = curve[curve["metric"] == metric]
        # Draw the grey curves first, so that they are below the others.
        for system in sorted(best, key=lambda name: styles[name].colour != NO_WINNER):
            rows = own[own["system"] == system]
            is_named = styles[system].colour != NO_WINNER
            line(
                axes,
                rows["negatives"],
                rows["expected"],
                styles[system],
                legend_name(system, best) if is_named else None,
                error=1.96 * rows["sd"].to_numpy() if is_named else None,
            )
        axes.set_ylabel(metric)
        axes.set_ylim(bottom=0)

    named = [legend_name(name, best) for name in best if styles[name].colour != NO_WINNER]
    return _panels(values, draw, named)


def draw_swaps(swaps: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the probability of swapped systems over the number of negatives."""
    pairs = list(dict.fromkeys(zip(swaps["first"], swaps["second"], strict=True)))
    pairs = pairs[:MOST_PAIRS]
    every = [name for pair in pairs for name in pair]
    names = [", ".join(legend_name(name, every) for name in pair) for pair in pairs]
    styles = series_styles([str(number) for number in range(len(names))])

    def draw(axes: Axes, metric: str) -> None:
        own = swaps[swaps["metric"] == metric]
        for (first, second), name, style in zip(pairs, names, styles.values(), strict=True):
            rows = own[(own["first"] == first) & (own["second"] == second)]
            line(axes, rows["negatives"], rows["swap_probability"], style, name)
        axes.axhline(0.05, color=INK, linewidth=0.6, linestyle=":")
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel(f"Pr(other order), {metric}")

    return _panels(values, draw, names)


def _panels(
    values: pd.DataFrame, draw: Callable[[Axes, str], None], labels: Sequence[str]
) -> Figure:
    metrics = list(dict.fromkeys(values["metric"]))
    columns = min(MOST_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    width = SINGLE_COLUMN if columns == 1 else DOUBLE_COLUMN
    # The longest label decides how many rows the legend has.
    in_a_row = max(1, int(width / (_LETTER * max(map(len, labels)) + _HANDLE)))
    figure = new_figure(width, _HEIGHT * rows + 0.25 + _LINE * -(-len(labels) // in_a_row))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, metric in zip(panels, metrics, strict=False):
        draw(axes, metric)
        axes.axvline(values["negatives"].iloc[0], color=INK, linewidth=0.6, linestyle="--")
        logarithmic_x(axes)
        axes.set_xlabel("Sampled negatives")
    for axes in panels[len(metrics) :]:
        axes.remove()
    number_axes(panels[: len(metrics)])
    legend_below(figure)
    return figure


_SIZES = [size * 10**power for power in range(1, 9) for size in (1, 2, 5)]


@checked_arguments
def audit_samples(
    test: object,
    runs: Mapping[str, Any],
    *,
    sampled: int = 100,
    train: object = None,
    trained_pairs: TrainedPairs = "refuse",
    metrics: str | Metric | Sequence[str | Metric] = ("Recall@10", "nDCG@10", "RR"),
    relevant: float | Literal["auto"] = "auto",
    told: ProgressSteps | None = None,
) -> SamplingAudit:
    r"""Compare metrics on sampled candidates with those on all, over all samples.

    Every relevant test rating is ranked among non-relevant items: all of them (1R AN), or a sample
    of s (1R NN), drawn without replacement and independently for each rating and system. If K of M
    candidates are above the item, a sample has :math:`H \sim Hypergeometric(M, K, s)` candidates
    above it, so the mean and variance of a sampled metric are computed as sums, without simulation.
    The probability that two systems swap assumes that the difference of their averages is normal,

    .. math:: \Pr[\text{other order}] = \Phi\left(-\mathrm{sign}(d)\,
        \frac{E_1 - E_2}{\sqrt{V_1 + V_2}}\right)

    with d their difference under full ranking, and E and V the means and variances over samples.

    Parameters
    ----------
    test : path, data frame, mapping, Ratings or SplitRatings
        Judgments or held-out ratings; or a split, on whose folds systems are trained.
    runs : mapping of str to run, path, data frame or mapping; or to recommender
        Lists of all candidates of each user. With a split, systems: recommenders, scorers or
        arrays of scores, as :func:`receval.evaluation.systems.evaluate_systems` takes them.
    sampled : int
        The number s of sampled candidates, at least 1.
    train : path, data frame, mapping or Ratings, optional
        Training ratings, whose items are not candidates; not needed with a split.
    trained_pairs : {"refuse", "drop"}
        Whether test pairs that are also in the training data are refused or removed from the test.
    metrics : str, Metric or sequence
        Metrics that depend only on the rank of the one relevant item.
    relevant : float or "auto"
        The lowest rating of a relevant test item.
    told : callable, optional
        Called to report progress: a word, the number of steps done, and the total number of steps.

    Returns
    -------
    SamplingAudit

    Raises
    ------
    ValueError
        A list is not complete, a system cannot score, a metric depends on more than the rank, no
        test rating is relevant, or ``sampled`` is below 1.
    TableError
        A file cannot be used.

    Notes
    -----
    Krichene and Rendle (2020), "On sampled metrics for item recommendation", KDD; Li, Jin, Gao and
    Liu (2020), "On sampling top-K recommendation evaluation", KDD.

    Examples
    --------
    The relevant item is second of three: it is first in half of the samples of one candidate.

    >>> test = {"user": ["ann"], "item": ["y"], "rating": [5]}
    >>> runs = {"mine": {"ann": {"x": 3.0, "y": 2.0, "z": 1.0}}}
    >>> audit = audit_samples(test, runs, sampled=1, metrics="P@1")
    >>> audit.values[["full", "expected", "sd"]].to_numpy().tolist()
    [[0.0, 0.5, 0.5]]
    """
    if sampled < 1:
        raise ValueError(
            f"{sampled} candidates cannot be sampled. Set sampled to 1 or more, for example 100."
        )
    chosen = named_metrics_of_ranks(metrics)
    if isinstance(test, SplitRatings):
        if train is not None:
            raise ValueError(
                "A split has its own training ratings. Leave out train=, or give the test ratings "
                "as a table, with runs."
            )
        odds, user_ids, relevance, notes, reading = odds_of_systems(test, runs, relevant)
    else:
        odds, user_ids, relevance, notes, reading = odds_of_runs(
            test, runs, train, relevant, trained_pairs
        )
    largest = int(max(own.pools[own.users].max(initial=0) for own in odds.values()))
    if not largest:
        raise ValueError(
            "No user with a relevant item has a candidate that is not relevant, so there is "
            "nothing to sample. Give the scores of all items."
        )
    first = next(iter(odds.values()))
    pools, tested = first.pools[first.users], first.users % len(user_ids)
    if n_short := len(np.unique(tested[pools < sampled])):
        text = (
            f"{n_short:,} of {len(np.unique(tested)):,} users have fewer than {sampled:,} items to "
            f"draw from; the smallest number is {pools.min():,}. For these users, all items are "
            "ranked."
        )
        notes = [*notes, Note("fewer-candidates", text)]
    moments = AuditedMoments(odds, chosen, len(user_ids), told)
    full = moments.full
    sizes = sorted({*(size for size in _SIZES if size < largest), min(sampled, largest), largest})
    for number, size in enumerate(sizes):
        if told is not None:
            told("numbers of negatives", number, len(sizes))
        moments.at(size)
    if told is not None:
        told("numbers of negatives", len(sizes), len(sizes))
    pairs, swaps = order_changes(moments, sizes, min(sampled, largest), largest)
    names = pd.MultiIndex.from_product([chosen, odds], names=["metric", "system"])
    at = moments.at(min(sampled, largest))
    values = pd.DataFrame({"full": full.ravel()}, index=names).reset_index()
    values = values.assign(negatives=sampled, expected=at[0].ravel(), sd=np.sqrt(at[1]).ravel())
    curve = pd.concat(
        pd.DataFrame({"expected": mean.ravel(), "sd": np.sqrt(variance).ravel()}, index=names)
        .reset_index()
        .assign(negatives=size)
        for size, (mean, variance) in ((size, moments.at(size)) for size in sizes)
    )
    return SamplingAudit(
        values=values.assign(relevant_items=len(first.users)),
        corrections=corrected_values(moments, sampled),
        cutoffs=full_cutoffs(moments, sampled),
        curve=curve[["metric", "system", "negatives", "expected", "sd"]].reset_index(drop=True),
        pairs=pairs,
        swaps=swaps,
        by_user=_by_user(moments, sampled, user_ids),
        settings={
            "sampled": sampled,
            "metrics": list(chosen),
            "relevant": relevance.threshold,
            "relevant_items": len(first.users),
            "largest_number_of_negatives": largest,
        },
        notes=tuple(notes),
        reading=reading,
        words=(relevance.words,),
    )


def _by_user(moments: AuditedMoments, sampled: int, user_ids: NDArray[np.str_]) -> pd.DataFrame:
    frames = []
    for system in moments.odds:
        expected = moments.items(system, sampled)
        counts = np.bincount(moments.owners, minlength=len(user_ids))
        users = np.flatnonzero(counts)
        for column, metric in enumerate(moments.metrics):
            sums = [
                np.bincount(moments.owners, weights=values[:, column], minlength=len(user_ids))
                for values in (moments.full_items[system], expected)
            ]
            full, mean = (total[users] / counts[users] for total in sums)
            frames.append(
                pd.DataFrame(
                    {
                        "metric": metric,
                        "system": system,
                        "user": user_ids[users],
                        "relevant_items": counts[users],
                        "full": full,
                        "expected": mean,
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)


SampledRuns = tuple[
    dict[str, SamplingOdds],
    NDArray[np.str_],
    RelevanceRule,
    list[Note],
    tuple[ReadingReport, ...],
]
"""Odds by run, identifiers of users, which ratings are relevant, notes, and how data were read."""


def odds_of_runs(
    test: object,
    runs: Mapping[str, object],
    train: object = None,
    relevant: float | Literal["auto"] = "auto",
    trained_pairs: TrainedPairs = "refuse",
) -> SampledRuns:
    """Read runs, and return the sampling odds of their relevant items.

    The arguments are those of :func:`receval.evaluation.runs.evaluate_runs`; runs must rank all
    candidates of every user with test ratings. Also returned are the identifiers of the users,
    which test ratings are relevant, notes, and how the data were read.
    """
    if not runs:
        raise ValueError("There is no run to audit: name at least one.")
    judged = read_test_data(test)
    training = train if isinstance(train, Ratings) or train is None else read_ratings(train)
    read = {name: read_run(source) for name, source in runs.items()}
    doubts, meeting = check_that_identifiers_meet(judged.ratings, training, read)
    sources = zip((judged, training, *read.values()), ("", *meeting), strict=True)
    reading = tuple(
        replace(own, meeting=words) for source, words in sources for own in readings_of(source)
    )
    judged, notes = without_trained_pairs(judged, training, trained_pairs)
    relevance = RelevanceRule.of_runs(judged, training, relevant)
    threshold = relevance.threshold
    notes += [*relevance.notes, *doubts]
    codes = SharedCodes.of(judged.ratings, training, list(read.values()))
    fold = codes.fold(judged.ratings, training)
    metadata = DatasetMetadata.of(codes.dataset(judged.ratings, training), threshold)
    items = JudgedItems.of(fold.test, threshold, metadata)
    protocol = replace(Protocol("AR", "AI"), ties="index").with_threshold(threshold)
    odds = {}
    for name, run in read.items():
        listed, _ = codes.listed(run)
        ranks = rank_listed(listed, fold, protocol, partial(generator, 1, "runs"))
        _check_whole(name, ranks, fold, codes.user_ids)
        lists = JudgedLists.measured_by(items, ranks, protocol)
        odds[name] = SamplingOdds.of(fold, lists, protocol)
    return odds, codes.user_ids, relevance, notes, reading


def odds_of_systems(
    data: SplitRatings, systems: Mapping[str, Any], relevant: float | Literal["auto"] = "auto"
) -> SampledRuns:
    """Train systems, and return what :func:`odds_of_runs` does.

    The codes of users in fold n are shifted by n times the number of users, so the identifiers are
    by code, modulo the number of users.

    Examples
    --------
    >>> from receval.splits.split_ratings import split
    >>> from receval.recommenders.non_personalised import Popularity
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> odds, *_ = odds_of_systems(halves, {"Pop": Popularity()})
    >>> odds["Pop"].pools.tolist(), len(odds["Pop"].above)
    ([0, 0], 2)
    """
    relevance = data.relevance(relevant)
    threshold = relevance.threshold
    protocol = Protocol("AR", "AI").with_threshold(threshold)
    metadata = DatasetMetadata.of(data.ratings, threshold)
    found: dict[str, list[SamplingOdds]] = {}
    for ranked in ranked_folds(data, systems, protocol, threshold):
        items = JudgedItems.of(ranked.data.test, threshold, metadata)
        for name, ranks in ranked.test.items():
            lists = JudgedLists.measured_by(items, ranks, protocol)
            found.setdefault(name, []).append(SamplingOdds.of(ranked.data, lists, protocol))
    odds = {name: SamplingOdds.of_all_folds(own) for name, own in found.items()}
    notes = [*data.notes, *relevance.notes]
    return odds, data.ratings.user_ids, relevance, notes, readings_of(data)


def _check_whole(name: str, ranks: JudgedRanks, fold: Fold, user_ids: NDArray[np.str_]) -> None:
    tested = np.diff(fold.test.indptr) > 0
    missing = np.where(tested, ranks.candidates - ranks.lengths, 0)
    if not missing.any():
        return
    worst = int(missing.argmax())
    train_hint = (
        "" if fold.train.nnz else ", or give the training data, so that items in it are left out"
    )
    raise ValueError(
        f"The lists of {quoted(name)} are incomplete. The list of user {user_ids[worst]} has "
        f"{ranks.lengths[worst]:,} of {ranks.candidates[worst]:,} candidates, and "
        f"{int((missing > 0).sum()):,} of {int(tested.sum()):,} lists lack some. What a sample "
        "would find among the missing ones is not known. Give runs with the scores of all "
        f"items{train_hint}."
    )
