# SPDX-License-Identifier: MIT
"""The paragraph on the experimental set-up of a result, for the methods section of a paper."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd

from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.comparison import EFFECTS_IN_WORDS, ComparisonChoices
from receval.figures.printed_numbers import as_written
from receval.notes import Note
from receval.statistics.pairs import LEVEL
from receval.storage.messages import how_many
from receval.storage.saved_folders import receval_version

PACKAGES = ("numpy", "scipy", "pandas", "numba")
"""The packages whose versions are named."""

_CODES_OF_RATINGS = ("selection", "trained-pairs")
_CODES_OF_USERS = ("users-left-out", "few-users", "users-without-lists", "users-without-scores")

_SIZES = ("train_ratings", "test_ratings", "selected_ratings", "test", "validation")
"""Counts of a split that are those of its folds, and names of files."""

_COUNTS = {
    "validation_ratings": "Validation ratings, which neither train nor test",
    "held_out_users": "Held-out users of each fold, on whom systems are not trained",
    "users_too_short": "Users with one rating, who only train",
    "users_without_test": "Users with too few ratings, who only train",
    "users_without_train": "Tested users without training ratings",
    "new_users_dropped": "Test ratings left out because their users have no training ratings",
    "repeats_dropped": "Test ratings left out because their pairs also train",
    "left_in_gap": "Ratings left out because they are in the gap before the test",
    "users_tied": "Users whose last training and first test rating have the same time",
    "begins": "The test begins at",
    "windows_begin": "The windows begin at",
}
"""What splits count, in words; what is 0 is not told."""


def number_of_trials(system: object) -> int | None:
    """Return the number of trials by which a system was tuned, None if it has no record of it.

    A tuned system has an attribute ``tuning``, whose attribute ``trials`` is their number or a
    collection of them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> number_of_trials(SimpleNamespace(tuning=SimpleNamespace(trials=[0.1, 0.2])))
    2
    >>> number_of_trials(SimpleNamespace()) is None
    True
    """
    trials = getattr(getattr(system, "tuning", None), "trials", None)
    if isinstance(trials, int):
        return trials
    return len(trials) if isinstance(trials, Collection) else None


def methods_paragraph(
    settings: Mapping[str, Any],
    words: Sequence[str],
    notes: Sequence[Note],
    values: Mapping[str, ValuesByUser],
    pairs: pd.DataFrame | None,
    comparison: ComparisonChoices,
    metrics: Sequence[str],
    systems: Sequence[str],
    of_all_users: Collection[str] = (),
) -> str:
    """Return the paragraph of a result, in plain text.

    Settings, words, notes, values, systems and the metrics of all users at once are those of the
    result; there are no pairs if there is only one system.
    """
    runs = [name for name in systems if name not in settings.get("systems", {})]
    told = [
        *_data(settings, notes),
        *([_lists(runs, settings)] if runs else []),
        *words,
        *_users(values, notes),
        *_systems(settings),
        *_statistics(pairs, comparison, _of_other_means(values, metrics, of_all_users, settings)),
        _software(settings),
    ]
    if not words:
        told.insert(0, f"The metrics were {_listed(list(metrics))}.")
    return " ".join(told)


def _data(settings: Mapping[str, Any], notes: Sequence[Note]) -> list[str]:
    """Describe the split, the sizes of its parts, and what it left out."""
    split = settings.get("split")
    if not split:
        return []
    is_given = split["kind"] == "predefined"
    told_apart = {*_COUNTS, *_SIZES, "kind"}
    parameters = [
        f"{name}={value}"
        for name, value in split.items()
        if name not in told_apart and isinstance(value, str | int | float)
    ]
    selection = split.get("selection") or {}
    parameters += [f"selection of {name}={value}" for name, value in selection.items()]
    text = "The split was given" if is_given else f"Ratings were split by {split['kind']}"
    if parameters:
        text += f" ({', '.join(parameters)})"
    seed = settings["seed"]
    text += f"; random choices have the seed {seed}" if is_given else f" with seed {seed}"
    data = settings.get("data", {})
    if data:
        train, test = data["training_ratings"], data["test_ratings"]
        folds = f" in {len(train)} folds" if len(train) > 1 else ""
        folded = data.get("fold_in_ratings", [])
        learnt = [own - other for own, other in zip(train, folded or [0] * len(train), strict=True)]
        text += (
            f": {data['ratings']:,} ratings of {how_many(data['users'], 'user')} and "
            f"{how_many(data['items'], 'item')},{folds} {_range(learnt)} for training"
            f"{f', {_range(folded)} to fold in held-out users' if folded else ''} and "
            f"{_range(test)} for testing{' per fold' if folds else ''}"
        )
    left_out = [
        f"{words}: {own if isinstance(own, str) else format(own, ',')}."
        for name, words in _COUNTS.items()
        if (own := split.get(name))
    ]
    changed = [str(note) for note in notes if note.code in _CODES_OF_RATINGS]
    return [f"{text}.", *left_out, *changed]


def _lists(runs: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Tell which lists were made elsewhere, their depth and the order of equal scores."""
    depth, ties = settings.get("depth"), settings.get("ties")
    cut = {"auto": "cut where their lengths show it", "whole": "complete"}
    order = {"trec": "as in trec_eval", "random": "at random", "listed": "as listed"}
    told = f"Lists of {_listed(runs)} were made elsewhere"
    if depth is not None:
        told += f" and count as {cut.get(depth, f'cut at {depth}')}"
    if ties is not None:
        told += f"; items with equal scores are ordered {order.get(ties, 'by one rule')}"
    return f"{told}."


