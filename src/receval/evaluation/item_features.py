# SPDX-License-Identifier: MIT
"""Bring features of items into the codes of an evaluation, and say which items have none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.data.features import Features, named_alike, read_features
from receval.data.reading import ReadingReport
from receval.data.shared_identifiers import FEW, Meeting, doubts_on
from receval.metrics.metric import BaseMetric
from receval.metrics.whole_lists.calibration import BiasDisparity
from receval.metrics.whole_lists.list_metric import FeatureMetric, unknown_feature
from receval.notes import Note
from receval.storage.messages import enumerated

MOST_GROUPS = 50
"""The most groups of items or users; a feature with more values names them, such as titles."""


@dataclass(frozen=True)
class ItemFeatures:
    """Features of the items of an evaluation, by item code.

    ``has_value`` has for each feature an array of shape (n_items, n_values), also under the names
    that metrics use for it, and ``values`` their names. ``groups`` has for each feature by whose
    values items are grouped, and for each value, which items have it, shape (n_items,).
    """

    has_value: Mapping[str, csr_array] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, NDArray[np.bool_]]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    reading: tuple[ReadingReport, ...] = ()

    @property
    def settings(self) -> dict[str, list[str]]:
        """The settings to record in results, if there are features."""
        found = {
            "item_features": [own.source for own in self.reading],
            "item_groups": list(self.groups),
        }
        return {name: own for name, own in found.items() if own}

    @classmethod
    def of(
        cls,
        given: object,
        item_groups: str | Sequence[str] | None,
        metrics: Iterable[BaseMetric],
        item_ids: NDArray[np.str_],
    ) -> ItemFeatures:
        """Read features, and check that all metrics have theirs.

        ``given`` is what :func:`receval.data.features.read_features` reads, or a list or tuple of
        it; None without features. ``item_groups`` names features by whose values items are grouped.
        ``item_ids`` has the identifiers by code. A feature that a metric or a group needs and that
        is not known raises a ValueError. Features that cannot be read, or of which none is of an
        item, raise a TableError.
        """
        chosen = list(metrics)
        wanted = {
            metric.label: metric.needed_feature
            for metric in chosen
            if isinstance(metric, FeatureMetric)
        }
        grouped = [item_groups] if isinstance(item_groups, str) else list(item_groups or ())
        tables = (
            [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
        )
        read = [read_features(one, of="items") for one in tables]
        doubts: list[Note] = []
        for own in read:
            source = f"features ({own.reading.source})"
            doubts += doubts_on(Meeting("item", source, "ratings or lists", own.ids, item_ids))
        known = _joined(read)
        has_value: dict[str, csr_array] = dict(known.of(item_ids)) if known is not None else {}
        names = list(has_value)
        for label, name in wanted.items():
            if name is not None and not _add_alike(name, names, has_value):
                raise unknown_feature(label, name, names)
        for name in grouped:
            if not _add_alike(name, names, has_value):
                raise unknown_feature("item_groups", name, names)
        # Other metrics group items by a feature or, by default, by popularity.
        others = {own for own in (getattr(metric, "feature", None) for metric in chosen) if own}
        divided = [name for name in sorted(others) if _add_alike(name, names, has_value)]
        groups = {}
        values = (
            {} if known is None else {name: known.values[known.name(name)] for name in has_value}
        )
        for metric in chosen:
            if isinstance(metric, BiasDisparity):
                metric.index_among(values[metric.feature or ""])
        for name in grouped:
            labels = values[name]
            check_few_groups(name, labels)
            columns = csr_array(has_value[name]).toarray() > 0
            groups[name] = {label: columns[:, place] for place, label in enumerate(labels)}
        used = dict.fromkeys([*(name for name in wanted.values() if name), *grouped, *divided])
        return cls(
            has_value,
            values,
            groups,
            (*doubts, *(note for name in used for note in _missing(name, has_value[name]))),
            tuple(own.reading for own in read),
        )


def check_few_groups(name: str, labels: Collection[str]) -> None:
    """Refuse a feature with too many values to be groups."""
    if len(labels) > MOST_GROUPS:
        raise ValueError(
            f"{name} has {len(labels):,} values, such as {enumerated(list(labels)[:3])}, but there "
            f"can be at most {MOST_GROUPS} groups. Divide numbers into bins "
            "(read_features(..., bins=...), in a command --user-groups FILE:FEATURE/5), or choose "
            "another feature."
        )


def _joined(read: Sequence[Features]) -> Features | None:
    if not read:
        return None
    first, *others = read
    for own in others:
        first = first.joined(own)
    return first


def _add_alike(name: str, names: Sequence[str], has_value: dict[str, csr_array]) -> bool:
    """Add a feature under the name that is used for it, if there is one."""
    if name not in has_value:
        try:
            has_value[name] = has_value[named_alike(name, names, "the table")]
        except ValueError:
            return False
    return True


def _missing(name: str, has_value: csr_array) -> list[Note]:
    """Return a note on items without a value of a feature."""
    lacking = int((np.diff(has_value.indptr) == 0).sum())
    n_items = has_value.shape[0]
    if not lacking:
        return []
    text = f"{lacking:,} of {n_items:,} items have no {name}; metrics of {name} leave them out."
    is_most = n_items - lacking < FEW * n_items
    return [Note("few-identifiers-known" if is_most else "items-without-features", text)]
