# SPDX-License-Identifier: MIT
"""The settings of a system that tuning tries: all of a grid, or some drawn at random."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from receval.seeds import integer_seed
from receval.storage.messages import quoted, shortened


@dataclass(frozen=True)
class SearchSpace:
    """A function that makes a system, and the values to try of its parameters.

    Several grids are tried one after the other, as for parameters that only go together. The values
    are lists or distributions of scipy.

    Examples
    --------
    >>> from receval.recommenders.knn import UserKNN
    >>> space = SearchSpace.of("kNN", (UserKNN, {"neighbours": [5, 10], "minimum_overlap": 2}))
    >>> space.settings(None, seed=1)
    ([{'minimum_overlap': 2, 'neighbours': 5}, {'minimum_overlap': 2, 'neighbours': 10}], True)
    """

    name: str
    make: Callable[..., Any]
    grids: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, name: str, given: Any) -> SearchSpace:
        """Check what a caller gives for one system: a pair of a class and its values."""
        if not (isinstance(given, tuple) and len(given) == 2 and callable(given[0])):
            raise ValueError(
                f"The system {quoted(name)} must be a pair of a class, or another function that "
                "makes a system, and the values to try, such as (rv.UserKNN, {'neighbours': [20, "
                f"50]}}), but it is a {type(given).__name__}."
            )
        make, grids = given
        listed = [grids] if isinstance(grids, Mapping) else grids
        if not isinstance(listed, Sequence) or not all(isinstance(one, Mapping) for one in listed):
            raise ValueError(
                f"The values to try of {quoted(name)} are a {type(grids).__name__}. Give a mapping "
                "of parameters to lists, or several such mappings in a list."
            )
        found = tuple({k: _values(name, str(k), v) for k, v in one.items()} for one in listed)
        if not any(found):
            raise ValueError(
                f"There is no parameter of {quoted(name)} to tune. Give values to try, such as "
                "{'neighbours': [20, 50, 100]}."
            )
        return cls(name, make, found)

    @property
    def is_finite(self) -> bool:
        """Whether all values are in lists."""
        return not any(hasattr(own, "rvs") for grid in self.grids for own in grid.values())

    def settings(self, budget: int | None, seed: int) -> tuple[list[dict[str, Any]], bool]:
        """Return the settings to try, and whether there are no others.

        Without a budget, or if there are no more settings than it, they are all combinations in the
        order of scikit-learn's ``ParameterGrid``. Otherwise ``ParameterSampler`` draws as many as
        the budget: from lists without repetition, from distributions independently.

        Raises
        ------
        ValueError
            Values come from a distribution, but there is no budget; or scikit-learn is not
            installed.
        """
        grid_of, sampler_of = _of_sklearn()
        if self.is_finite:
            whole = grid_of([dict(grid) for grid in self.grids])
            if budget is None or len(whole) <= budget:
                return [plain_settings(own) for own in whole], True
        if budget is None:
            raise ValueError(
                f"Parameters of {quoted(self.name)} are drawn from distributions. Say with budget= "
                "(in a command: --budget) how many trials there are."
            )
        drawn = sampler_of(
            [dict(grid) for grid in self.grids],
            n_iter=budget,
            random_state=integer_seed(seed, "tuning", self.name),
        )
        return [plain_settings(own) for own in drawn], False

    def check(self, settings: Sequence[Mapping[str, Any]]) -> None:
        """Refuse settings none of which makes a system, such as those of a wrong parameter."""
        failures = []
        for own in settings:
            try:
                self.make(**own)
            except Exception as error:
                failures.append(error)
            else:
                return
        raise ValueError(
            f"No setting of {quoted(self.name)} makes a system. The first one fails with: "
            f"{shortened(str(failures[0]), 300)}"
        ) from failures[0]

    @property
    def maker(self) -> str:
        """A name of the function that makes the system, to recognise it in another process."""
        make: Any = self.make
        given: tuple[Any, ...] = ()
        while isinstance(make, partial):
            given = (*make.args, *sorted(make.keywords.items()), *given)
            make = make.func
        name = getattr(make, "__qualname__", type(make).__qualname__)
        return f"{getattr(make, '__module__', '')}:{name}{given or ''}"


def settings_as_json(value: object) -> str:
    """Return parameters as JSON; what JSON lacks is named by its ``repr``."""
    return json.dumps(value, sort_keys=True, default=repr)


def _values(system: str, parameter: str, given: Any) -> Any:
    """Return values to try as a list without repeats, or a distribution."""
    if hasattr(given, "rvs"):
        return given
    if isinstance(given, str | bytes | bool | int | float | np.generic | None):
        return [given]
    if isinstance(given, np.ndarray | range | list | tuple):
        values = given.tolist() if isinstance(given, np.ndarray) else list(given)
        if not values:
            raise ValueError(
                f"There is no value of {parameter} to try for {quoted(system)}. Give one or more."
            )
        return list({repr(value): value for value in values}.values())
    raise ValueError(
        f"The values of {parameter} to try for {quoted(system)} are a {type(given).__name__}. Give "
        "a list, a distribution of scipy.stats, or one value."
    )


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with numbers of Python instead of those of numpy, sorted by name."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in sorted(settings.items())
    }


def _of_sklearn() -> tuple[Any, Any]:
    try:
        from sklearn.model_selection import ParameterGrid, ParameterSampler
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "sklearn":
            raise
        raise ValueError(
            "Tuning needs scikit-learn, which is not installed. Install it with: pip install "
            "'receval[sklearn]'."
        ) from error
    return ParameterGrid, ParameterSampler
