# SPDX-License-Identifier: MIT
"""The base class of metrics of a feature of items, such as genres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.checked_arguments import check_fields
from receval.metrics.whole_lists.list_metric import ListMetric, RecommendedLists
from receval.storage.messages import enumerated, quoted

# Numbers of one block of users are held at a time: 16 MiB of float64.
_BLOCK_ENTRIES = 2**21


@dataclass(frozen=True, kw_only=True)
class FeatureMetric(ListMetric):
    """A metric of the values that the listed items have of one feature.

    Parameters
    ----------
    feature : str
        Needed: a name of ``item_features``.
    """

    feature_needed: ClassVar[bool] = True
    feature: str | None = None

    def __post_init__(self) -> None:
        check_fields(self, "feature")
        super().__post_init__()

    @property
    def needed_feature(self) -> str | None:
        """The name of the feature that must be known; None if no feature is needed.

        Raises
        ------
        ValueError
            The metric does not name its feature.
        """
        if not self.feature:
            raise ValueError(
                f"{self.label} needs the name of a feature of items, such as genre. Write "
                f"{self.name}(feature=genre)@{self.cutoff}."
            )
        return self.feature

    def has_value(self, recommended: RecommendedLists) -> csr_array:
        """Return which values of the feature each item has, shape (n_items, n_values).

        Raises
        ------
        ValueError
            The feature is not known.
        """
        wanted = self.needed_feature
        assert wanted is not None
        if wanted not in recommended.item_features:
            raise unknown_feature(self.label, wanted, list(recommended.item_features))
        return recommended.item_features[wanted]


def unknown_feature(label: str, feature: str, known: list[str]) -> ValueError:
    """Return an error for a metric whose feature is not among the known ones."""
    told = f"the features are {enumerated(known)}" if known else "no features of items were given"
    return ValueError(
        f"{label} needs the feature {quoted(feature)} of items, but {told}. Give the features "
        "with item_features=... of evaluate (in receval evaluate and receval runs: --item-features "
        "FILE). Systems cannot be tuned by this metric."
    )


def blocks_of_users(n_users: int, per_user: int) -> Iterator[slice]:
    """Yield blocks of users with a limited number of entries."""
    step = max(1, _BLOCK_ENTRIES // max(1, per_user))
    for start in range(0, n_users, step):
        yield slice(start, min(n_users, start + step))


def listed_values(
    has_value: csr_array, items: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the entry and the value of each value of some items, given by their codes.

    Examples
    --------
    >>> genres = csr_array(np.array([[1, 1], [0, 1]]))
    >>> listed_values(genres, np.array([1, 0]))
    (array([0, 1, 1]), array([1, 0, 1]))
    """
    lengths = np.diff(has_value.indptr)[items].astype(np.int64)
    starts = has_value.indptr[items].astype(np.int64)
    ends = np.cumsum(lengths)
    within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
    values = has_value.indices[np.repeat(starts, lengths) + within]
    return np.repeat(np.arange(len(items)), lengths), values.astype(np.int64)
