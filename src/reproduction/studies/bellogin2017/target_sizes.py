# SPDX-License-Identifier: MIT
"""Figures 3 and 4: precision by the size of the target sets and by the sparsity of test ratings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from receval.figures.curves import line, plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.line_labels import with_named_lines
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.metrics.averages import Arithmetic
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol, RelevantSelection
from reproduction.experiments.experiment import Experiment
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017.configuration_bars import means_with_intervals

if TYPE_CHECKING:
    from receval.metrics.lists import JudgedLists
    from receval.metrics.metric import Metric
    from receval.metrics.precision_and_recall import Precision
    from reproduction.experiments.universes import KeptRatings

KEPT, SIZE = "test ratings", "target set size"
"""Names in the CSVs of what varies along an axis: the share of test ratings that is kept, and
the number of target items of a 1R list."""


class Point(NamedTuple):
    """One point of an x axis: what varies along it, and at which values.

    They are the share of the test ratings that is kept, the number of sampled candidates, and a
    mask of the kept test ratings, of shape (n_judgments,).
    """

    varied: str
    kept_percent: int
    sampled: int
    mask: NDArray[np.bool_]

    @property
    def target_set_size(self) -> int:
        """Number of target items of a 1R list."""
        return self.sampled + 1


def points(kept: KeptRatings, sizes: list[int]) -> list[Point]:
    """Return the points with removed test ratings, on the smallest samples, and those by size."""
    everything = np.ones(len(kept.order), dtype=bool)
    return [
        *(
            Point(KEPT, percent, min(sizes), mask)
            for percent, mask in zip(kept.percents, kept.masks, strict=True)
        ),
        *(Point(SIZE, 100, sampled, everything) for sampled in sorted(sizes)),
    ]


def drawn_precision(inputs: ArtifactInputs) -> tuple[Precision, int]:
    """Return the metric that is drawn, and its cut-off."""
    from receval.metrics.precision_and_recall import Precision

    metric = parse(inputs.parameters["metric"])
    if not isinstance(metric, Precision) or metric.cutoff is None:
        raise ValueError(
            f"The theory of this figure is that of precision at a cut-off, not of {metric.label}: "
            "set its parameter metric to one such as P@10."
        )
    return metric, metric.cutoff


def protocols_by_size(experiment: Experiment, relevant: RelevantSelection) -> dict[int, Protocol]:
    """Return the protocols of AR NN or 1R NN by the number of sampled candidates."""
    found = {p.sampled: p for p in experiment.protocols if p.sampled and p.relevant == relevant}
    if not found:
        raise ValueError(
            f"The experiment on {experiment.dataset} has no protocol {relevant} with sampled "
            "candidates: add one with the sizes of the target sets."
        )
    return found


def protocol_of_all_candidates(experiment: Experiment) -> Protocol:
    """Return the AR AN protocol of an experiment."""
    found = [p for p in experiment.protocols if p.sampled is None and p.relevant == "AR"]
    if len(found) != 1:
        raise ValueError(
            f"The experiment on {experiment.dataset} has {len(found)} protocols AR that rank all "
            "candidates, but figure 4 needs one: list it once, without sampled."
        )
    return found[0]


LIGHT, DARK = 0.18, 0.45
"""Opacity of the shades up to the upper and down to the lower bound."""

EDGE_WIDTH = 0.4
"""Width of the lines at the bounds, in points."""

MARGIN = 0.02
"""Free share of an axis at each end."""


def data_fig03(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return 1R precision and its bounds (equation 2) for every system, point and fold.

    Columns: dataset; varied (``test ratings``, of which some are removed, or ``target set size``);
    kept_percent (of the test ratings); target_set_size (:math:`|T_u|` in 1R); system; metric;
    cutoff; fold (its number, or ``mean`` over folds); lower, value, upper (of the same fold and
    the same samples :math:`N_u`); lists (relevant test ratings that the value averages, over all
    folds for the mean).

    A removed test rating is no longer relevant: its list is left out of 1R, and its item of the
    target sets of AR, :math:`N_u \cup PR_{test}(u)`. The samples are kept.
    """
    from receval.metrics.evaluation import evaluate
    from receval.theory.precision import precision_bounds
    from reproduction.experiments.universes import kept_ratings
    from reproduction.experiments.values import means_over_folds

    metric, cutoff = drawn_precision(inputs)
    rows = []
    for experiment in inputs.experiments.values():
        one_relevant = protocols_by_size(experiment, "1R")
        all_relevant = protocols_by_size(experiment, "AR")
        sizes = sorted(one_relevant.keys() & all_relevant.keys())
        if not sizes:
            raise ValueError(
                f"The experiment on {experiment.dataset} samples under 1R and AR, but never as "
                "many candidates: give both protocols the same sizes."
            )
        for number in experiment.folds:
            kept = kept_ratings(
                experiment, number, inputs.parameters["removed_percents"], inputs.seed
            )
            for system in inputs.parameters["systems"]:
                bounding = {n: experiment.lists(system, all_relevant[n], number) for n in sizes}
                bounded = {n: experiment.lists(system, one_relevant[n], number) for n in sizes}
                values = {n: evaluate([metric], bounded[n])[0] for n in sizes}
                for point in points(kept, sizes):
                    left = point.mask[bounded[point.sampled].full.judged.positions]
                    bounds = precision_bounds(bounding[point.sampled], cutoff, point.mask)
                    rows.append(
                        {
                            "dataset": experiment.dataset,
                            "varied": point.varied,
                            "kept_percent": point.kept_percent,
                            "target_set_size": point.target_set_size,
                            "system": system,
                            "metric": metric.name,
                            "cutoff": cutoff,
                            "fold": str(number),
                            "lower": bounds.lower,
                            "value": float(values[point.sampled][left].mean()),
                            "upper": bounds.upper,
                            "lists": int(left.sum()),
                        }
                    )
    folds = pd.DataFrame(rows)
    keys = list(folds.columns[: list(folds.columns).index("fold")])
    means = means_over_folds(folds, keys, lower=("lower", "mean"), upper=("upper", "mean"))
    return pd.concat([folds, means.assign(fold="mean")], ignore_index=True)[list(folds.columns)]


