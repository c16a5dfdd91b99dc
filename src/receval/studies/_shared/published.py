"""Published values of named systems: tables in ``config/published``, and our own beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from receval.evaluation.experiment import Experiment
from receval.studies._shared.inputs import ArtifactInputs

KEYS = ["dataset", "split", "judgments", "system", "metric"]
COLUMNS = ("study", "dataset", "split", "judgments", "system", "metric", "published")
TAU_COLUMNS = (
    "claim",
    "figure",
    "experiment",
    "x_evaluation",
    "x_metric",
    "y_evaluation",
    "y_metric",
    "published",
)


def read_published(path: Path) -> pd.DataFrame:
    """Read a table of published values.

    Parameters
    ----------
    path : Path
        CSV, lines that begin with ``#`` are comments. Columns: study; dataset, split and system
        (our names); judgments (``test`` or ``unbiased``); metric (our label); published (value).

    Raises
    ------
    ValueError
        If columns differ, a value is no number, or the same value is given twice.
    """
    return _read(path, COLUMNS)


def published_values(
    path: Path, names: tuple[str, str, str], metrics: Sequence[str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the values of a system by the test ratings that a search is to come close to.

    Parameters
    ----------
    path : Path
        As for :func:`read_published`.
    names : tuple of str
        Dataset, split and system.
    metrics : sequence of str
        Labels.

    Returns
    -------
    ndarray of float64, shape (n_metrics,)

    Raises
    ------
    ValueError
        If one is missing.
    """
    dataset, split_name, system = names
    table = read_published(path)
    rows = table[
        (table["dataset"] == dataset)
        & (table["split"] == split_name)
        & (table["judgments"] == "test")
        & (table["system"] == system)
    ].set_index("metric")["published"]
    missing = [metric for metric in metrics if metric not in rows.index]
    if missing:
        raise ValueError(
            f"{path} has no {', '.join(missing)} of {system} on {dataset}, split {split_name}: "
            "a search needs the values to come close to."
        )
    return rows[list(metrics)].to_numpy(dtype=np.float64)


def read_published_taus(path: Path) -> pd.DataFrame:
    """Read a table of published coefficients between two metrics.

    Parameters
    ----------
    path : Path
        CSV, lines that begin with ``#`` are comments. Columns: claim (number of the statement);
        figure; experiment (our name); x_evaluation, y_evaluation (``observed`` or ``real``);
        x_metric, y_metric (our labels); published (Kendall's tau).

    Raises
    ------
    ValueError
        As :func:`read_published`.
    """
    return _read(path, TAU_COLUMNS)


def published_and_ours(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the published and our own value of every system and metric of the experiments.

    Columns: study (whose values); dataset; split; judgments (``test``, or ``unbiased`` for
    randomly drawn items); protocol; system; metric; searched (``yes`` where the searches for
    settings looked at the metric, so that agreement is no evidence); published; ours (mean
    over folds); relative_difference (ours / published - 1; NaN where published is 0); lists (how
    many lists our value averages, over all folds).

    Raises
    ------
    ValueError
        If a published value belongs to a system that the experiments do not have.
    """
    if inputs.published is None:
        raise ValueError("The artifact needs the key published: the table to compare with.")
    published = read_published(inputs.published)
    metrics = inputs.parameters["metrics"]
    ours = pd.DataFrame(row for e in inputs.experiments.values() for row in _own_values(e, metrics))
    known = published.merge(ours[["dataset", "split"]].drop_duplicates(), on=["dataset", "split"])
    known = known[known["metric"].isin(metrics)]
    table = known.merge(ours, on=KEYS, how="left", validate="one_to_one")
    without = table[table["ours"].isna()]
    if len(without):
        first = without.iloc[0]
        raise ValueError(
            f"{inputs.published} has a value of {first['system']} on {first['dataset']}, split "
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


def _read(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    table = pd.read_csv(path, comment="#")
    if tuple(table.columns) != columns:
        raise ValueError(
            f"{path} has the columns {', '.join(table.columns)}; it must have {', '.join(columns)}."
        )
    if not pd.api.types.is_float_dtype(table["published"]) or table["published"].isna().any():
        raise ValueError(f"{path}: every value in the column published must be a number.")
    keys = list(columns[:-1])
    repeated = table[table.duplicated(keys)]
    if len(repeated):
        names = " ".join(str(repeated.iloc[0][key]) for key in keys)
        raise ValueError(f"{path} gives a value twice: {names}.")
    return table


def _own_values(
    experiment: Experiment, labels: tuple[str, ...]
) -> Iterator[dict[str, str | float | int]]:
    from receval.metrics.aggregation import evaluated_lists, mean
    from receval.metrics.evaluation import evaluate
    from receval.metrics.parse import parse

    metrics = [parse(label) for label in labels]
    has_unbiased = experiment.fold(0).unbiased is not None
    for part in ("test", "unbiased") if has_unbiased else ("test",):
        for protocol in experiment.protocols:
            for system in experiment.all_systems:
                values = np.zeros((len(experiment.folds), len(metrics)))
                n_lists = 0
                for number in experiment.folds:
                    lists = experiment.lists(system, protocol, number, part)
                    values[number] = mean(
                        evaluate(metrics, lists), lists, experiment.evaluated_users
                    )
                    n_lists += int(evaluated_lists(lists, experiment.evaluated_users).sum())
                for label, value in zip(labels, values.mean(axis=0), strict=True):
                    yield {
                        "dataset": experiment.dataset,
                        "split": experiment.split,
                        "judgments": part,
                        "protocol": protocol.name,
                        "system": system,
                        "metric": label,
                        "ours": float(value),
                        "lists": n_lists,
                    }
