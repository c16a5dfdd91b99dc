# SPDX-License-Identifier: MIT
"""Estimates weighted by powers of popularity: system order and size, by the power."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.curves import line, plain_ticks
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_COLOUR, with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.protocols.protocol import Protocol
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.estimated_values import MAR, SPREAD, ranked_folds_of

if TYPE_CHECKING:
    from receval.evaluation.fitted_systems import RankedFold

GENERATED_TITLE = "simulated data"

TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Ticks of ratios that lie within the panel."""

TAU, RATIO = "$\\tau$ with the reference", "Estimate / reference (log scale)"

GENERATED = "known-chances"
"""Name of the generated world in the column ``source``; all other sources are datasets."""


def summary_of_powers(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise the artifact ``estimated_powers`` over systems and draws.

    One row per source, metric and exponent, with the columns tau (Kendall's tau-b of the order of
    the systems with that of the reference) and ratio (median over the systems of the estimate over
    the reference), both means over draws, and the 5th and 95th percentile of the draws as tau_low,
    tau_high, ratio_low and ratio_high; sorted by exponent.
    """
    numbers = {name: real_values(results[name]) for name in ("exponent", "estimate", "reference")}
    table = results.assign(**numbers)
    rows = []
    keys = ["source", "metric", "exponent"]
    for (source, metric, exponent), own in table.groupby(keys, sort=False):
        taus, ratios = [], []
        for _, draw in own.groupby("draw", sort=False, dropna=False):
            estimate, reference = draw["estimate"].to_numpy(), draw["reference"].to_numpy()
            taus.append(kendall_tau_b(estimate, reference, TOLERANCE_OF_MEANS).item())
            there = reference > 0
            ratios.append(float(np.median(estimate[there] / reference[there])))
        row = {"source": source, "metric": metric, "exponent": exponent}
        for name, values in (("tau", taus), ("ratio", ratios)):
            low, high = np.percentile(values, SPREAD)
            row |= {name: float(np.mean(values)), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows).sort_values(keys, kind="stable")


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Estimate the metrics of all systems by SNIPS with powers of popularity.

    Propensities are proportional to :math:`|R(i)|^\alpha` of the item's ratings R(i).

    Parameters of the artifact: ``metrics``; ``powers``; ``draws``, ``users`` and ``items`` of the
    generated world; the draws are those of :mod:`.estimated_orders`.

    Columns: source (a dataset, or ``known-chances``, the generated world); metric; exponent (of
    popularity); draw (of the generated world's test); system; estimate; reference (by
    judgments of random items, or by all judgments of the world).
    """
    from reproduction.studies.followups.estimated_orders import DrawnTests

    tables = [
        _estimated(
            inputs,
            ranked_folds_of(experiment),
            experiment.all_systems,
            experiment.only_protocol,
            experiment.threshold,
        ).assign(source=experiment.dataset, draw="")
        for experiment in inputs.experiments.values()
    ]
    tests = DrawnTests.of(inputs)
    systems, protocol = tuple(tests.ranks), tests.protocol
    truth = _estimated(inputs, [tests.truth], systems, protocol, 4.0)
    reference = truth.set_index(["metric", "exponent", "system"])["reference"]
    for ranked in tests.draws(int(inputs.parameters["draws"]), per_user=1):
        own = _estimated(inputs, [ranked], systems, protocol, 4.0)
        places = pd.MultiIndex.from_frame(own[["metric", "exponent", "system"]])
        true = reference.reindex(places).to_numpy()
        tables.append(own.assign(reference=true, source=GENERATED, draw=str(ranked.number)))
    columns = ["source", "metric", "exponent", "draw", "system", "estimate", "reference"]
    return pd.concat(tables, ignore_index=True)[columns]


def _estimated(
    inputs: ArtifactInputs,
    folds: Iterable[RankedFold],
    systems: tuple[str, ...],
    protocol: Protocol,
    threshold: float,
) -> pd.DataFrame:
    """Return SNIPS for every power, and the values by unbiased judgments as reference."""
    from receval.missing_judgments.estimates_of_systems import estimates_of_folds
    from receval.missing_judgments.estimators import additive_metric_of
    from receval.missing_judgments.propensities import PopularityPropensities

    metrics = [additive_metric_of(str(label)) for label in inputs.parameters["metrics"]]
    models = {
        PopularityPropensities(float(power)): f"{float(power):g}"
        for power in inputs.parameters["powers"]
    }
    found = estimates_of_folds(list(folds), systems, metrics, list(models), protocol, threshold)
    powers = {model.label: power for model, power in models.items()}
    own = found[found["estimator"] == "SNIPS"]
    references = found[found["estimator"] == MAR].set_index(["metric", "system"])["value"]
    places = pd.MultiIndex.from_frame(own[["metric", "system"]])
    return (
        own.assign(
            exponent=own["propensities"].map(powers),
            estimate=own["value"],
            reference=references.reindex(places).to_numpy(),
        )
        .sort_values("metric", kind="stable")
        .reset_index(drop=True)
    )


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau (above) and the ratio (below) by the power, in a column per dataset and world."""
    found = summary_of_powers(results)
    sources = list(dict.fromkeys(results["source"]))
    metrics = list(dict.fromkeys(results["metric"]))
    styles = display.metric_styles(metrics)
    figure = new_figure(DOUBLE_COLUMN, 3.8)
    grid = figure.subplots(2, len(sources), sharex=True, sharey="row", squeeze=False)
    for column, source in zip(grid.T, sources, strict=True):
        title = GENERATED_TITLE if source == GENERATED else display.datasets[str(source)]
        for axes, name in zip(column, ("tau", "ratio"), strict=True):
            # The numerators of SNIPS differ only by a factor between metrics, so there is one
            # order.
            for metric in metrics[:1] if name == "tau" else metrics:
                own = found[(found["source"] == source) & (found["metric"] == metric)]
                band = (own[f"{name}_low"], own[f"{name}_high"]) if source == GENERATED else None
                line(
                    axes, own["exponent"], real_values(own[name]), styles[metric], metric, band=band
                )
        for axes, what in zip(column, ("Order", "Size"), strict=True):
            axes.set_title(f"{what}, {title}")
        column[0].axhline(0, color=NOTE_COLOUR, linewidth=0.7)
        column[1].axhline(1, color=NOTE_COLOUR, linewidth=0.7)
        column[1].set_xlabel("Power of popularity")
    grid[1, 0].set_yscale("log")
    plain_ticks(grid[1, 0].yaxis, TICKS)
    ratios = found[["ratio", "ratio_low", "ratio_high"]].to_numpy()
    grid[1, 0].set_ylim(0.9 * min(ratios.min(), 0.5), 1.1 * max(ratios.max(), 2.0))
    grid[0, 0].set_ylabel(TAU)
    grid[1, 0].set_ylabel(RATIO)
    return with_legend(grid.flat)