def draw_fig03(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the means over folds: removed test ratings on the left, target set size on the right."""
    means = results[results["fold"] == "mean"]
    smallest = means["target_set_size"].min()
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    left, right = figure.subplots(1, 2, sharey=True)
    removed = means.assign(removed=100 - means["kept_percent"])
    _draw_bounded(left, removed[removed["varied"] == KEPT], "removed", display, bounds=True)
    _draw_bounded(right, means[means["varied"] == SIZE], "target_set_size", display, bounds=True)
    titles = [display.datasets[name] for name in dict.fromkeys(means["dataset"])]
    # A target set has a sample N_u and one relevant item.
    left.set_title(f"{', '.join(titles)}, 1R, $|N_u|$ = {smallest - 1:,}")
    removed_axis(left)
    right.set_title("1R, all test ratings")
    size_axis(right)
    left.set_ylabel(display.parameters["metric"])
    left.set_ylim(bottom=0)
    return with_named_lines((left, right))


def _draw_bounded(
    axes: Axes, means: pd.DataFrame, across: str, display: DisplayStyle, *, bounds: bool = False
) -> None:
    """Draw the curves with their shades; with ``bounds``, label the edges of the shades."""
    systems = list(dict.fromkeys(means["system"]))
    for system, style in display.styles(systems).items():
        own = means[means["system"] == system].sort_values(across)
        x = own[across].to_numpy(dtype=np.float64)
        lower, value, upper = own[["lower", "value", "upper"]].to_numpy(dtype=np.float64).T
        axes.fill_between(x, value, upper, color=style.colour, alpha=LIGHT, linewidth=0)
        axes.fill_between(x, lower, value, color=style.colour, alpha=DARK, linewidth=0)
        line(axes, x, value, style, display.titles[system], markers=False)
        for edge, name in ((upper, "upper bound"), (lower, "lower bound")):
            label = name if bounds else None
            axes.plot(x, edge, color=style.colour, linewidth=EDGE_WIDTH, label=label)


def removed_axis(axes: Axes) -> None:
    """Format the x axis of drawn curves for shares of removed test ratings."""
    axes.margins(x=MARGIN)
    axes.xaxis.set_major_locator(MultipleLocator(20))
    axes.set_xlabel("Test ratings removed (%)")


def size_axis(axes: Axes) -> None:
    """Format the x axis of drawn curves for target set sizes, which begin at 100."""
    axes.margins(x=MARGIN)
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(MultipleLocator(300 if high - low > 500 else 100, offset=100))
    plain_numbers(axes.xaxis)
    axes.set_xlabel("Target items per list, $|T_u|$")


Row = dict[str, Any]


def data_fig04(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return metric values while test ratings are removed, and for target sets of several sizes.

    Columns: dataset; protocol; varied (``test ratings``, of which some are removed, or ``target
    set size``); kept_percent (of the test ratings); target_set_size (:math:`|T_u|` in 1R, empty
    where all candidates are ranked); system; metric; cutoff; evaluated_users; fold; value;
    expected; rho; rho_error; lists.

    - evaluated_users: ``all``, as in the paper, or only the ``relevant`` ones with a relevant test
      rating left, since normalised metrics are 0 for others. Under 1R all remaining relevant test
      ratings.
    - fold: its number, or ``mean`` over folds. Only the mean for metrics that are not drawn but
      discussed in section 4.2.
    - expected: the expectation over all samples :math:`N_u`; the value itself if nothing is
      sampled.
    - rho: density of relevant items in the target sets of evaluated users, the expected precision
      of random recommendation (:math:`1/t` under 1R, equation 5).
    - rho_error: standard error of the precision of random recommendation around rho; 0 for other
      metrics.
    - lists: number of averaged users or relevant test ratings, over all folds for the mean.

    Test ratings are removed by a mask: their items stay candidates, and no other rank changes.
    """
    from reproduction.experiments.universes import kept_ratings
    from reproduction.experiments.values import error_of_mean, means_over_folds

    drawn, _ = drawn_precision(inputs)
    metrics = list(dict.fromkeys([drawn, *inputs.metrics()]))
    rows: list[Row] = []
    for experiment in inputs.experiments.values():
        for number in experiment.folds:
            kept = kept_ratings(
                experiment, number, inputs.parameters["removed_percents"], inputs.seed
            )
            fold = {"dataset": experiment.dataset, "fold": str(number)}
            rows += [fold | row for row in _all_relevant(experiment, number, kept, metrics)]
            rows += [fold | row for row in _one_relevant(experiment, number, kept, inputs)]
    folds = pd.DataFrame(rows)
    keys = ["dataset", "protocol", "varied", "kept_percent", "target_set_size"]
    keys += ["system", "metric", "cutoff", "evaluated_users"]
    means = means_over_folds(
        folds,
        keys,
        expected=("expected", "mean"),
        rho=("rho", "mean"),
        rho_error=("rho_error", error_of_mean),
    )
    of_drawn = (folds["metric"] == drawn.at(None).label) & (folds["evaluated_users"] != "relevant")
    table = pd.concat([folds[of_drawn], means.assign(fold="mean")], ignore_index=True)
    return table[[*keys, "fold", "value", "expected", "rho", "rho_error", "lists"]]


def _all_relevant(
    experiment: Experiment, number: int, kept: KeptRatings, metrics: list[Metric]
) -> Iterator[Row]:
    """Measure AR with all candidates while test ratings are removed."""
    from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
    from receval.theory.precision import TargetDensities, random_precision

    protocol = protocol_of_all_candidates(experiment)
    fold = experiment.fold(number)
    lists = [experiment.lists(system, protocol, number) for system in experiment.systems]
    _check_that_only_relevant_items_count(metrics, lists[0])
    reduced = IncompleteFold(lists, [AggregatedMetric(metric, Arithmetic()) for metric in metrics])
    means, n_tested = reduced.values(kept.order, kept.counts)
    # Means over tested users: users without relevant test ratings add 0 to every sum.
    sums = means * n_tested[:, None, None]
    for level, (percent, mask) in enumerate(zip(kept.percents, kept.masks, strict=True)):
        densities = TargetDensities.of(fold, protocol, experiment.threshold, mask)
        left = mask & (fold.test.values >= experiment.threshold)
        evaluated_users = {
            "all": fold.test.n_users,
            "relevant": len(np.unique(fold.test.users[left])),
        }
        for column, metric in enumerate(metrics):
            error = 0.0
            if metric.name == "P" and metric.cutoff is not None:
                error = random_precision(densities, metric.cutoff).standard_error
            for who, n_lists in evaluated_users.items():
                for system, total in zip(experiment.systems, sums[level, column], strict=True):
                    value = float(total / n_lists)
                    factor = fold.test.n_users / n_lists
                    yield {
                        "protocol": protocol.name,
                        "varied": KEPT,
                        "kept_percent": percent,
                        "target_set_size": "",
                        "system": system,
                        "metric": metric.at(None).label,
                        "cutoff": metric.cutoff or "",
                        "evaluated_users": who,
                        "value": value,
                        "expected": value,
                        "rho": densities.rho * factor,
                        "rho_error": error * factor,
                        "lists": n_lists,
                    }


def _check_that_only_relevant_items_count(metrics: list[Metric], lists: JudgedLists) -> None:
    from receval.metrics.evaluation import evaluate

    without = lists.full.n_relevant == 0
    for metric, values in zip(metrics, evaluate(metrics, lists), strict=True):
        if values[without].any():
            raise ValueError(
                f"{metric.label} is not 0 for users without relevant test ratings, so that it "
                "cannot be averaged over the others: choose a gain of relevant items alone."
            )


def _one_relevant(
    experiment: Experiment, number: int, kept: KeptRatings, inputs: ArtifactInputs
) -> Iterator[Row]:
    """Measure 1R with the smallest samples while test ratings are removed, then with all sizes."""
    from receval.metrics.evaluation import evaluate
    from receval.sampled_metrics.sampled_candidates import SamplingOdds, expected_under_one_relevant
    from receval.theory.precision import TargetDensities, random_precision

    metric, cutoff = drawn_precision(inputs)
    everything = protocol_of_all_candidates(experiment)
    by_size = protocols_by_size(experiment, "1R")
    fold = experiment.fold(number)
    measured = points(kept, list(by_size))
    densities = [
        TargetDensities.of(fold, by_size[point.sampled], experiment.threshold, point.mask)
        for point in measured
    ]
    random = [random_precision(density, cutoff) for density in densities]
    for system in experiment.systems:
        candidates = experiment.lists(system, everything, number)
        odds = SamplingOdds.of(fold, candidates, everything)
        lists = {size: experiment.lists(system, p, number) for size, p in by_size.items()}
        values = {size: evaluate([metric], found)[0] for size, found in lists.items()}
        expected = {size: expected_under_one_relevant(odds, metric, size) for size in by_size}
        for point, density, of_random in zip(measured, densities, random, strict=True):
            left = point.mask[lists[point.sampled].full.judged.positions]
            yield {
                "protocol": by_size[point.sampled].name,
                "varied": point.varied,
                "kept_percent": point.kept_percent,
                "target_set_size": str(point.target_set_size),
                "system": system,
                "metric": metric.at(None).label,
                "cutoff": cutoff,
                "evaluated_users": "all",
                "value": float(values[point.sampled][left].mean()),
                "expected": float(expected[point.sampled][left].mean()),
                "rho": density.rho,
                "rho_error": of_random.standard_error,
                "lists": int(left.sum()),
            }


def draw_fig04(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the drawn metric: AR and 1R while test ratings are removed, 1R by target set size."""
    label = display.parameters["metric"]
    name, _, cutoff = label.partition("@")
    of_metric = (results["metric"] == name) & (results["cutoff"].astype(str) == cutoff)
    shown = results[of_metric & (results["evaluated_users"] == "all")]
    shown = shown.assign(removed=100 - shown["kept_percent"])
    one_relevant = shown["protocol"].str.startswith("1R")
    removed = shown["varied"] == KEPT
    sizes = shown[one_relevant & ~removed]
    sizes = sizes.assign(size=sizes["target_set_size"].astype(int))
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    panels = left, centre, right = figure.subplots(1, 3)
    right.sharey(centre)
    _draw_panel(left, shown[~one_relevant], "removed", display)
    _draw_panel(centre, shown[one_relevant & removed], "removed", display)
    _draw_panel(right, sizes, "size", display)
    titles = [display.datasets[dataset] for dataset in dict.fromkeys(shown["dataset"])]
    left.set_title(f"{', '.join(titles)}, {shown.loc[~one_relevant, 'protocol'].iloc[0]}")
    # A target set has a sample N_u and one relevant item.
    centre.set_title(f"{sizes['protocol'].iloc[0]}, $|N_u|$ = {sizes['size'].min() - 1:,}")
    right.set_title(f"{sizes['protocol'].iloc[0]}, all test ratings")
    removed_axis(left)
    removed_axis(centre)
    size_axis(right)
    for axes in panels:
        axes.set_ylabel(label)
    return with_named_lines(panels)


def _draw_panel(axes: Axes, shown: pd.DataFrame, across: str, display: DisplayStyle) -> None:
    """Draw one line per system with its interval at the end, and the expectation of Random."""
    means = means_with_intervals(shown, ["system", across])
    systems = list(dict.fromkeys(shown["system"]))
    for system, style in display.styles(systems).items():
        own = means[means["system"] == system].sort_values(across)
        line(axes, own[across], own["value"], style, display.titles[system], markers=False)
        last = own.iloc[-1]
        if not np.isnan(last["half_interval"]):
            axes.errorbar(
                last[across],
                last["value"],
                # No precision is below 0.
                yerr=[[min(last["half_interval"], last["value"])], [last["half_interval"]]],
                fmt="none",
                ecolor=style.colour,
                elinewidth=0.8,
                capsize=2,
                capthick=0.8,
            )
    density = shown[shown["fold"] == "mean"].drop_duplicates(across).sort_values(across)
    axes.plot(density[across], density["rho"], color=INK, linestyle=":", label="$\\rho$")
    axes.set_ylim(bottom=0)
