"""The values of systems under removed judgments, as a removal's archive holds them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SampledValues:
    """Values of one experiment under removed judgments, averaged over folds.

    Attributes
    ----------
    dataset : str
    percents : ndarray of float64, shape (n_levels,)
        What is kept, in per cent.
    aggregated_metrics : tuple of (str, str)
        Labels of average and metric.
    systems : tuple of str
    complete : ndarray of float64, shape (n_measures, n_systems)
        With all judgments.
    values : ndarray of float64, shape (n_levels, n_samples, n_measures, n_systems)
    evaluated_users : ndarray of int64, shape (n_levels, n_samples)
        Users still averaged, over all folds.
    """

    dataset: str
    percents: NDArray[np.float64]
    aggregated_metrics: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]
    complete: NDArray[np.float64]
    values: NDArray[np.float64]
    evaluated_users: NDArray[np.int64]

    def of(self, average: str, metric: str) -> int:
        """Return the place of a measure.

        Raises
        ------
        KeyError
            It was not measured; the message lists what was.
        """
        if (average, metric) not in self.aggregated_metrics:
            there = ", ".join(f"{one} {label}" for one, label in self.aggregated_metrics)
            raise KeyError(f"{average} {metric} was not measured on {self.dataset}; {there} were.")
        return self.aggregated_metrics.index((average, metric))


def read_samplings(path: Path) -> list[SampledValues]:
    """Read what :func:`receval.workflow.incompleteness.sample_judgments` wrote.

    Returns
    -------
    list of SampledValues
        One an experiment, by name.
    """
    with np.load(path) as archive:
        aggregated_metrics = tuple(
            (str(average), str(metric)) for average, metric in archive["aggregated_metrics"]
        )
        ends = "/dataset"
        names = [name.removesuffix(ends) for name in archive.files if name.endswith(ends)]
        return [
            SampledValues(
                dataset=str(archive[f"{name}/dataset"]),
                percents=archive["percents"],
                aggregated_metrics=aggregated_metrics,
                systems=tuple(map(str, archive[f"{name}/systems"])),
                complete=archive[f"{name}/complete"],
                values=archive[f"{name}/values"],
                evaluated_users=archive[f"{name}/averaged"],
            )
            for name in names
        ]
