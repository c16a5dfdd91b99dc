# SPDX-License-Identifier: MIT
"""Figure 3: 1R precision between the bounds that follow from AR precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import NDArray

from receval.figures.curves import line, plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.line_labels import with_named_lines
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol, RelevantSelection
from reproduction.experiments.experiment import Experiment
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
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


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the means over folds: removed test ratings on the left, target set size on the right."""
    means = results[results["fold"] == "mean"]
    smallest = means["target_set_size"].min()
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    left, right = figure.subplots(1, 2, sharey=True)
    removed = means.assign(removed=100 - means["kept_percent"])
    _draw_panel(left, removed[removed["varied"] == KEPT], "removed", display, bounds=True)
    _draw_panel(right, means[means["varied"] == SIZE], "target_set_size", display, bounds=True)
    titles = [display.datasets[name] for name in dict.fromkeys(means["dataset"])]
    # A target set has a sample N_u and one relevant item.
    left.set_title(f"{', '.join(titles)}, 1R, $|N_u|$ = {smallest - 1:,}")
    removed_axis(left)
    right.set_title("1R, all test ratings")
    size_axis(right)
    left.set_ylabel(display.parameters["metric"])
    left.set_ylim(bottom=0)
    return with_named_lines((left, right))


def _draw_panel(
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
