# SPDX-License-Identifier: MIT
"""How a split is stored: a few bits per rating and fold, each fold readable on its own.

The file is a ``.npz`` archive with these members:

``palette``
    The distinct codes of the split, ascending, uint8.
``n_ratings``
    Number of ratings, int64.
``metadata``
    The split's metadata as UTF-8 JSON, uint8.
``fold0``, ``fold1``, ...
    Position in the palette of each rating's code, in ceil(log2(len(palette))) bit planes, least
    significant first, each packed eight ratings to a byte: uint8 of shape (planes, bytes). A split
    into train and test alone takes one bit per rating and fold before compression.

Equal splits give equal bytes (:func:`receval.storage.archives.write_archive`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from receval.storage.archives import Archive, write_archive
from receval.storage.files import DamagedFileError, refusing_damage

_BESIDE_FOLDS = ("palette", "n_ratings", "metadata")


class StoredCodes(Sequence[NDArray[np.uint8]]):
    """The codes of a stored split; each fold is read from the file when it is asked for.

    Parameters
    ----------
    path : Path
        A file that :func:`write_codes` wrote.

    Raises
    ------
    DamagedFileError
        The file is not a stored split; likewise when a fold is asked for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with Archive(path) as archive:
            self._palette: NDArray[np.uint8] = archive.array("palette", np.uint8, (None,))
            self.n_ratings = int(archive.array("n_ratings", np.int64, ()))
            encoded = archive.array("metadata", np.uint8, (None,)).tobytes()
            self._n_folds = sum(name.startswith("fold") for name in archive.names)
            archive.check_names((*_BESIDE_FOLDS, *map(_fold, range(self._n_folds))))
        with refusing_damage(path):
            self.metadata: dict[str, int | float | str | tuple[float, ...]] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in json.loads(encoded).items()
            }

    def __len__(self) -> int:
        return self._n_folds

    @overload
    def __getitem__(self, number: int) -> NDArray[np.uint8]: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[NDArray[np.uint8], ...]: ...

    def __getitem__(self, number: int | slice) -> NDArray[np.uint8] | tuple[NDArray[np.uint8], ...]:
        if isinstance(number, slice):
            return tuple(self[position] for position in range(*number.indices(len(self))))
        if not -len(self) <= number < len(self):
            raise IndexError(f"{self.path} holds {len(self)} folds, numbered from 0.")
        planes = self._planes(number % len(self))
        positions = np.zeros(self.n_ratings, dtype=np.uint8)
        for significance, plane in enumerate(planes):
            positions |= np.unpackbits(plane, count=self.n_ratings) << significance
        if positions.max(initial=0) >= len(self._palette) > 0:
            raise DamagedFileError(self.path, f"fold {number} has codes that no rating can have")
        return self._palette[positions]

    def _planes(self, number: int) -> NDArray[np.uint8]:
        """Read the bit planes of one fold, shape (planes, bytes)."""
        shape = (_n_planes(self._palette), _n_bytes(self.n_ratings))
        with Archive(self.path) as archive:
            return archive.array(_fold(number), np.uint8, shape)

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return (self[number] for number in range(len(self)))


def write_codes(
    path: Path,
    codes: Sequence[NDArray[np.uint8]],
    metadata: Mapping[str, int | float | str | tuple[float, ...]],
) -> None:
    """Write the codes and metadata of a split; the file appears whole or not at all.

    Parameters
    ----------
    path : Path
        The file to write; its folder is made if need be.
    codes : sequence of ndarray of uint8, shape (n_ratings,)
        One array per fold.
    metadata : mapping
        Numbers, strings and tuples of numbers by name.
    """
    used = np.zeros(256, dtype=bool)
    n_ratings = 0
    for fold_codes in codes:
        used |= np.bincount(fold_codes, minlength=256) > 0
        n_ratings = len(fold_codes)
    palette = np.flatnonzero(used).astype(np.uint8)
    position_of_code = np.zeros(256, dtype=np.uint8)
    position_of_code[palette] = np.arange(len(palette))
    n_planes = _n_planes(palette)
    arrays: dict[str, NDArray[np.generic]] = {
        "palette": palette,
        "n_ratings": np.array(n_ratings, dtype=np.int64),
        "metadata": np.frombuffer(
            json.dumps(dict(metadata), sort_keys=True).encode(), dtype=np.uint8
        ),
    }
    for number, fold_codes in enumerate(codes):
        positions = position_of_code[fold_codes]
        planes = np.empty((n_planes, _n_bytes(n_ratings)), dtype=np.uint8)
        for significance in range(n_planes):
            planes[significance] = np.packbits((positions >> significance) & 1)
        arrays[_fold(number)] = planes
    write_archive(path, arrays)


def _fold(number: int) -> str:
    return f"fold{number}"


def _n_planes(palette: NDArray[np.uint8]) -> int:
    return max(len(palette) - 1, 0).bit_length()


def _n_bytes(n_ratings: int) -> int:
    return (n_ratings + 7) // 8
