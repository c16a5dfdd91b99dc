# SPDX-License-Identifier: MIT
"""Save and load fitted recommenders as reproducible files of named arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from receval.storage.archives import Archive, write_archive
from receval.storage.files import refusing_damage
from receval.storage.messages import shortened

_PARTS = ("data", "indices", "indptr")
"""Arrays of a sparse array in CSR form, besides its shape."""


def model_file(folder: Path, number: int) -> Path:
    """Return the file of the model of a fold, in the folder of a system's models."""
    return folder / f"fold{number}.npz"


def write_model(
    path: Path, recommender: str, parameters: Mapping[str, Any], fitted: Mapping[str, Any]
) -> None:
    """Write a recommender with its parameters and fitted attributes as ``.npz``.

    The file has no pickle and no date, and is written atomically.

    Parameters
    ----------
    path : Path
        The file to write; its folder must exist.
    recommender : str
        ``module:class``.
    parameters : mapping
        Arguments of the class.
    fitted : mapping
        Arrays, sparse arrays in CSR form, numbers and strings by name.
    """
    entries: dict[str, Any] = {
        "recommender": np.array(recommender),
        "parameters": np.array(json.dumps(parameters, sort_keys=True)),
    }
    for name, value in sorted(fitted.items()):
        if isinstance(value, csr_array):
            for part in _PARTS:
                entries[f"{name}.{part}"] = getattr(value, part)
            entries[f"{name}.shape"] = np.array(value.shape, dtype=np.int64)
        else:
            entries[name] = np.asarray(value)
    # Not compressed: it would take long and save little.
    write_archive(Path(path), entries, compressed=False)


def read_model(path: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Read a file of :func:`write_model`: recommender, parameters and fitted attributes.

    Raises
    ------
    DamagedFileError
        The file is damaged.
    """
    path = Path(path)
    with Archive(path) as archive:
        recommender = str(archive.array("recommender", str, ()))
        encoded = str(archive.array("parameters", str, ()))
        entries = {
            name: archive.array(name)
            for name in archive.names
            if name not in ("recommender", "parameters")
        }
    with refusing_damage(path):
        parameters = json.loads(encoded)
        names = {entry.partition(".")[0] for entry in entries}
        return recommender, parameters, {name: _fitted(name, entries) for name in names}


def _fitted(name: str, entries: dict[str, Any]) -> Any:
    """Return a fitted attribute: a sparse array, a number, a string or an array."""
    if name in entries:
        return entries[name] if entries[name].ndim else entries[name].item()
    data, indices, indptr = (entries[f"{name}.{part}"] for part in _PARTS)
    if indices.dtype.kind != "i" or indptr.dtype.kind != "i":
        raise ValueError(f"the indices of {name} are no whole numbers")
    matrix = csr_array((data, indices, indptr), shape=tuple(entries[f"{name}.shape"].tolist()))
    # Kernels use indices without checking bounds.
    matrix.check_format(full_check=True)
    return matrix


AXES = {
    **dict.fromkeys(("counts_", "means_", "values_", "item_biases_"), "items"),
    **dict.fromkeys(("collection_", "log_priors_", "item_order_", "order_of_items_"), "items"),
    **dict.fromkeys(("user_biases_", "norms_", "masses_", "sizes_", "unseen_"), "users"),
    **dict.fromkeys(("states_", "crowded_ends_", "order_of_users_"), "users"),
    **dict.fromkeys(("user_factors_", "user_topics_"), "users factors"),
    **dict.fromkeys(("item_factors_", "topic_items_"), "factors items"),
    **dict.fromkeys(("profiles_", "rated_", "deviations_", "seen_", "from_users_"), "users items"),
    **dict.fromkeys(("raters_", "from_items_"), "items users"),
    **dict.fromkeys(("weights_", "gains_"), "items items"),
    "neighbours_": "users users",
    "singular_values_": "factors",
}
"""The axes of fitted arrays by name. Arrays of other names record losses."""

TRACES = frozenset(
    {"objective_", "loss_", "bound_", "divergence_", "squared_error_", "log_likelihood_"}
)
"""Arrays of any length, which are not used for scoring."""

_ORDERS = ("item_order_", "order_of_items_", "order_of_users_")


def check_fitted(model: Any, fitted: Mapping[str, Any], *, are_of_users: bool) -> None:
    """Refuse invalid fitted attributes, because kernels read arrays without checking bounds.

    Parameters
    ----------
    model : Recommender
    fitted : mapping
        As :func:`read_model` returns it.
    are_of_users : bool
        Whether similarities are between users (and not between items).

    Raises
    ------
    ValueError
        An array has a wrong shape for the model and its numbers of users and items, is not numeric,
        or has indices out of range.
    """
    users, items = model.n_users_, model.n_items_
    if not (isinstance(users, int) and isinstance(items, int) and users > 0 and items > 0):
        raise ValueError("it has no numbers of users and of items")
    own = model._own_users
    if not 0 <= own.start < own.stop <= users:
        raise ValueError(f"it was fitted for the users {own.start} to {own.stop - 1} of {users}")
    lengths = {"users": users, "items": items, "own": len(own)}
    axes = AXES | {"similarities_": "own users" if are_of_users else "items items"}
    # For one class, the values are ratings in the order of its deviations.
    ratings = fitted.get("ratings_")
    if isinstance(ratings, np.ndarray):
        lengths["entries"] = fitted["deviations_"].nnz
    axes["ratings_"] = "entries" if "entries" in lengths else "users items"
    for name, array in sorted(fitted.items()):
        if not isinstance(array, np.ndarray | csr_array) or name in TRACES:
            continue
        if name not in axes:
            raise ValueError(f"no model has {shortened(name)}")
        wanted = axes[name].split()
        numbers = array.data if isinstance(array, csr_array) else array
        if len(wanted) == array.ndim and numbers.dtype.kind in "fiu":
            shape = tuple(
                lengths.setdefault(axis, own) for axis, own in zip(wanted, array.shape, strict=True)
            )
            if shape == array.shape:
                continue
        raise ValueError(f"{name} has the shape {array.shape} for {users} users and {items} items")
    for name in _ORDERS:
        if name in fitted and not np.array_equal(
            np.sort(fitted[name]), np.arange(len(fitted[name]))
        ):
            raise ValueError(f"{name} does not have every place once")
    if "crowded_ends_" in fitted:
        starts, ends = fitted["deviations_"].indptr, fitted["crowded_ends_"]
        if (ends < starts[:-1]).any() or (ends > starts[1:]).any():
            raise ValueError("crowded_ends_ has places that are not there")
        if not 0 <= fitted["n_crowded_"] <= items:
            raise ValueError("n_crowded_ is more than the number of items")
