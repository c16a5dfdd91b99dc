# SPDX-License-Identifier: MIT
"""The base class of recommenders: parameters, `fit`, `score`, model files and class paths."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import ThreadpoolController

from receval.recommenders.checks import (
    Order,
    check_parameters,
    checked_matrix,
    checked_order,
    refuse_beyond_data,
)
from receval.recommenders.checks import RatingMatrix as RatingMatrix
from receval.storage.archives import Archive, write_archive
from receval.storage.files import refusing_damage
from receval.storage.messages import quoted, shortened
from receval.top_lists import ListSystem

# Limits the memory of a block of users besides its scores: 2**24 entries of 8 bytes are 128 MiB.
BLOCK_ENTRIES = 2**24
# The most users of a block: their scores of some thousand items are some MiB, which fit into
# caches.
BLOCK_USERS = 256


class Recommender(ListSystem, ABC):
    """A recommender system with its hyper-parameters.

    The constructor only checks and stores its parameters, each under its own name. :meth:`fit`
    stores what it learns in attributes whose names end in ``_`` (arrays, sparse arrays in CSR form,
    numbers, strings). :meth:`score` uses nothing else, so a loaded model scores without the
    ratings.

    The annotations of parameters say which values they accept; what is said of a parameter only
    there means the same in every system that has it. ``factors`` is the length of the vectors of
    users and items, ``topics`` and ``neighbours`` are numbers of these (k in the formulas), and
    ``iterations``, ``epochs`` and ``sweeps`` numbers of passes; ``learning_rate`` scales the steps,
    and ``regularisation`` a penalty on squared parameters. ``seed``, at least 0, seeds all random
    numbers: initial values, orders and draws. ``librec_seed`` repeats the draws of LibRec
    2.0.0 instead, from ``java.util.Random`` with this seed, at least 0
    (:mod:`receval.recommenders.librec.java_random`); LibRec processes users and items in the order
    of their first appearance, which is to be given to :meth:`fit`.

    Every system returns NaN if it cannot compute a score (the item is then not ranked); its
    docstring says when. A rating is an *entry* of the training matrix, whatever its value: an
    explicit 0 is a rating, a missing entry is not.

    Equal training data, parameters and seed give identical bytes, independently of the number of
    threads, cores or users scored at a time.

    Attributes
    ----------
    SHARED_OVER : tuple of str
        Parameters in which settings may differ that share work when trained and scored together
        (`receval.recommenders.model_grid`).
    n_users_, n_items_ : int
        Shape of the training matrix.
    order_of_users_, order_of_items_ : ndarray of int32
        The order given to :meth:`fit`, if any. Rows and columns of the other fitted attributes are
        then in that order.

    Notes
    -----
    To add a system, derive a dataclass from this class in a new module. Its fields are the
    parameters, whose annotations declare their bounds (`receval.recommenders.checks`); one is named
    ``seed`` where the system draws random numbers. Bounds that depend on another parameter are
    checked in ``__post_init__``. Write ``_fit`` and ``_score_block``; override ``check_size`` where
    a parameter is bounded by the size of the matrix. If several settings can share work, name the
    parameters in ``SHARED_OVER`` and override ``_fit_grid`` or ``_score_grid``. A numba kernel may
    call only kernels of its own module, because numba's cache does not detect changes in other
    files.

    Examples
    --------
    Rank items by the length of their names, without training:

    >>> class Shortest(Recommender):
    ...     def __init__(self, lengths=(3, 1, 2)):
    ...         self.lengths = lengths
    ...
    ...     def _fit(self, train):
    ...         self.scores_ = -np.array(self.lengths, dtype=np.float32)
    ...
    ...     def _score_block(self, users, scores):
    ...         scores[:] = self.scores_
    >>> train = csr_array(np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32))
    >>> Shortest().fit(train).score(np.array([1])).tolist()
    [[-3.0, -1.0, -2.0]]
    """

    SHARED_OVER: ClassVar[tuple[str, ...]] = ()

    predicts_ratings: ClassVar[bool] = False
    """Whether scores are predicted ratings, on the scale of the training ratings."""

    FITS_SOME_USERS: ClassVar[bool] = False
    """Whether fitting for some users takes less time and memory than fitting for all."""

    n_users_: int
    n_items_: int
    first_user_: int
    last_user_: int
    order_of_users_: NDArray[np.int32]
    order_of_items_: NDArray[np.int32]

    # Whether `similarities_`, if any, are between users or items.
    _similarities_are_of_users = False

    # A system that reads the same data for a block of any size may use larger blocks.
    _blocks_at_a_time = 1

    def __post_init__(self) -> None:
        """Check the parameters of a dataclass, and convert numbers of numpy to those of Python."""
        check_parameters(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments by name."""
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        return {name: getattr(self, name) for name in names}

    def check_size(self, n_users: int, n_items: int) -> None:
        """Refuse parameters that do not fit the size of the data.

        :meth:`fit` calls it first. If the size is known, it can be called before any data is read.

        Parameters
        ----------
        n_users, n_items : int
            Shape of the training matrix.

        Raises
        ------
        ValueError
            If a parameter, such as 50 factors, does not fit a matrix of that size.
        """
        # A custom class need not keep its arguments.
        names = inspect.signature(type(self).__init__).parameters
        kept = {name: getattr(self, name) for name in names if hasattr(self, name)}
        refuse_beyond_data(self, kept, n_users, n_items)

    @property
    def reads_test(self) -> bool:
        """Whether the system is an oracle, which also needs the test ratings in :meth:`fit`."""
        return False

    def fit(
        self,
        train: RatingMatrix,
        test: RatingMatrix | None = None,
        order: Order | None = None,
        users: range | None = None,
    ) -> Self:
        """Learn from the training ratings.

        Parameters
        ----------
        train : csr_array of float32, shape (n_users, n_items)
            The training ratings; entries of value 0 are ratings too. Repeated entries are summed.
            The matrix is not changed; the recommender may keep its arrays, so leave it unchanged.
        test : csr_array of float32, shape (n_users, n_items), optional
            The test ratings; only for oracles (:attr:`reads_test`).
        order : pair of ndarray of int, shapes (n_users,) and (n_items,), optional
            Codes of users and of items in the order in which the system processes them, by default
            ascending. It matters if a system breaks ties by it or draws random numbers in sequence.
            Scores are always in the order of the codes.
        users : range, optional
            Consecutive users to be scored, at least one, by default all; for systems with
            `FITS_SOME_USERS`. Their scores do not depend on it.

        Returns
        -------
        Self
            The recommender itself.

        Raises
        ------
        ValueError
            If a matrix has no entry or one that is not finite, or a parameter does not fit its
            size; if test and train differ in shape; if an oracle gets no test ratings, or another
            system gets some; if an order does not contain every code once; if there are no such
            users; or if the system cannot be fitted for some users only, or for these in a given
            order.
        TypeError
            If the matrix is not a sparse matrix.
        """
        if (test is not None) != self.reads_test:
            raise ValueError(
                f"{type(self).__name__} with the parameters {self.parameters} "
                + (
                    "is an oracle, which also learns from the test ratings. Pass them to fit."
                    if self.reads_test
                    else "is not an oracle, so it must not be given the test ratings."
                )
            )
        name = type(self).__name__
        ratings = checked_matrix(name, "training", train)
        self.check_size(*ratings.shape)
        known = None if test is None else checked_matrix(name, "test", test, ratings.shape)
        met = None if order is None else checked_order(order, ratings.shape)
        if users is not None:
            self._check_users(users, ratings.shape[0], is_ordered=met is not None)
        # All arguments are checked before this point, so that a refused fit leaves the model
        # unchanged.
        self.n_users_, self.n_items_ = ratings.shape
        for attribute in ("order_of_users_", "order_of_items_", "first_user_", "last_user_"):
            vars(self).pop(attribute, None)
        if users is not None:
            self.first_user_, self.last_user_ = users[0], users[-1]
        if met is not None:
            self.order_of_users_, self.order_of_items_ = met
            ratings = self._reordered(ratings)
            known = None if known is None else self._reordered(known)
        with on_one_thread():
            if known is None:
                self._fit(ratings)
            else:
                self._fit_knowing_test(ratings, known)
        return self

    def fold_in(self, ratings: RatingMatrix) -> Self:
        """Take the ratings of users who were not in the training data, without learning from them.

        Only systems with :attr:`can_fold_in` score such users by the ratings. What was learnt from
        the training ratings does not change.

        Parameters
        ----------
        ratings : csr_array of float32, shape (n_users, n_items)
            The ratings of these users; all other rows are empty.

        Returns
        -------
        Self
            The recommender itself.

        Raises
        ------
        ValueError
            If the system cannot fold in or is not fitted, the shape is not that of the training
            ratings, or a user has training ratings.

        Examples
        --------
        The new user 2 likes item 0, whose neighbour is item 1:

        >>> from receval.recommenders.knn import ItemKNN
        >>> train = csr_array(np.array([[5, 4, 0], [4, 5, 0], [0, 0, 0]], dtype=np.float32))
        >>> new = csr_array(np.array([[0, 0, 0], [0, 0, 0], [5, 0, 0]], dtype=np.float32))
        >>> scores = ItemKNN(neighbours=1).fit(train).fold_in(new).score(np.array([2]))
        >>> scores.round(2).tolist()
        [[nan, 4.880000114440918, nan]]
        """
        name = type(self).__name__
        if not self.can_fold_in:
            raise ValueError(
                f"{name} cannot recommend to users who were not in its training data. Choose "
                "Popularity, UserKNN, ItemKNN, SLIM or PureSVD, or a system of your own with "
                "fold_in(ratings)."
            )
        if not hasattr(self, "n_users_"):
            raise ValueError(f"{name} is not fitted: call fit before fold_in.")
        if hasattr(self, "first_user_"):
            raise ValueError(
                f"{name} was fitted for some users only, and cannot fold in others. Fit it without "
                "naming users."
            )
        shape = (self.n_users_, self.n_items_)
        own = checked_matrix(name, "fold-in", ratings, shape)
        if hasattr(self, "order_of_users_"):
            own = self._reordered(own)
        with on_one_thread():
            self._fold_in(own)
        return self

    @property
    def can_fold_in(self) -> bool:
        """Whether the system can score users by ratings on which it was not trained."""
        return type(self)._fold_in is not Recommender._fold_in

    def _fold_in(self, ratings: RatingMatrix) -> None:
        """Take the ratings of new users; overridden by systems that can fold in."""
        raise NotImplementedError

    def score(self, users: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Score every item for some users, including their training items.

        Users are scored in blocks, which limits the memory besides the result.

        Parameters
        ----------
        users : ndarray of int, shape (n,)
            Codes of users, in any order.

        Returns
        -------
        ndarray of float32, shape (n, n_items)
            Higher is better; NaN if the system cannot compute a score.

        Raises
        ------
        ValueError
            If the recommender is not fitted or a code is not in ``0..n_users-1``.
        """
        name = type(self).__name__
        if not hasattr(self, "n_users_"):
            raise ValueError(f"{type(self).__name__} is not fitted: call fit before score.")
        codes = np.asarray(users)
        if codes.ndim != 1 or (codes.size and not np.issubdtype(codes.dtype, np.integer)):
            raise ValueError(
                f"{type(self).__name__}.score takes a one-dimensional array of user codes, "
                f"but got shape {codes.shape} and type {codes.dtype}."
            )
        if codes.size and (codes.min() < 0 or codes.max() >= self.n_users_):
            raise ValueError(
                f"{type(self).__name__}.score got user codes from {codes.min()} to {codes.max()}, "
                f"but it was fitted on the users 0..{self.n_users_ - 1}."
            )
        own = self._own_users
        if codes.size and (codes.min() < own.start or codes.max() >= own.stop):
            raise ValueError(
                f"{name}.score got user codes from {codes.min()} to {codes.max()}, but it was "
                f"fitted only for the users {own.start}..{own.stop - 1}. Score these users, or fit "
                "it without naming users."
            )
        codes = np.ascontiguousarray(codes, dtype=np.int64)
        scores = np.full((len(codes), self.n_items_), np.nan, dtype=np.float32)
        step = self._users_at_a_time
        if not hasattr(self, "order_of_users_"):
            for start in range(0, len(codes), step):
                self._score_block(codes[start : start + step], scores[start : start + step])
            return scores
        indices = np.argsort(self.order_of_users_)
        for start in range(0, len(codes), step):
            met = np.full_like(scores[start : start + step], np.nan)
            self._score_block(indices[codes[start : start + step]], met)
            scores[start : start + step, self.order_of_items_] = met
        return scores

    @property
    def _own_users(self) -> range:
        """The users that can be scored."""
        last = getattr(self, "last_user_", self.n_users_ - 1)
        return range(int(getattr(self, "first_user_", 0)), int(last) + 1)

    def _check_users(self, users: range, n_users: int, *, is_ordered: bool) -> None:
        name = type(self).__name__
        if not self.FITS_SOME_USERS or is_ordered:
            raise ValueError(
                f"{name} learns for all users at once"
                + (" when it uses an order of its own" if self.FITS_SOME_USERS else "")
                + ". Fit it without naming users."
            )
        if not len(users) or users.step != 1 or users[0] < 0 or users[-1] >= n_users:
            raise ValueError(
                f"{name} cannot be fitted for {users} of {n_users} users. Name at least one user; "
                "the users must be consecutive and in the training ratings."
            )

    @property
    def _users_at_a_time(self) -> int:
        widest = max(self.n_users_, self.n_items_)
        return max(1, min(BLOCK_USERS * self._blocks_at_a_time, BLOCK_ENTRIES // widest))

    @abstractmethod
    def _fit(self, train: RatingMatrix) -> None:
        """Learn from a checked matrix: sorted, no repeated entries, int32 indices, float32."""

    def _fit_knowing_test(self, train: RatingMatrix, test: RatingMatrix) -> None:
        """Learn from checked matrices; only called where `reads_test` is true."""
        raise AssertionError(
            f"{type(self).__name__} reads the test ratings but has no way to learn from them."
        )

    @abstractmethod
    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        """Write the scores of a block of users into an array that is filled with NaN.

        A user's scores must be bitwise independent of the other users of the block. Do not use
        dense products of BLAS, whose order of summation depends on the shape (see
        `receval.recommenders.products`).
        """

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        """Fit settings that differ only in `SHARED_OVER`, with the same bytes as ``_fit``.

        The models may share fitted arrays, because they never change them.
        """
        for model in models:
            model._fit(train)

    @classmethod
    def _score_grid(
        cls, models: Sequence[Self], users: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> None:
        """Score a block for several settings, with the same bytes as ``_score_block``."""
        for model, own in zip(models, scores, strict=True):
            model._score_block(users, own)

    def save(self, path: Path) -> None:
        """Write parameters and fitted attributes as ``.npz``; equal models give equal files.

        Parameters
        ----------
        path : Path
            The file to write; its folder must exist.
        """
        fitted = {name: value for name, value in vars(self).items() if name.endswith("_")}
        write_model(path, self._class_path(), self.parameters, fitted)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file that :meth:`save` wrote.

        Parameters
        ----------
        path : Path
            A file written by a recommender of this class.

        Returns
        -------
        Self
            A recommender with the same parameters and fitted attributes.

        Raises
        ------
        ValueError
            If the file is damaged or forged, or holds a recommender of another class.
        """
        written_by, parameters, fitted = read_model(path)
        if written_by != cls._class_path():
            raise ValueError(
                f"{path} holds a {written_by}, but {cls._class_path()} was asked to load it."
            )
        model = cls(**parameters)
        vars(model).update(fitted)
        if cls.__module__.startswith("receval."):
            with refusing_damage(Path(path)):
                _check_fitted(model, fitted)
        return model

    @classmethod
    def _class_path(cls) -> str:
        return f"{cls.__module__}:{cls.__qualname__}"

    def _reordered(self, ratings: RatingMatrix) -> RatingMatrix:
        reordered: RatingMatrix = csr_array(ratings[self.order_of_users_][:, self.order_of_items_])
        return checked_matrix(type(self).__name__, "training", reordered)


# Class paths.


def make(class_path: str, parameters: Mapping[str, Any], seed: int) -> Recommender:
    """Construct a recommender from its class path and parameters.

    The class path names module and class, such as ``receval.recommenders.plsa:PLSA``; the module is
    imported only now. Parameters that are not given keep their defaults, and the seed is passed
    only to classes with a parameter ``seed``. The recommender is not fitted. A class that does not
    exist or is not a recommender, an unknown parameter, or a value outside its range raises a
    ValueError.

    Examples
    --------
    >>> system = make("receval.recommenders.knn:UserKNN", {"neighbours": 20}, seed=1)
    >>> system.parameters
    {'neighbours': 20, 'minimum_overlap': 1, 'threshold': None}
    """
    system = _find(class_path)
    accepted = list(inspect.signature(system.__init__).parameters)[1:]
    arguments = dict(parameters)
    if "seed" in arguments:
        raise ValueError(
            f"{system.__name__}: the parameter seed cannot be configured, because it is derived "
            "from the names of dataset, split and system. Remove it."
        )
    configurable = [name for name in accepted if name != "seed"]
    for name in arguments:
        if name not in configurable:
            listing = ", ".join(configurable) if configurable else "none"
            raise ValueError(
                f"{system.__name__} has no parameter {quoted(name)}; it accepts: {listing}."
            )
    if "seed" in accepted:
        arguments["seed"] = seed
    return system(**arguments)


def load(class_path: str, path: Path) -> Recommender:
    """Load a fitted recommender of a class, named as for :func:`make`, from a file."""
    return _find(class_path).load(path)


def _find(class_path: str) -> type[Recommender]:
    module_name, _, class_name = class_path.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"There is no recommender {quoted(class_path)} ({shortened(str(error), 150)}). A class "
            "path has the form 'package.module:Class', for example "
            "'receval.recommenders.plsa:PLSA'."
        ) from error
    if not (inspect.isclass(found) and issubclass(found, Recommender)):
        raise ValueError(
            f"{quoted(class_path)} is not a recommender: it must derive from Recommender."
        )
    return found


