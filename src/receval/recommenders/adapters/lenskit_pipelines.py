# SPDX-License-Identifier: MIT
"""Adapter for pipelines and scorers of LensKit (2025 or newer)."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.adapters.scores import libraries_of
from receval.top_lists import ListSystem

NEEDED = "LensKit 2025 or newer"


class AdaptedPipeline(ListSystem):
    """A pipeline of LensKit that receval trains and scores, made by :func:`of_lenskit`.

    The given pipeline is never changed: each :meth:`fit` trains a new one, ``pipeline_``, with the
    same configuration.
    """

    pipeline_: Any

    def __init__(self, pipeline: Any, component: str, seed: int) -> None:
        self._pipeline = pipeline
        self._component = component
        self._seed = seed
        self.predicts_ratings = component == "rating-predictor"

    def fit(self, train: csr_array) -> Self:
        """Train a pipeline on a dataset whose identifiers are the codes of users and items.

        An entry of 0 is a rating too; users and items without ratings are part of the dataset.
        """
        import pandas as pd

        data = _module("lenskit.data")
        ratings = train.tocoo()
        n_users, self._n_items = train.shape
        table = pd.DataFrame(
            {
                "user_id": ratings.row.astype(np.int64),
                "item_id": ratings.col.astype(np.int64),
                "rating": ratings.data.astype(np.float64),
            }
        )
        builder = data.DatasetBuilder()
        builder.add_entities("user", np.arange(n_users))
        builder.add_entities("item", np.arange(self._n_items))
        builder.add_interactions(
            "rating", table, entities=["user", "item"], missing="error", default=True
        )
        pipeline = self._pipeline.clone()
        options = _module("lenskit.training").TrainingOptions(rng=self._seed)
        pipeline.train(builder.build(), options)
        self._items = data.ItemList(item_ids=np.arange(self._n_items))
        self.pipeline_ = pipeline
        return self

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores of all items for some users, with one query per user.

        The shape is (n, n_items); an item for which the pipeline has no score is NaN.
        """
        scores = np.full((len(users), self._n_items), np.nan)
        node = self.pipeline_.node(self._component)
        for row, user in enumerate(users.tolist()):
            scored = self.pipeline_.run(node, query=user, items=self._items)
            # A pipeline may sort its items, or leave some out.
            scores[row, scored.ids()] = scored.scores()
        return scores


def of_lenskit(pipeline: Any, *, component: str = "scorer", seed: int = 0) -> AdaptedPipeline:
    """Turn a pipeline or a scorer of LensKit into a system.

    Parameters
    ----------
    pipeline : lenskit.pipeline.Pipeline or Component
        A scorer, such as ``lenskit.knn.ItemKNNScorer()``, is turned into a pipeline by LensKit's
        ``topn_pipeline``. It need not be trained.
    component : str
        The node whose scores rank the items: ``"scorer"``, as in LensKit's recommenders, or
        ``"rating-predictor"``.
    seed : int
        Seed of the random numbers of training.

    Raises
    ------
    ValueError
        It is not a pipeline or component of LensKit, LensKit is older than 2025, or the pipeline
        has no such node.
    """
    if "lenskit" not in libraries_of(pipeline):
        raise ValueError(
            f"A {type(pipeline).__name__} is neither a pipeline nor a scorer of LensKit. Give one, "
            "for example lenskit.knn.ItemKNNScorer()."
        )
    package = _module("lenskit.pipeline")
    if isinstance(pipeline, package.Component):
        pipeline = package.topn_pipeline(pipeline)
    if not isinstance(pipeline, package.Pipeline):
        raise ValueError(
            f"The {type(pipeline).__name__} of LensKit is neither a pipeline nor a component. Give "
            f"one of {NEEDED}."
        )
    if pipeline.node(component, missing="none") is None:
        names = ", ".join(node.name for node in pipeline.nodes())
        raise ValueError(
            f"The pipeline of LensKit has no node {component!r} to order the items by its scores. "
            f"Its nodes are {names}. Name one of them with component=."
        )
    return AdaptedPipeline(pipeline, component, seed)


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "lenskit":
            raise
        raise ValueError(
            f"There is no module {error.name}. Pipelines need {NEEDED} (pip install lenskit)."
        ) from error
