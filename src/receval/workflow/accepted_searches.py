"""Traces of searches for settings, taken from the accepted results instead of made again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from receval.storage.tidy_csv import read_results, write_results
from receval.studies._shared.published import published_values


def take_accepted_trace(
    accepted_file: Path,
    published_file: Path,
    search: Mapping[str, Any],
    names: tuple[str, str, str],
    target: Path,
) -> None:
    """Write the accepted trace of a system's search, if it is that of the same search.

    It is where the accepted rows are one for each setting and metric, in the order in which they
    would be tried, come close to the same published values, and choose the nearest setting. What
    the trace does not tell - data, split, seed, the code of the recommender - is not compared, so a
    taken trace is no evidence that a search would find it again.

    Parameters
    ----------
    accepted_file : Path
        The accepted numbers of the artifact ``searches``: the traces of all systems.
    published_file, search, names, target
        As for :func:`receval.workflow.tuning.search_settings`, of whose trace the written
        file has the bytes.

    Raises
    ------
    ValueError
        If the accepted trace is of another search, or there is none.
    """
    system, metrics = names[2], list(search["metrics"])
    accepted = read_results(accepted_file)
    trace = accepted[accepted["system"] == system].reset_index(drop=True)
    settings = [json.dumps(setting, sort_keys=True) for setting in search["settings"]]
    if trace["setting"].tolist() != [setting for setting in settings for _ in metrics]:
        raise _refusal(accepted_file, system, "have other settings than are to be tried")
    if trace["metric"].tolist() != metrics * len(settings):
        raise _refusal(accepted_file, system, f"have other metrics than {', '.join(metrics)}")
    published = np.tile(published_values(published_file, names, metrics), len(settings))
    if not np.allclose(trace["published"].to_numpy(np.float64), published, rtol=1e-9, atol=0):
        raise _refusal(accepted_file, system, f"have other published values than {published_file}")
    nearest = trace["setting"].iloc[int(trace["distance"].argmin())]
    if (trace["chosen"] == "yes").tolist() != (trace["setting"] == nearest).tolist():
        raise _refusal(accepted_file, system, f"do not choose the nearest setting, {nearest}")
    write_results(trace, target)


def _refusal(accepted_file: Path, system: str, reason: str) -> ValueError:
    return ValueError(
        f"{accepted_file} cannot stand for the search for the settings of {system}: its rows "
        f"{reason}. Run the searches."
    )
