# SPDX-License-Identifier: MIT
"""Which of the systems of an evaluation were tuned, and whether their comparison is fair."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from receval.evaluation.tuning_record import TuningRecord
from receval.notes import Note
from receval.recommenders.adapters.scores import GivenScores
from receval.recommenders.base import Recommender
from receval.splits.split_ratings import SplitRatings
from receval.storage.messages import enumerated, how_many

RECORD = "tuning"
"""The attribute in which a system that was tuned has its :class:`TuningRecord`."""


def digest_of_split(data: SplitRatings) -> str:
    """Return a digest of ratings and of which of them train and test in each fold.

    Splits sort their ratings, so it does not depend on the order of the rows that were read.
    """
    made = hashlib.blake2b(data.ratings.digest().encode(), digest_size=16)
    for codes in data.parts.codes:
        made.update(np.ascontiguousarray(codes).data)
    return made.hexdigest()


def tuning_records(systems: Mapping[str, Any]) -> dict[str, TuningRecord]:
    """Return the records of those systems that were tuned, by name."""
    found = {name: getattr(system, RECORD, None) for name, system in systems.items()}
    return {name: own for name, own in found.items() if isinstance(own, TuningRecord)}


def notes_on_tuning(
    records: Mapping[str, TuningRecord], systems: Mapping[str, Any], data: SplitRatings
) -> list[Note]:
    """Return notes on which systems were tuned, and where this makes a comparison unfair.

    There are none if no system was tuned. Systems without parameters have nothing to tune.
    """
    if not records:
        return []
    told = [f"{name} ({how_many(own.trials, 'trial')})" for name, own in records.items()]
    of = list(dict.fromkeys((own.metric, own.protocol) for own in records.values()))
    by = enumerated([f"{metric} under {protocol}" for metric, protocol in of])
    notes = [Note("tuned-systems", f"Tuned on a validation part by {by}: {enumerated(told)}.")]
    others = [name for name in systems if name not in records and _has_parameters(systems[name])]
    if others:
        text = (
            f"{enumerated(list(records))} {_were(records)} tuned, but nothing says that "
            f"{enumerated(others)} {_were(others)}. Differences between them may come from the "
            "tuning alone."
        )
        notes.append(Note("untuned-systems", text))
    most = max(own.trials for own in records.values())
    fewer = [n for n, own in records.items() if own.trials < most and not own.is_exhausted]
    if fewer:
        text = (
            f"{enumerated(fewer)} had fewer trials than the {most:,} of other systems, although "
            "there were further settings to try."
        )
        notes.append(Note("unequal-trials", text))
    here = digest_of_split(data)
    elsewhere = [name for name, own in records.items() if own.split != here]
    if elsewhere:
        text = (
            f"{enumerated(elsewhere)} {_were(elsewhere)} tuned on another split than this one, so "
            "that test ratings may have had a part in choosing the parameters."
        )
        notes.append(Note("tuned-elsewhere", text))
    return notes


def _were(names: Mapping[str, Any] | Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _has_parameters(system: Any) -> bool:
    """Tell whether a system may have been worth tuning; of a given array, nothing is known."""
    if isinstance(system, GivenScores):
        return True
    return not isinstance(system, Recommender) or bool(set(system.parameters) - {"seed"})
