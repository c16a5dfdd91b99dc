"""Codes for raw identifiers, given by order of first appearance."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class IdentifierEncoder:
    """Gives each identifier the next code when it is first seen.

    Codes depend on the order of the raw rows alone, so that a file can be read in pieces of any
    size and still gives the same table.
    """

    def __init__(self) -> None:
        self._codes: dict[int | str, int] = {}

    def encode(self, identifiers: pa.Array | pa.ChunkedArray | NDArray | list[str]) -> NDArray:
        """Return the codes of some identifiers.

        Parameters
        ----------
        identifiers : arrow array, ndarray or list, shape (n,)
            Integers or strings, the same kind at every call.

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        array = identifiers
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        elif not isinstance(array, pa.Array):
            array = pa.array(array)
        encoded = array.dictionary_encode()
        # Only distinct identifiers pass through Python, once per piece of the file.
        codes: NDArray[np.int32] = np.fromiter(
            (
                self._codes.setdefault(identifier, len(self._codes))
                for identifier in encoded.dictionary.to_pylist()
            ),
            dtype=np.int32,
            count=len(encoded.dictionary),
        )
        indices: NDArray[np.int32] = encoded.indices.to_numpy()
        return codes[indices]

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def ids(self) -> NDArray[np.str_]:
        """Identifiers by code, as strings, shape (number of identifiers,)."""
        return np.array([str(identifier) for identifier in self._codes], dtype=np.str_)
