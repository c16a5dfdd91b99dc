"""The kinds of splits by name, and the one function that makes a split from its description."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from receval.ratings import Ratings
    from receval.splits.spec import SplitConfig
    from receval.splits.split import Split

SPLITTERS: Mapping[str, str] = MappingProxyType(
    {
        "random-ratio": "receval.splits.ratios:split_by_random_ratio",
        "user-ratio": "receval.splits.ratios:split_by_user_ratio",
        "k-fold": "receval.splits.partition:split_into_folds",
        "leave-out": "receval.splits.leave_out:split_leaving_out",
        "temporal": "receval.splits.temporal:split_by_time",
        "uniform-test": "receval.splits.uniform_test:split_with_uniform_test",
        "missing-at-random": "receval.splits.partition:split_with_unbiased_test",
        "anti-popular-familiarity": (
            "receval.simulation.anti_popular_familiarity:split_with_anti_popular_familiarity"
        ),
        "predefined": "receval.splits.predefined:predefined_split",
    }
)
"""Kind of split to ``module:function``; the modules are imported when they are needed."""


def make_split(
    ratings: Ratings,
    spec: SplitConfig,
    root_seed: int,
    dataset: str,
    name: str,
    auxiliary_files: Mapping[str, Path],
) -> Split:
    """Make the split that a configuration describes.

    Parameters
    ----------
    ratings : Ratings
        The ratings to split.
    spec : SplitConfig
        One of the models of :mod:`receval.splits.spec`: the kind of split and its parameters.
    root_seed : int
        The edition's root seed.
    dataset, name : str
        Names of the dataset and of the split. With the root seed and the fold they make the seed,
        so that a split depends neither on the splits made before it nor on any system.
    auxiliary_files : mapping of str to Path
        Files that lie beside the raw data, by name; splits of the kind "predefined" read one of
        them.

    Raises
    ------
    ValueError
        If a file that the split needs is not among the auxiliary files, or the data cannot be
        split so.
    """
    # Imported here, because whoever only asks for a name needs no numerics.
    from receval.seeds import generator
    from receval.splits.selection import selected_ratings

    def rng_for(choice: int | str) -> np.random.Generator:
        return generator(root_seed, dataset, name, choice)

    parameters = spec.model_dump(exclude={"kind", "selection"})
    if spec.kind == "predefined":
        file = parameters.pop("file")
        if file not in auxiliary_files:
            raise ValueError(
                f"The split '{name}' of the dataset '{dataset}' is given by the file '{file}', "
                f"which is not there: put it beside the dataset's raw files."
            )
        parameters["path"] = auxiliary_files[file]
    module, function = SPLITTERS[spec.kind].split(":")
    splitter = getattr(import_module(module), function)
    if spec.selection is None:
        whole: Split = splitter(ratings, rng_for, **parameters)
        return whole
    # The same ratings in every split that selects them so, whatever the split's name.
    selected = selected_ratings(
        ratings,
        lambda choice: generator(root_seed, dataset, choice),
        **spec.selection.model_dump(),
    )
    part: Split = splitter(ratings.select(selected), rng_for, **parameters)
    return part.spread_over(selected)
