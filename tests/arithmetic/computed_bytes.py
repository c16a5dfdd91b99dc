# SPDX-License-Identifier: MIT
"""Digests of what BLAS, numba and numpy compute: run by ``test_one_arithmetic.py``.

python computed_bytes.py pinned    with the one arithmetic
python computed_bytes.py           with what the libraries choose for this processor
"""

from __future__ import annotations

import hashlib
import json
import sys

from receval.arithmetic import use_one_arithmetic

if sys.argv[1:] == ["pinned"]:
    use_one_arithmetic()

import numpy as np
from scipy.sparse import csr_array

from receval.provenance.used_arithmetic import used_arithmetic
from receval.recommenders.eals import EALS
from receval.recommenders.products import inner_products


def digest(numbers: np.ndarray) -> str:
    """Return a digest of the bytes of an array."""
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()[:16]


rng = np.random.default_rng(1)
train = csr_array((rng.random((300, 200)) < 0.1).astype(np.float32))
products = np.empty((50, 700), dtype=np.float32)
inner_products(
    rng.random((50, 33), dtype=np.float32), rng.random((33, 700), dtype=np.float32), products
)
print(
    json.dumps(
        {
            # Its Gram matrices are products of float32 by BLAS.
            "blas": digest(EALS(factors=20, iterations=3, seed=1).fit(train).item_factors_),
            "numba": digest(products),
            # No kernel has been seen whose bytes hang on the processor that numba compiles for.
            "numba's target": used_arithmetic()["numba"],
            "numpy": digest(np.add.reduce(np.log(rng.random((5000, 2))), axis=1)),
        }
    )
)
