# SPDX-License-Identifier: MIT
"""Splits: which ratings train a system and which ratings test it.

Examples
--------
Four of the user's five ratings train (1), and the other one tests (2):

>>> import numpy as np
>>> from receval.data.ratings import Ratings
>>> from receval.splits.kinds import UserRatio, make_split
>>> ratings = Ratings(
...     users=np.zeros(5, dtype=np.int32),
...     items=np.arange(5, dtype=np.int32),
...     values=np.ones(5, dtype=np.float32),
...     user_ids=np.array(["ann"]),
...     item_ids=np.array(list("abcde")),
... )
>>> description = UserRatio(kind="user-ratio", train_ratio=0.8)
>>> split = make_split(ratings, description, 1, "mine", "user-80", auxiliary_files={})
>>> sorted(split.codes[0].tolist())
[1, 1, 1, 1, 2]
"""
