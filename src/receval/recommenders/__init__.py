# SPDX-License-Identifier: MIT
"""Recommender systems, one algorithm per module, with a common base class.

Examples
--------
A custom recommender, which recommends the items with the highest codes:

>>> import numpy as np
>>> from scipy.sparse import csr_array
>>> from receval.recommenders.base import Recommender
>>> class Newest(Recommender):
...     def __init__(self):
...         pass
...
...     def _fit(self, train):
...         pass
...
...     def _score_block(self, users, scores):
...         scores[:] = np.arange(self.n_items_)
>>> system = Newest().fit(csr_array(np.eye(3, dtype=np.float32)))
>>> system.score(np.array([1])).tolist()
[[0.0, 1.0, 2.0]]
"""