def _listed(names: Sequence[str]) -> str:
    """Join all names in full, unlike messages, which are shortened."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _range(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _users(values: Mapping[str, ValuesByUser], notes: Sequence[Note]) -> list[str]:
    """Tell how many users are averaged, and who is left out and why."""
    counts = dict.fromkeys(own.n_users for own in values.values())
    told = []
    if len(counts) == 1:
        told.append(f"These are {how_many(next(iter(counts)), 'user')}.")
    else:
        each = [f"{own.n_users:,} under {name}" for name, own in values.items()]
        told.append(f"These are {_listed(each)} users.")
    left_out = [str(note) for note in notes if note.code in _CODES_OF_USERS]
    return [*told, *left_out]


def _systems(settings: Mapping[str, Any]) -> list[str]:
    """Describe the systems, their parameters, and how they were tuned."""
    systems = settings.get("systems")
    if not systems:
        return []
    each: list[str] = []
    tuned: dict[str, list[str]] = {}
    untuned = []
    for name, own in systems.items():
        parameters = [f"{key}={value}" for key, value in own.get("parameters", {}).items()]
        text = own["class"] if own["class"] != name else ""
        inside = "; ".join(filter(None, [text, ", ".join(parameters)]))
        each.append(f"{name} ({inside})" if inside else name)
        trials = own.get("trials")
        if trials is None:
            untuned.append(name)
            continue
        record = settings.get("tuning", {}).get(name)
        by = "{metric} under {protocol} on validation data ({validation})"
        how = "on validation data" if record is None else f"by {by.format(**record)}"
        tuned.setdefault(how, []).append(f"{name} ({how_many(trials, 'trial')})")
    told = [f"{'Systems were' if len(each) > 1 else 'The system was'} {_listed(each)}."]
    told += [f"Tuned {how}: {_listed(own)}." for how, own in tuned.items()]
    if tuned and untuned:
        told.append(f"Not tuned: {_listed(untuned)}.")
    return told


def _of_other_means(
    values: Mapping[str, ValuesByUser],
    metrics: Sequence[str],
    of_all_users: Collection[str],
    settings: Mapping[str, Any],
) -> list[str]:
    """Tell what stands for the values of users in metrics that are no mean over users."""
    told = []
    has_folds = len(settings.get("data", {}).get("training_ratings", ())) > 1
    ratios = dict.fromkeys(place for own in values.values() for place in own.weighted_means)
    if ratios:
        told.append(
            f"Averages in {_listed([metrics[place] for place in ratios])} are ratios of sums over "
            f"users{' and folds' if has_folds else ''}, or functions of these; intervals, and "
            "tests that do not need a value per user, are of their linear approximation (Cochran "
            "1977, section 6.4)."
        )
    if together := [name for name in metrics if name in of_all_users]:
        told.append(
            f"Values of {_listed(together)} are of all users at once"
            + (" on each fold, averaged by numbers of users" if has_folds else "")
            + ": their intervals are by the "
            "jackknife, on the scale of log-odds between the bounds of the metric, or of "
            "logarithms if it has only a lower one (Miller 1974), and tests and effect sizes that "
            "do not need a value per user are of the pseudo-values of users."
        )
    return told


def _statistics(
    pairs: pd.DataFrame | None, comparison: ComparisonChoices, of_other_means: Sequence[str]
) -> list[str]:
    """Describe intervals, the test with its correction, effect sizes, margins and power."""
    told = [
        "Intervals are 95 % confidence intervals over users, by Student's t distribution.",
        *of_other_means,
    ]
    if pairs is None:
        return told
    n_pairs = int(pairs.groupby(["protocol", "metric"]).size().iloc[0])
    if comparison.reference is None:
        compared = f"All {how_many(n_pairs, 'pair')} of systems" if n_pairs > 1 else "The systems"
    else:
        compared = f"{how_many(n_pairs, 'system').capitalize()} and {comparison.reference}"
    text = (
        f"{compared} were compared over users under each metric by a two-sided "
        f"{comparison.in_words(pairs)}"
    )
    if n_pairs > 1 or comparison.test == "tukey-hsd":
        text += f" ({comparison.correction_in_words}"
        text += f" for {how_many(n_pairs, 'pair')})" if comparison.applied else ")"
    told.append(f"{text}, at the level {as_written(LEVEL)}.")
    effect, explained = EFFECTS_IN_WORDS[comparison.effect or "d_z"]
    told.append(f"The effect size is {effect}: {explained}.")
    if comparison.margin is not None:
        margins = comparison.margin
        each = (
            _listed([f"{value:g} for {name}" for name, value in margins.items()])
            if isinstance(margins, Mapping)
            else f"{margins:g}"
        )
        told.append(
            "Equivalence was tested by two one-sided t-tests, and non-inferiority by one, with "
            f"a margin of {each} ({comparison.correction_of_margins_in_words})."
        )
    if comparison.power is not None:
        told.append(
            "The smallest detectable differences are for a power of "
            f"{as_written(comparison.power)}."
        )
    return told


def _software(settings: Mapping[str, Any]) -> str:
    """Name the software with its versions, and the dialect."""
    named = [f"receval {receval_version()}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            named.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    dialect = settings.get("dialect")
    by = f", with the definitions of metrics of {dialect}" if dialect else ""
    return f"Values were computed with {_listed(named)}{by}."
