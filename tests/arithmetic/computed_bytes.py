# SPDX-License-Identifier: MIT
"""Digests of what BLAS, numba and numpy compute: run by ``test_one_arithmetic.py``.

python computed_bytes.py pinned    with the one arithmetic
python computed_bytes.py           with what the libraries choose for this processor

With the one arithmetic, the command is run as well. Without it nothing is compiled, and the names
of the environment's variables that the library has changed are printed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import redirect_stdout
from io import StringIO

if sys.argv[1:] == ["pinned"]:
    from receval.arithmetic import use_one_arithmetic

    use_one_arithmetic()
    CHANGED = None
else:
    before = dict(os.environ)
    import receval

    assert all((receval.UserKNN, receval.evaluate, receval.read_ratings))
    CHANGED = sorted(name for name, _ in before.items() ^ os.environ.items())

import numpy as np
from scipy.sparse import csr_array

from receval.cli.main import main
from receval.recommenders.eals import EALS
from receval.recommenders.products import inner_products
from reproduction.workflow.provenance.versions import used_arithmetic


def digest(numbers: np.ndarray) -> str:
    """Return a digest of the bytes of an array."""
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()[:16]


def said_by_the_command() -> str:
    """Return what ``receval repo versions`` prints."""
    with redirect_stdout(StringIO()) as said:
        main(["repo", "versions"])
    return said.getvalue()


rng = np.random.default_rng(1)
train = csr_array((rng.random((300, 200)) < 0.1).astype(np.float32))
products = np.empty((50, 700), dtype=np.float32)
left, right = rng.random((50, 33), dtype=np.float32), rng.random((33, 700), dtype=np.float32)
printed = {
    # No kernel has been seen whose bytes hang on the processor that numba compiles for.
    "numba's target": used_arithmetic()["numba"],
    "numpy": digest(np.add.reduce(np.log(rng.random((5000, 2))), axis=1)),
    "blas": digest(rng.random((40, 300)) @ rng.random((300, 30))),
}
if CHANGED is None:
    inner_products(left, right, products)
    printed |= {
        # Its Gram matrices are products of float32 by BLAS.
        "eals": digest(EALS(factors=20, iterations=3, seed=1).fit(train).item_factors_),
        "numba": digest(products),
        "versions": said_by_the_command(),
    }
print(json.dumps(printed | {"changed": CHANGED}))
