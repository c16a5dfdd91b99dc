# SPDX-License-Identifier: MIT
"""One metric against another over the systems, with Kendall's tau between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs

COVERAGE = {
    False: ("P@10", "antiP@10"),
    True: (
        "P(condensed=true,denominator=filled)@10",
        "antiP(condensed=true,denominator=filled)@10",
    ),
}
"""Metrics whose sum is the share of the first ten ranks that hold a judged item.

By whether lists are condensed: then it is the share of users who have a judged item in their list.
"""


@dataclass(frozen=True)
class Axis:
    """What one axis of a panel shows.

    Attributes
    ----------
    evaluation : {"observed", "real"}
    metric : str
        Label.
    """

    evaluation: str
    metric: str


@dataclass(frozen=True)
class Panel:
    """One panel: an experiment and its two axes.

    Attributes
    ----------
    experiment : str
    x, y : Axis
    """

    experiment: str
    x: Axis
    y: Axis


def panels_of(parameters: Mapping[str, Any], experiments: Sequence[str]) -> list[Panel]:
    """Return the panels of a figure, metric by metric, each over all experiments.

    Parameters of the artifact: ``x_metrics`` and ``y_metrics`` (labels, of as many panels),
    ``x_evaluation`` and ``y_evaluation``.
    """
    return [
        Panel(
            experiment,
            Axis(parameters["x_evaluation"], x),
            Axis(parameters["y_evaluation"], y),
        )
        for x, y in zip(parameters["x_metrics"], parameters["y_metrics"], strict=True)
        for experiment in experiments
    ]


def metric_pairs(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the coordinates of every system in every panel of a figure.

    They come from the results of the artifact ``values`` (module ``values`` beside this folder).
    Beside the parameters of :func:`panels_of`: ``optimal``, the optimal rankings that are shown,
    ``optimal_released``, those shown in the released form instead, if it has others, and
    ``optimal_with``, the metrics on the y axis of the panels that show them.

    Columns: experiment; dataset; split; form (``text``, or ``released``: one or both axes as
    the released code computes them); x_evaluation, x_metric, y_evaluation, y_metric;
    system; role (``system`` or ``optimal``); x, y (means over folds); and, the same for all rows of
    a panel, tau (Kendall's tau-b over the systems without optimal rankings), p_value (two-sided,
    exact where there are no ties), systems (how many), x_coverage, y_coverage (share of the first
    ten ranks with a judged item, mean over the systems and the optimal rankings that the figure
    shows).
    """
    parameters = inputs.parameters
    values = means_of_values(inputs)
    of_text = set(parameters.get("optimal", ()))
    optimal = {"text": of_text, "released": set(parameters.get("optimal_released", of_text))}
    optimal_with = parameters.get("optimal_with", ())
    rows = []
    for panel in panels_of(parameters, [name for name, there in inputs.shown.items() if there]):
        for form, shown in optimal.items():
            table = panel_values(values, panel, form)
            if table is None:
                continue
            _check_that_they_are_optimal(values, shown)
            counted = table[_ranked(table) | table["system"].isin(shown)]
            coverage = {
                f"{side}_coverage": _coverage(values, axis, form, panel.experiment, counted)
                for side, axis in (("x", panel.x), ("y", panel.y))
            }
            drawn = counted if panel.y.metric in optimal_with else counted[_ranked(counted)]
            rows.append(drawn.assign(**correlation(table), **coverage))
    return pd.concat(rows, ignore_index=True)


def means_of_values(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the means over folds of the results of the artifact ``values``."""
    values = read_results(inputs.results["values"])
    return values[values["fold"] == "mean"]


def panel_values(values: pd.DataFrame, panel: Panel, form: str) -> pd.DataFrame | None:
    """Return both coordinates of all systems in a panel, in the order of the experiment.

    None in the released form where neither axis differs from that of the text.
    """
    found = [_axis_values(values, panel.experiment, axis, form) for axis in (panel.x, panel.y)]
    if form == "released" and all((axis["form"] == "text").all() for axis in found):
        return None
    names = ["experiment", "dataset", "split", "system", "role"]
    x, y = (
        axis.rename(columns={"value": side})[[*names, side]]
        for axis, side in zip(found, ("x", "y"), strict=True)
    )
    table = x.merge(y, on=names, validate="one_to_one")
    described = {
        "form": form,
        "x_evaluation": panel.x.evaluation,
        "x_metric": panel.x.metric,
        "y_evaluation": panel.y.evaluation,
        "y_metric": panel.y.metric,
    }
    columns = ["experiment", "dataset", "split", *described, "system", "role", "x", "y"]
    return table.assign(**described)[columns]


def correlation(table: pd.DataFrame) -> dict[str, float | int]:
    """Return Kendall's tau between the axes over the systems, its p-value, and their number."""
    from scipy.stats import kendalltau

    ranked = table[_ranked(table)]
    found = kendalltau(ranked["x"], ranked["y"])
    return {
        "tau": float(found.statistic),
        "p_value": float(found.pvalue),
        "systems": len(ranked),
    }


def _ranked(table: pd.DataFrame) -> pd.Series:
    return table["role"] == "system"


def _axis_values(values: pd.DataFrame, experiment: str, axis: Axis, form: str) -> pd.DataFrame:
    own = values[(values["experiment"] == experiment) & (values["evaluation"] == axis.evaluation)]
    for candidate in _forms(form):
        names = own["metric"] if candidate == "text" else own["metric"].map(_name)
        wanted = axis.metric if candidate == "text" else _name(axis.metric)
        found = own[(own["form"] == candidate) & (names == wanted)]
        if len(found):
            return found
    raise ValueError(
        f"The artifact values has no {axis.evaluation} {axis.metric} of the experiment "
        f"{experiment}: name the metric in its parameters."
    )


def _forms(form: str) -> Iterator[str]:
    """Yield a form, then that of the text, which holds where the released code is the same."""
    yield form
    if form != "text":
        yield "text"


def _name(label: str) -> str:
    """Return a metric's name, cut-off and whether it measures condensed lists.

    The released form of a metric may have other parameters, such as gains.
    """
    name, _, cutoff = label.partition("@")
    return f"{name.partition('(')[0]}@{cutoff} {'condensed=true' in label}"


def _check_that_they_are_optimal(values: pd.DataFrame, names: set[str]) -> None:
    known = set(values.loc[values["role"] == "optimal", "system"])
    if unknown := names - known:
        raise ValueError(
            f"The parameter optimal names {', '.join(sorted(unknown))}, but the optimal rankings "
            f"among the systems of the artifact values are {', '.join(sorted(known)) or 'none'}."
        )


def _coverage(
    values: pd.DataFrame, axis: Axis, form: str, experiment: str, counted: pd.DataFrame
) -> float:
    total = 0.0
    for label in COVERAGE["condensed=true" in axis.metric]:
        own = _axis_values(values, experiment, Axis(axis.evaluation, label), form)
        total += float(own.loc[own["system"].isin(counted["system"]), "value"].mean())
    return total
