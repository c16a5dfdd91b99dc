# SPDX-License-Identifier: MIT
"""Tune systems: try settings of each on a validation part, and return those with the best."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from receval.checked_arguments import checked_arguments
from receval.data.features import Features, read_features
from receval.evaluation.averages_and_pairs import typed_rows
from receval.evaluation.measuring import ChosenUsers, GivenMetric, Measuring
from receval.evaluation.report import Report, ReportText
from receval.evaluation.systems import evaluate_systems
from receval.evaluation.tuning_record import (
    RECORD,
    TuningRecord,
    digest_of_split,
    draw_expected_best,
    expected_best,
    settings_in_words,
    trials_table,
    tuning_parts,
)
from receval.figures.style import figure_style
from receval.metrics.dialects import Dialect
from receval.metrics.own_metrics import FunctionMetric
from receval.notes import Note
from receval.protocols.protocol import Protocol
from receval.splits.split_ratings import SplitRatings
from receval.storage.files import write_atomically
from receval.storage.messages import enumerated, how_many, quoted
from receval.tuning.search_space import OptunaSearch, SearchSpace, settings_as_json
from receval.tuning.trials import Trial, TrialFolder, made_trial, number_of_jobs, run_trials
from receval.tuning.validation import ValidationSplit, validation_split

Search = Literal["random", "optuna"]
Trials = dict[tuple[str, str], Trial]

_WORDS_OF_SEARCH: dict[Search, tuple[str, ...]] = {
    "random": (),
    "optuna": (
        "Optuna's tree-structured Parzen estimator proposed settings from the values of earlier "
        "trials. Trials are thus not independent, and the expected best value by number of trials "
        "is that of the same trials in random order.",
    ),
}

_TOLD = ("metric", "protocol", "relevant", "users", "dialect")
"""What the settings of a result say of how trials were measured."""


class TunedRow(NamedTuple):
    """A tuned system with its best value; NaN and no parameters if all trials failed."""

    system: str
    trials: int
    failed: int
    value: float
    parameters: str
    seconds: float


class TrialRow(NamedTuple):
    """A trial of a system; ``failure`` is empty unless it failed."""

    system: str
    trial: int
    parameters: str
    value: float
    seconds: float
    failure: str


class ExpectedRow(NamedTuple):
    """The mean and the standard deviation of the best value of a number of trials."""

    system: str
    trials: int
    expected: float
    deviation: float


@dataclass(frozen=True, repr=False)
class TuningResult:
    """The trials of some systems, and the systems with their best parameters.

    Attributes
    ----------
    records : mapping of str to TuningRecord
        All trials, by the name of the system.
    seconds : mapping of str to tuple of float
        How long each trial took; NaN if its process was ended. Times differ from run to run, all
        else does not.
    settings : mapping
        What is needed to repeat the call.
    notes : tuple of Note
        What may mislead.
    words : tuple of str
        Sentences on what was measured.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.recommenders.puresvd import PureSVD
    >>> from receval.splits.split_ratings import split
    >>> rng = np.random.default_rng(1)
    >>> users, items = np.nonzero(rng.random((40, 30)) < np.linspace(0.9, 0.1, 30))
    >>> data = split(read_ratings({"user": users, "item": items}), "user-ratio", train_ratio=0.8)
    >>> tuned = tune(data, {"SVD": (PureSVD, {"factors": [1, 9]})}, metric="P@10", jobs=1)
    >>> tuned.trace("SVD")[["trial", "factors", "value"]].round(3).to_dict("list")
    {'trial': [1, 2], 'factors': [1, 9], 'value': [0.16, 0.115]}
    >>> tuned.systems["SVD"].parameters["factors"]
    1
    """

    records: Mapping[str, TuningRecord]
    seconds: Mapping[str, tuple[float, ...]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    words: tuple[str, ...] = ()
    _spaces: Mapping[str, SearchSpace] = field(default_factory=dict, repr=False)

    @property
    def best(self) -> dict[str, dict[str, Any]]:
        """The parameters of the best trial of each system.

        A system whose trials all failed is left out, as a note says.
        """
        return {n: own.parameters for n, own in self.records.items() if own.failed < own.trials}

    @property
    def systems(self) -> dict[str, Any]:
        """New systems with the best parameters, for :func:`receval.evaluate` on the same split.

        They are not trained yet, and have the record of their tuning in the attribute ``tuning``.
        """
        made = {}
        for name, parameters in self.best.items():
            system = self._spaces[name].make(**parameters)
            try:
                # Some classes refuse attributes other than their own parameters.
                object.__setattr__(system, RECORD, self.records[name])
            except (AttributeError, TypeError):
                raise ValueError(
                    f"The {type(system).__name__} of {quoted(name)} can have no further attribute, "
                    f"so that its tuning cannot be recorded. Let its class have {RECORD!r}."
                ) from None
            made[name] = system
        return made

    def summary(self) -> pd.DataFrame:
        """Return one row per system.

        Returns
        -------
        DataFrame
            ``system``, ``trials``, ``failed``, the best ``value`` on the validation part, its
            ``parameters`` in words, and ``seconds``, the time of all trials together.
        """
        rows = []
        for name, own in self.records.items():
            has_best = own.failed < own.trials
            rows.append(
                {
                    "system": name,
                    "trials": own.trials,
                    "failed": own.failed,
                    "value": own.values[own.best] if has_best else np.nan,
                    "parameters": settings_in_words(own.parameters) if has_best else "",
                    "seconds": float(np.nansum(self.seconds[name])),
                }
            )
        return pd.DataFrame(rows)

    @checked_arguments
    def trace(self, system: str | None = None) -> pd.DataFrame:
        """Return all trials, one row each.

        Parameters
        ----------
        system : str, optional
            The name of a system, for its trials alone, with a column for each parameter.

        Returns
        -------
        DataFrame
            ``system``, ``trial`` (from 1), ``parameters`` in words, ``value`` (NaN if the trial
            failed), ``seconds``, and ``failure``, a sentence or empty.

        Raises
        ------
        ValueError
            There is no such system.
        """
        table = trials_table(self.records, self.seconds)
        if system is None:
            return table
        if system not in self.records:
            raise ValueError(
                f"There is no tuned system {quoted(system)}. The systems are "
                f"{', '.join(self.records)}."
            )
        own = table[table["system"] == system].reset_index(drop=True)
        columns = pd.DataFrame([dict(each) for each in self.records[system].settings])
        return pd.concat([own[["trial"]], columns, own[["value", "seconds", "failure"]]], axis=1)

    @checked_arguments
    def expected_best(self, *, replacement: bool = True) -> pd.DataFrame:
        """Return the best value to expect from each number of trials.

        Parameters
        ----------
        replacement : bool
            Whether trials are drawn with replacement from those that were made
            (:func:`receval.statistics.expected_maximum.expected_maximum`).

        Returns
        -------
        DataFrame
            ``system``, ``trials`` (from 1, without those that failed), ``expected`` and
            ``deviation``, the mean and the standard deviation of the best value.
        """
        return expected_best(self.records, replacement=replacement)

    def tuned_rows(self) -> tuple[TunedRow, ...]:
        """Return the rows of :meth:`summary` as named tuples, whose types a checker knows."""
        return typed_rows(self.summary(), TunedRow)

    def trial_rows(self) -> tuple[TrialRow, ...]:
        """Return the rows of :meth:`trace` as named tuples, whose types a checker knows."""
        return typed_rows(self.trace(), TrialRow)

    @checked_arguments
    def expected_rows(self, *, replacement: bool = True) -> tuple[ExpectedRow, ...]:
        """Return the rows of :meth:`expected_best` as named tuples, whose types a checker knows.

        Parameters
        ----------
        replacement
            As for :meth:`expected_best`.
        """
        return typed_rows(self.expected_best(replacement=replacement), ExpectedRow)

    @checked_arguments
    def plot(self, path: str | Path) -> None:
        """Write the figure of :meth:`expected_best`, as SVG or PDF by the path's extension.

        Parameters
        ----------
        path : path
            The file, which ends in ``.svg`` or ``.pdf``.

        Raises
        ------
        ValueError
            The path has another extension.
        """
        from receval.figures.finish import rendered_pdf, rendered_svg

        target = Path(path)
        if target.suffix not in (".svg", ".pdf"):
            raise ValueError(
                f"{target} ends in neither .svg nor .pdf. Choose one of these extensions."
            )
        with figure_style():
            figure = draw_expected_best(self.records)
        rendered = rendered_svg if target.suffix == ".svg" else rendered_pdf
        write_atomically(target, rendered(figure, title="Expected best value by trials"))

    @checked_arguments
    def as_report(self, title: str = "Tuning", *, times: bool = False) -> Report:
        """Return the tuning as a report: the best trials, the figure, and all trials.

        Parameters
        ----------
        title : str
            The title of the page.
        times : bool
            Whether to report the seconds of trials, by which reports differ from run to run.
        """
        seconds = self.seconds if times else None
        parts = (*tuning_parts(self.records, seconds), ReportText("What was measured", self.words))
        data = {
            "trials": trials_table(self.records, seconds),
            "expected_best": expected_best(self.records),
        }
        return Report(title, parts, data, self.notes, self.settings)

    @checked_arguments
    def report(self, path: str | Path, *, title: str = "Tuning", times: bool = False) -> None:
        """Write the tuning as one self-contained HTML page.

        Parameters
        ----------
        path : path
            The file.
        title, times
            As for :meth:`as_report`.
        """
        write_atomically(Path(path), self.as_report(title, times=times).page())

    def __str__(self) -> str:
        shown = self.summary().drop(columns="seconds")
        return str(shown.round({"value": 4}).to_string(index=False))

    __repr__ = __str__


@checked_arguments
def tune(
    data: SplitRatings,
    systems: Mapping[str, Any],
    *,
    metric: GivenMetric = "nDCG@10",
    protocol: str | Protocol = "AR AI-AN",
    relevant: float | Literal["auto"] = "auto",
    users: ChosenUsers = "auto",
    dialect: str | Dialect | None = None,
    item_features: object = None,
    rating_scores: str | Sequence[str] = (),
    search: Search = "random",
    budget: int | None = None,
    validation: Mapping[str, Any] | None = None,
    seed: int = 1,
    jobs: int | Literal["auto"] = "auto",
    resume_folder: str | Path | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> TuningResult:
    """Try settings of each system on a validation part of the training ratings.

    The training ratings of each fold are split again, by the same kind of split. Each trial trains
    a system with one setting on one part, and is measured on the other. No test rating is used.
    :attr:`TuningResult.systems` are to be evaluated on ``data``, which trains each of them once on
    all training ratings.

    Parameters
    ----------
    data : SplitRatings
        From :func:`receval.splits.split_ratings.split`.
    systems : mapping of str to (callable, mapping)
        By name, a class (or another function that makes a system) and the values to try of its
        parameters: a list, a distribution of scipy.stats, or a single value. Several mappings in a
        list are grids of their own. Systems are those that
        :func:`receval.evaluation.systems.evaluate_systems` takes.
    metric : str, BaseMetric or function
        A metric of judged ranks, of whole lists or of predicted ratings, or a function of a list
        (:func:`receval.metrics.own_metrics.metric_of_function`). It is maximised, or minimised if
        less is better.
    protocol : str or Protocol
        The protocol under which trials are measured, or its name.
    relevant, users, dialect, item_features, rating_scores
        As for :func:`receval.evaluation.systems.evaluate_systems`.
    search : {"random", "optuna"}
        Whether settings are drawn at random, or proposed by Optuna's tree-structured Parzen
        estimator from the values of earlier trials (Akiba et al. 2019, "Optuna: a next-generation
        hyperparameter optimization framework", KDD; pip install optuna scikit-learn). It needs a
        budget. The trials of a system then follow one another, and those of different systems run
        in parallel.
    budget : int, optional
        The number of trials of each system, at least 1, drawn at random: from lists without
        repetition, from distributions independently. A system with no more settings than that has
        a trial of each. By default all combinations are tried, and distributions are refused.
    validation : mapping of str to value, optional
        The kind of split of the validation part and its parameters, such as ``{"kind":
        "user-ratio", "train_ratio": 0.9}``; by default the validation ratings that ``data`` sets
        aside or, without any, a split as that of ``data``
        (:func:`receval.tuning.validation.validation_split`).
    seed : int
        Seed of the validation part, of its protocol, and of random settings. Seeds of systems are
        parameters of theirs.
    jobs : int or "auto"
        How many trials run at a time, each in a process on one thread; by default as many as there
        are cores. The processes are forked, so systems that use a GPU need ``jobs=1``, which runs
        all trials in this process. The number of jobs does not change the result.
    resume_folder : path, optional
        A folder for the values of trials. A later call with the same data, metric, protocol and
        seed, perhaps after a kill, or with other grids or a higher budget, does not make them
        again. It does not notice changes in the code of systems.
    progress : callable, optional
        Called before each trial, with the name of the system, the number of trials begun, and the
        total.

    Returns
    -------
    TuningResult
        A trial that fails is recorded with the reason, and does not stop the others.

    Raises
    ------
    ValueError
        A system or its values are no such pair, no setting of a system can be made, all trials
        fail, the training ratings cannot be split, a metric or protocol is unknown, or the folder
        is of another tuning.

    Notes
    -----
    Systems are compared fairly if they have equally many trials; a system that is tuned may lead
    an untuned one for this reason alone. Shehzad and Jannach (2023), "Everyone's a winner! On
    hyperparameter tuning of recommendation models", RecSys.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.recommenders.knn import UserKNN
    >>> from receval.splits.split_ratings import split
    >>> rng = np.random.default_rng(1)
    >>> users, items = np.nonzero(rng.random((40, 30)) < np.linspace(0.9, 0.1, 30))
    >>> data = split(read_ratings({"user": users, "item": items}), "user-ratio", train_ratio=0.8)
    >>> tuned = tune(data, {"kNN": (UserKNN, {"neighbours": [1, 10]})}, jobs=1)
    >>> tuned.best, list(tuned.trace()["parameters"])
    ({'kNN': {'neighbours': 10}}, ['neighbours=1', 'neighbours=10'])
    >>> result = evaluate_systems(data, tuned.systems)
    >>> result.tuning["kNN"].trials
    2
    """
    if not systems:
        raise ValueError("There is no system to tune: name at least one.")
    if budget is not None and budget < 1:
        raise ValueError(f"budget is {budget}; it must be at least 1.")
    n_jobs = number_of_jobs(jobs)
    spaces = {name: SearchSpace.of(name, given) for name, given in systems.items()}
    drawn = {name: space.settings(budget, seed) for name, space in spaces.items()}
    for name, (settings, _) in drawn.items():
        spaces[name].check(settings)
    if search == "optuna" and budget is None:
        raise ValueError("Say with budget= how many trials Optuna makes of each system.")
    tables = item_features if isinstance(item_features, list | tuple) else [item_features]
    features = [read_features(own, of="items") for own in tables if own is not None]
    inner = validation_split(data, validation, seed)
    measured = partial(
        _measured,
        inner,
        metrics=metric,
        protocols=protocol,
        relevant=relevant,
        users=users,
        dialect=dialect,
        item_features=features or None,
    )
    description = _by_what(inner, metric, protocol, relevant, users, dialect)
    if features:
        description["item_features"] = _digest(features)
    kept = TrialFolder(None if resume_folder is None else Path(resume_folder), description)
    rating_scores = [rating_scores] if isinstance(rating_scores, str) else rating_scores
    rated = {
        name: partial(measured, name, rating_scores=[own for own in rating_scores if own == name])
        for name in spaces
    }
    if unknown := [name for name in rating_scores if name not in spaces]:
        raise ValueError(f"rating_scores names {enumerated(unknown)}, which is no tuned system.")
    run = partial(_trials, spaces, measured=rated, kept=kept, jobs=n_jobs, progress=progress)
    less_is_better = bool(description["less_is_better"])
    if search == "optuna":
        searches = {
            name: OptunaSearch(spaces[name], settings, seed, less_is_better=less_is_better)
            for name, (settings, is_exhausted) in drawn.items()
            if not is_exhausted
        }
        proposed, trials = _searched(searches, drawn, run)
        drawn = {name: (proposed[name], is_exhausted) for name, (_, is_exhausted) in drawn.items()}
    else:
        trials = run({name: settings for name, (settings, _) in drawn.items()})
    whole = digest_of_split(data)
    records = {}
    for name, (settings, is_exhausted) in drawn.items():
        own = [trials[name, settings_as_json(each)] for each in settings]
        records[name] = TuningRecord(
            metric=description["metric"],
            protocol=description["protocol"],
            validation=inner.name,
            split=whole,
            settings=tuple(settings),
            values=tuple(trial.value for trial in own),
            failures=tuple(trial.failure for trial in own),
            users=max(trial.users for trial in own),
            less_is_better=less_is_better,
            is_exhausted=is_exhausted,
            seed=seed,
        )
    if all(own.failed == own.trials for own in records.values()):
        first = next(iter(records.values()))
        raise ValueError(f"All trials of all systems failed. The first: {first.failures[0]}")
    return TuningResult(
        records,
        {
            name: tuple(trials[name, settings_as_json(each)].seconds for each in settings)
            for name, (settings, _) in drawn.items()
        },
        {
            **{name: description[name] for name in _TOLD},
            "validation": inner.parameters,
            "budget": budget,
            **({"search": search} if search != "random" else {}),
            "trials": {name: own.trials for name, own in records.items()},
            "seed": seed,
        },
        (*inner.notes, *_notes_on_failures(records)),
        (*_words(inner, description["relevant"]), *_WORDS_OF_SEARCH[search]),
        spaces,
    )


def _measured(
    inner: ValidationSplit, name: str, system: Any, **measuring: Any
) -> tuple[float, int]:
    """Train a system and return its average on the validation part, and the number of users."""
    result = evaluate_systems(inner, {name: system}, **measuring)
    (values,) = result.values.values()
    return float(values.means[0, 0]), values.n_users


def _searched(
    searches: Mapping[str, OptunaSearch],
    drawn: Mapping[str, tuple[list[dict[str, Any]], bool]],
    run: Callable[..., Trials],
) -> tuple[dict[str, list[dict[str, Any]]], Trials]:
    """Return the settings that searches propose, and all trials.

    Each round has one trial of every system. A system without a search tries what was drawn.
    """
    settings: dict[str, list[dict[str, Any]]] = {name: [] for name in drawn}
    trials: Trials = {}
    total = sum(len(own) for own, _ in drawn.values())
    for number in range(max(len(own) for own, _ in drawn.values())):
        proposed = {
            name: [searches[name].next_setting() if name in searches else own[number]]
            for name, (own, _) in drawn.items()
            if number < len(own)
        }
        trials |= run(proposed, done=sum(map(len, settings.values())), total=total)
        for name, (setting,) in proposed.items():
            settings[name].append(setting)
            if name in searches:
                searches[name].add(setting, trials[name, settings_as_json(setting)])
    return settings, trials


def _trials(
    spaces: Mapping[str, SearchSpace],
    settings: Mapping[str, list[dict[str, Any]]],
    measured: Mapping[str, partial[tuple[float, int]]],
    kept: TrialFolder,
    jobs: int,
    progress: Callable[[str, int, int], object] | None,
    done: int = 0,
    total: int | None = None,
) -> Trials:
    """Return the trials by system and parameters, those of the folder without running them."""
    found: Trials = {}
    open_trials: dict[tuple[str, str], dict[str, Any]] = {}
    own_total = sum(map(len, settings.values()))

    def of_trial(key: tuple[str, str]) -> str:
        name, parameters = key
        rated = measured[name].keywords["rating_scores"]
        return settings_as_json([name, spaces[name].maker, parameters, *rated])

    total = own_total if total is None else total
    # The first trials of all systems come first, so that each is soon seen to work.
    for number in range(max(map(len, settings.values()))):
        for name, own in settings.items():
            if number < len(own):
                key = name, settings_as_json(own[number])
                if (earlier := kept.read(of_trial(key))) is not None:
                    found[key] = earlier
                else:
                    open_trials[key] = own[number]
    keys = list(open_trials)
    before = done + own_total - len(keys)

    def begin(number: int) -> None:
        if progress is not None:
            progress(keys[number][0], before + number, total)

    def finish(number: int, trial: Trial) -> None:
        found[keys[number]] = trial
        kept.write(of_trial(keys[number]), trial)

    tasks = [
        partial(made_trial, partial(_made_and_measured, spaces[name].make, own, measured[name]))
        for (name, _), own in open_trials.items()
    ]
    run_trials(tasks, jobs, begin, finish)
    return found


def _made_and_measured(
    make: Callable[..., Any],
    parameters: Mapping[str, Any],
    measured: Callable[[Any], tuple[float, int]],
) -> tuple[float, int]:
    return measured(make(**parameters))


def _by_what(
    inner: ValidationSplit,
    metric: GivenMetric,
    protocol: str | Protocol,
    relevant: float | Literal["auto"],
    users: ChosenUsers,
    dialect: str | Dialect | None,
) -> dict[str, Any]:
    """Return on what and by what trials are measured, which a folder must agree with."""
    measuring = Measuring.of(
        np.concatenate([fold.test.values for fold in inner.folds()]),
        inner.relevance,
        protocols=protocol,
        metrics=metric,
        relevant=relevant,
        users=users,
        dialect=dialect,
        are_grades=inner.are_judgments,
    )
    ((name, chosen),) = measuring.metrics.items()
    if chosen.best_value is not None:
        raise ValueError(
            f"{name} is best at {chosen.best_value:g}, so that neither the highest nor the lowest "
            "value tells the best trial. Tune on a metric of accuracy, such as nDCG@10."
        )
    (protocol_name,) = measuring.protocols
    return {
        "data": digest_of_split(inner),
        "validation": inner.name,
        "metric": name,
        "label": chosen.label,
        **({"function": chosen.text} if isinstance(chosen, FunctionMetric) else {}),
        "less_is_better": chosen.less_is_better,
        "protocol": protocol_name,
        "protocol_key": measuring.protocols[protocol_name].key,
        "relevant": measuring.threshold,
        "users": measuring.users,
        "dialect": None if measuring.dialect is None else measuring.dialect.name,
        "seed": inner.seed,
    }


def _digest(features: Sequence[Features]) -> str:
    """Return a digest of features, on which values of trials may depend."""
    made = hashlib.blake2b(digest_size=16)
    for table in features:
        for name, own in table.has_value.items():
            made.update(repr((name, table.values[name], table.ids.tolist())).encode())
            for part in (own.indptr, own.indices):
                made.update(part.astype(np.int64).tobytes())
    return made.hexdigest()


def _words(inner: ValidationSplit, relevant: float) -> tuple[str, ...]:
    """Describe on what trials train and are measured."""
    folds = list(inner.folds())
    n_train, n_test = sum(int(f.train.nnz) for f in folds), sum(len(f.test) for f in folds)
    of_folds = f" in {len(folds)} folds" if len(folds) > 1 else ""
    split = f"split from the training ratings ({inner.name}) with the seed {inner.seed}"
    return (
        f"Each trial trains on {how_many(n_train, 'rating')} and is measured on "
        f"{how_many(n_test, 'validation rating')}{of_folds}, "
        f"{'which the split sets aside' if inner.name == 'predefined' else split}.",
        f"A validation rating is relevant from {relevant:g} on.",
    )


def _notes_on_failures(records: Mapping[str, TuningRecord]) -> list[Note]:
    """Return a note for each system with failed trials."""
    notes = []
    for name, own in records.items():
        if not own.failed:
            continue
        first = next(text for text in own.failures if text)
        rest = ", so that there is no tuned system of this name" * (own.failed == own.trials)
        text = (
            f"{own.failed:,} of {how_many(own.trials, 'trial')} of {name} failed{rest}. The first "
            f"reason: {first}"
        )
        notes.append(Note("failed-trials", text))
    return notes