def imported(system: object, module: str, distribution: str) -> ModuleType:
    """Import a module of an optional package, such as ``"implicit.cpu.als"`` of ``"implicit"``.

    If the package is not installed, the message names the class of the system that needs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or module.partition(".")[0] != error.name.partition(".")[0]:
            raise
        raise ValueError(
            f"{type(system).__name__} is trained by the package {distribution}, which is not "
            f"installed. Install it (pip install {distribution}), or install receval with the "
            "extra 'workflow', which includes it."
        ) from error


# Threads: results do not depend on their number, because there is one.


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Limit linear algebra and OpenMP to one thread inside a ``with`` block."""
    with _controller(len(sys.modules)).limit(limits=1):
        yield


def find_threads() -> None:
    """Find the multi-threaded libraries before this process, or one forked from it, trains.

    The first search takes as long as training a small system.
    """
    _controller(len(sys.modules))


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> ThreadpoolController:
    """Find the loaded multi-threaded libraries, again if more modules were imported."""
    return ThreadpoolController()


# Files of fitted recommenders: reproducible archives of named arrays.

_PARTS = ("data", "indices", "indptr")
"""Arrays of a sparse array in CSR form, besides its shape."""


def model_file(folder: Path, number: int) -> Path:
    """Return the file of the model of a fold, in the folder of a system's models."""
    return folder / f"fold{number}.npz"


