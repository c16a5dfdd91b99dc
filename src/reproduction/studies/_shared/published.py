# SPDX-License-Identifier: MIT
"""Published values of systems, from the tables in ``config/published``, and ours beside them.

Figures draw published values as hollow grey marks and thin grey lines with labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval.figures.finish import beside
from receval.metrics.registry import parse

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.studies._shared.inputs import ArtifactInputs


COLUMNS = ("study", "dataset", "split", "judgments", "system", "metric", "published")
KEYS = ["dataset", "split", "judgments", "system", "metric"]


def read_published(path: Path) -> pd.DataFrame:
    """Read a table of published values.

    It is a CSV, where lines that begin with ``#`` are comments. Columns: study; dataset, split and
    system (our names); judgments (``test`` or ``unbiased``); metric (our label); published (value).
    """
    table = pd.read_csv(path, comment="#")
    if tuple(table.columns) != COLUMNS:
        raise ValueError(
            f"{path} has the columns {', '.join(table.columns)}; it must have {', '.join(COLUMNS)}."
        )
    if not pd.api.types.is_float_dtype(table["published"]) or table["published"].isna().any():
        raise ValueError(f"{path}: every value in the column published must be a number.")
    keys = list(COLUMNS[:-1])
    repeated = table[table.duplicated(keys)]
    if len(repeated):
        names = " ".join(str(repeated.iloc[0][key]) for key in keys)
        raise ValueError(f"{path} gives a value twice: {names}.")
    return table


def published_on_test(path: Path, dataset: str, split: str) -> pd.DataFrame:
    """Read the published values on the test ratings of a split."""
    table = read_published(path)
    return table[
        (table["dataset"] == dataset) & (table["split"] == split) & (table["judgments"] == "test")
    ]


def published_values(
    path: Path, names: tuple[str, str, str], metrics: Sequence[str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a system's published values on test ratings, the targets of a search."""
    dataset, split, system = names
    table = published_on_test(path, dataset, split)
    rows = table[table["system"] == system].set_index("metric")["published"]
    missing = [metric for metric in metrics if metric not in rows.index]
    if missing:
        raise ValueError(
            f"{path} has no {', '.join(missing)} of {system} on {dataset}, split {split}: "
            "a search needs the values to come close to."
        )
    return rows[list(metrics)].to_numpy(dtype=np.float64)


def published_and_ours(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return published values and ours for all systems and metrics of the experiments.

    Columns: study (whose values); dataset; split; judgments (``test``, or ``unbiased`` for randomly
    drawn items); protocol; system; metric; searched (``yes`` if the searches for settings used the
    metric, so that agreement is no evidence); published; ours (mean over folds);
    relative_difference (ours / published - 1; NaN if published is 0); lists (how many lists our
    value averages, over all folds).
    """
    path = inputs.published_table()
    published = read_published(path)
    metrics = inputs.parameters["metrics"]
    ours = pd.concat([_own_values(e, metrics) for e in inputs.experiments.values()])
    ours = ours.rename(columns={"value": "ours"})
    known = published.merge(ours[["dataset", "split"]].drop_duplicates(), on=["dataset", "split"])
    known = known[known["metric"].isin(metrics)]
    table = known.merge(ours, on=KEYS, how="left", validate="one_to_one")
    without = table[table["ours"].isna()]
    if len(without):
        first = without.iloc[0]
        raise ValueError(
            f"{path} has a value of {first['system']} on {first['dataset']}, split "
            f"{first['split']}, judgments {first['judgments']}, which no experiment has."
        )
    table["searched"] = np.where(
        table["metric"].isin(inputs.parameters["searched_metrics"])
        & (table["study"] == inputs.parameters["searched_study"]),
        "yes",
        "",
    )
    relative = table["ours"] / table["published"].where(table["published"] != 0) - 1
    table["relative_difference"] = relative
    columns = ["study", "dataset", "split", "judgments", "protocol", "system", "metric"]
    return table[[*columns, "searched", "published", "ours", "relative_difference", "lists"]]


def _own_values(experiment: Experiment, labels: Sequence[str]) -> pd.DataFrame:
    from reproduction.experiments.values import (
        Measurement,
        means_over_folds,
        measure_experiment,
        tidy,
    )

    has_unbiased = experiment.fold(0).unbiased is not None
    measurements = [
        Measurement(
            tuple(map(parse, labels)),
            experiment.evaluated_users,
            names=tuple(labels),
            judgments=part,
        )
        for part in (("test", "unbiased") if has_unbiased else ("test",))
    ]
    folds = tidy(measure_experiment(experiment, measurements))
    return means_over_folds(folds, [*KEYS, "protocol"])


PUBLISHED_GREY = "#6b6b6b"
"""Colour of everything that comes from a paper."""

_MARK = 4.5
_DISTANCE = 4.5
_SIDES = {
    "right": (1, 0, "left", "center"),
    "above": (0, 1, "center", "bottom"),
    "above right": (1, 1.8, "left", "bottom"),
    "below right": (1, -1, "left", "top"),
}


def published_mark(
    axes: Axes,
    x: float,
    y: float,
    label: str = "paper",
    *,
    side: Literal["right", "above", "above right", "below right", "legend"] = "right",
) -> None:
    """Mark a published value with a hollow grey diamond, labelled beside it or in the legend.

    The panel's limits do not change, so the value must lie within them.
    """
    axes.plot(
        [x],
        [y],
        marker="D",
        markersize=_MARK,
        markerfacecolor="white",
        markeredgecolor=PUBLISHED_GREY,
        markeredgewidth=0.8,
        linestyle="none",
        clip_on=False,
        zorder=5,
        scalex=False,
        scaley=False,
        label=label if side == "legend" else None,
    )
    if side == "legend":
        return
    across, up, ha, va = _SIDES[side]
    points = (across * _DISTANCE, up * _DISTANCE)
    beside(axes, label, (x, y), points, ha=ha, va=va, color=PUBLISHED_GREY)


def published_line(
    axes: Axes, x: tuple[float, float], y: tuple[float, float], label: str = "paper"
) -> None:
    """Draw a published straight line in thin grey, with its label above its right end."""
    axes.plot(x, y, color=PUBLISHED_GREY, linewidth=0.7, linestyle=(0, (1, 1.5)))
    style = {"ha": "right", "va": "bottom", "color": PUBLISHED_GREY}
    beside(axes, label, (x[1], y[1]), (0, 1.5), **style)
