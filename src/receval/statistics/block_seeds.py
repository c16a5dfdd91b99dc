"""Seeds of blocks of random samples: results do not depend on which thread draws a block."""

from __future__ import annotations

import numpy as np


def block_seed(seed: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """Return the seed of a block by its number.

    Not ``seed.spawn``, which counts its calls and would give other children the next time.
    """
    return np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size
    )
