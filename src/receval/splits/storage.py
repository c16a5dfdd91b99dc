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

Equal splits give equal bytes (:func:`receval.storage.files.write_archive`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from receval.storage.files import write_archive


class StoredCodes(Sequence[NDArray[np.uint8]]):
    """The codes of a stored split; each fold is read from the file when it is asked for.

    Parameters
    ----------
    path : Path
        A file that :func:`write_codes` wrote.

    Raises
    ------
    ValueError
        If the file is not a stored split.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with np.load(path, allow_pickle=False) as archive:
                self._palette: NDArray[np.uint8] = archive["palette"]
                self.n_ratings = int(archive["n_ratings"])
                metadata = json.loads(archive["metadata"].tobytes())
                self.metadata: dict[str, int | float | str | tuple[float, ...]] = {
                    name: tuple(value) if isinstance(value, list) else value
                    for name, value in metadata.items()
                }
                self._n_folds = len([name for name in archive.files if name.startswith("fold")])
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"{path} is not a stored split ({error}): remove it and make the split again."
            ) from error

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
        return self._palette[positions]

    def _planes(self, number: int) -> NDArray[np.uint8]:
        """Read the bit planes of one fold, shape (planes, bytes)."""
        try:
            with np.load(self.path, allow_pickle=False) as archive:
                planes: NDArray[np.uint8] = np.asarray(archive[f"fold{number}"])
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"Fold {number} of {self.path} cannot be read ({error}): remove the file and make "
                "the split again."
            ) from error
        return planes

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
    n_planes = max(len(palette) - 1, 0).bit_length()
    arrays: dict[str, NDArray[np.generic]] = {
        "palette": palette,
        "n_ratings": np.array(n_ratings, dtype=np.int64),
        "metadata": np.frombuffer(
            json.dumps(dict(metadata), sort_keys=True).encode(), dtype=np.uint8
        ),
    }
    for number, fold_codes in enumerate(codes):
        positions = position_of_code[fold_codes]
        planes = np.empty((n_planes, (n_ratings + 7) // 8), dtype=np.uint8)
        for significance in range(n_planes):
            planes[significance] = np.packbits((positions >> significance) & 1)
        arrays[f"fold{number}"] = planes
    write_archive(path, arrays)
