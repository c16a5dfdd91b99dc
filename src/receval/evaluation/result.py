# SPDX-License-Identifier: MIT
"""The result of an evaluation: tables of averages, of pairs and of values per user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from receval.checked_arguments import checked_arguments
from receval.evaluation.formatting import with_direction
from receval.evaluation.result_report import ResultReport
from receval.evaluation.saved_results import SAVED, loaded_result_fields, save_result
from receval.evaluation.summed_values import SummedValues


@dataclass(frozen=True, repr=False)
class EvaluationResult(ResultReport):
    """Values of systems by protocol, metric and user.

    Attributes
    ----------
    systems, metrics : tuple of str
    values : mapping of str to ValuesByUser
        Values by the name of the protocol.
    user_ids : ndarray of str, shape (n_users,)
        Identifiers by code.
    settings : mapping
        What is needed to repeat the call, as JSON-compatible values: ``protocols``, ``metrics``,
        ``relevant`` (the threshold), ``users`` and ``seed``; of :func:`receval.evaluate` also
        ``data`` (numbers of ratings, users and items), ``split`` (its parameters) and ``systems``
        (class and parameters by name), of :func:`receval.evaluate_runs` ``depth`` and ``ties``;
        with a dialect ``dialect`` and ``labels``.
    notes : tuple of Note
        What may mislead, and how the numbers were computed.
    words : tuple of str
        Sentences on what was measured.
    reading : tuple of ReadingReport
        Reports of how files and tables were read.
    less_is_better : frozenset of str
        Metrics for which lower values are better. Its ``best_values`` has the best value of
        metrics of which neither more nor less is better.
    top_lists : mapping of str to mapping of str to tuple of TopLists
        The kept lists by protocol and system, one for each fold; empty unless they were asked for
        with ``lists``.
    item_ids : ndarray of str, shape (n_items,), optional
        Identifiers of the items by code.
    list_metrics : frozenset of str
        Metrics of whole lists, such as coverage.
    models : mapping of str to tuple
        The fitted systems by name, one for each fold; empty unless ``keep_models`` was set.
    lists_written : tuple of Path
        The files of lists that were written with ``lists_to``.
    bounds : mapping of str to pair of float
        The smallest and largest possible values of metrics of all users that have such limits.
    together : MeasuredTogether, optional
        What metrics of all users at once measured, for :meth:`by_group`; it is not saved.
    of_ranks : tuple of str
        The metrics of judged ranks.
    of_all_users : frozenset of str
        Metrics that are computed from all users at once.
    traits : mapping of str to ndarray of float64, shape (n_users,)
        Numbers of all users by which they can be grouped
        (:func:`receval.evaluation.groups_of_users.traits_of_users`).
    item_groups : mapping of str to mapping
        Values of the metrics of judged ranks by feature of items, group and protocol.
    list_groups : mapping of str to mapping
        Those of the metrics ``of_list_groups``, of the recommended items of each group.
    of_list_groups : tuple of str
        The metrics of lists that have values of groups of items.
    tuning : mapping of str to TuningRecord
        How systems were tuned, by name, for those that were (:func:`receval.tuning.tune.tune`).

    Examples
    --------
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("aab"), "item": list("xyx"), "rating": [1, 1, 1]}
    >>> mine = {"a": {"x": 2.0, "z": 1.0}, "b": {"z": 3.0}}
    >>> theirs = {"a": {"z": 2.0, "x": 1.0}, "b": {"x": 3.0}}
    >>> runs = {"mine": mine, "theirs": theirs}
    >>> result = evaluate_runs(test, runs, metrics="RR", depth="whole")
    >>> result.summary()[["system", "mean"]].to_dict("list")
    {'system': ['mine', 'theirs'], 'mean': [0.5, 0.75]}
    >>> result.per_user().query("system == 'theirs'")["RR"].tolist()
    [0.5, 1.0]
    """

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write the result into a folder, for :func:`load_result`.

        Equal results give equal bytes. An earlier saved result in the folder is replaced. If the
        command can repeat the call, the folder also has a ``settings.json`` for ``receval evaluate
        --settings``, without ``lists_to``. It cannot with tables that are no files, features that
        were read by options, or a system of your own
        (:func:`receval.evaluation.saved_results.command_settings`).

        Parameters
        ----------
        folder : path
            Made if it is missing.

        Raises
        ------
        ValueError
            The folder has files that are not those of a saved result, or the result has only sums
            over users.
        """
        for own in self.values.values():
            if isinstance(own, SummedValues):
                raise ValueError(
                    "The result has only sums over users, and is saved already: call "
                    f"evaluate_large_runs with the same arguments and the folder {own.folder}, "
                    "which measures nothing again."
                )
        save_result({name: getattr(self, name) for name in SAVED}, Path(folder))

    def __str__(self) -> str:
        table = self.summary().pivot_table(
            index=["protocol", "system"], columns="metric", values="mean", sort=False
        )
        shown = table[list(self.metrics)].round(4)
        shown = shown.rename(columns=lambda name: with_direction(name, self.less_is_better))
        return shown.to_string(line_width=pd.get_option("display.width"))

    __repr__ = __str__


@checked_arguments
def load_result(folder: str | Path) -> EvaluationResult:
    """Load a result that :meth:`EvaluationResult.save` wrote.

    Parameters
    ----------
    folder : path
        Where the result was saved.

    Returns
    -------
    EvaluationResult
        With the same values, tables, notes and settings. In the settings, sequences are lists.

    Raises
    ------
    ValueError
        The folder has no saved result, another version of receval wrote it in another form, or a
        file is damaged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("aab"), "item": list("xyx"), "rating": [1, 1, 1]}
    >>> mine = {"a": {"x": 2.0, "z": 1.0}, "b": {"z": 3.0}}
    >>> with TemporaryDirectory() as folder:
    ...     evaluate_runs(test, {"mine": mine}, metrics="RR", depth="whole").save(folder)
    ...     load_result(folder).summary()["mean"].tolist()
    [0.5]
    """
    return EvaluationResult(**loaded_result_fields(Path(folder)))