def write_model(
    path: Path, recommender: str, parameters: Mapping[str, Any], fitted: Mapping[str, Any]
) -> None:
    """Write a recommender (``module:class``) with its parameters and fitted attributes as ``.npz``.

    The attributes are arrays, sparse arrays in CSR form, numbers and strings by name. The file has
    no pickle and no date, and is written atomically.
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

    Raises `DamagedFileError` if the file is damaged.
    """
    path = Path(path)
    with Archive(path) as archive:
        recommender = str(archive.array("recommender", str, ()))
        encoded = str(archive.array("parameters", str, ()))
        names = [name for name in archive.names if name not in ("recommender", "parameters")]
        entries = {name: archive.array(name) for name in names}
    with refusing_damage(path):
        parameters = json.loads(encoded)
        attributes = {entry.partition(".")[0] for entry in entries}
        return recommender, parameters, {name: _fitted(name, entries) for name in attributes}


def _fitted(name: str, entries: dict[str, Any]) -> Any:
    """Return a fitted attribute: a sparse array, a number, a string or an array."""
    if name in entries:
        return entries[name] if entries[name].ndim else entries[name].item()
    data, indices, indptr = (entries[f"{name}.{part}"] for part in _PARTS)
    if indices.dtype.kind != "i" or indptr.dtype.kind != "i":
        raise ValueError(f"the indices of {name} are not whole numbers")
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


def _check_fitted(model: Recommender, fitted: Mapping[str, Any]) -> None:
    """Refuse invalid fitted attributes, because kernels read arrays without checking bounds."""
    users, items = model.n_users_, model.n_items_
    if not (isinstance(users, int) and isinstance(items, int) and users > 0 and items > 0):
        raise ValueError("it has no valid numbers of users and items")
    own = model._own_users
    if not 0 <= own.start < own.stop <= users:
        raise ValueError(
            f"it was fitted for the users {own.start} to {own.stop - 1}, but there are {users} "
            "users"
        )
    lengths = {"users": users, "items": items, "own": len(own)}
    axes = AXES | {
        "similarities_": "own users" if model._similarities_are_of_users else "items items"
    }
    # For one class, the values are ratings in the order of its deviations.
    ratings = fitted.get("ratings_")
    if isinstance(ratings, np.ndarray):
        lengths["entries"] = fitted["deviations_"].nnz
    axes["ratings_"] = "entries" if "entries" in lengths else "users items"
    for name, array in sorted(fitted.items()):
        if not isinstance(array, np.ndarray | csr_array) or name in TRACES:
            continue
        if name not in axes:
            raise ValueError(f"no recommender has the attribute {shortened(name)}")
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
            raise ValueError(f"{name} does not contain every position exactly once")
    if "crowded_ends_" in fitted:
        starts, ends = fitted["deviations_"].indptr, fitted["crowded_ends_"]
        if (ends < starts[:-1]).any() or (ends > starts[1:]).any():
            raise ValueError("crowded_ends_ contains positions that do not exist")
        if not 0 <= fitted["n_crowded_"] <= items:
            raise ValueError("n_crowded_ is more than the number of items")
