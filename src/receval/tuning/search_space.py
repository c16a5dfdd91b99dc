# SPDX-License-Identifier: MIT
"""The settings that tuning tries: all of a grid, drawn at random, or proposed by Optuna."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np

from receval.metrics.own_metrics import digest_of_value
from receval.seeds import integer_seed
from receval.storage.messages import quoted, shortened
from receval.tuning.trials import Trial

_MOST_REPEATS = 30
_GRID = "grid"


class OptunaSearch:
    """The search of one system by Optuna's tree-structured Parzen estimator.

    A setting that was tried before is not tried again: Optuna is told its value, and asked for
    another one; if it repeats itself, the next setting of ``others`` that was not tried is taken,
    or the first one if all were. The proposals depend only on the seed and on the values.

    Parameters
    ----------
    space : SearchSpace
        Its distributions must be uniform, log-uniform or of whole numbers.
    others : sequence of settings
        As many settings as there are trials, drawn at random.
    less_is_better : bool
    seed : int
    """

    def __init__(
        self,
        space: SearchSpace,
        others: Sequence[dict[str, Any]],
        seed: int,
        *,
        less_is_better: bool,
    ) -> None:
        self._optuna = _imported()
        self._space = space
        self._others = others
        for grid in space.grids:
            for name, values in grid.items():
                if hasattr(values, "rvs"):
                    _ends(space.name, name, values)
        self._optuna.logging.set_verbosity(self._optuna.logging.ERROR)
        self._study = self._optuna.create_study(
            direction="minimize" if less_is_better else "maximize",
            sampler=self._optuna.samplers.TPESampler(seed=integer_seed(seed, "optuna", space.name)),
        )
        self._told: dict[str, Trial] = {}
        self._asked: Any = None

    def next_setting(self) -> dict[str, Any]:
        """Return a setting that was not tried yet, if any is left."""
        for _ in range(_MOST_REPEATS):
            self._asked = self._study.ask()
            found = self._proposed(self._asked)
            if (earlier := self._told.get(settings_as_json(found))) is None:
                return found
            self._tell(earlier)
        self._asked = None
        left = (own for own in self._others if settings_as_json(own) not in self._told)
        return next(left, self._others[0])

    def add(self, settings: dict[str, Any], trial: Trial) -> None:
        """Tell the outcome of the setting that was proposed last."""
        self._told[settings_as_json(settings)] = trial
        if self._asked is not None:
            self._tell(trial)

    def _tell(self, trial: Trial) -> None:
        if np.isnan(trial.value):
            self._study.tell(self._asked, state=self._optuna.trial.TrialState.FAIL)
        else:
            self._study.tell(self._asked, trial.value)

    def _proposed(self, asked: Any) -> dict[str, Any]:
        grids = self._space.grids
        number = asked.suggest_categorical(_GRID, range(len(grids))) if len(grids) > 1 else 0
        found = {}
        for name, values in grids[number].items():
            label = f"{number}:{name}"
            if not hasattr(values, "rvs"):
                # Values may be of any type, of which Optuna knows few.
                found[name] = values[asked.suggest_categorical(label, range(len(values)))]
                continue
            kind, low, high = _ends(self._space.name, name, values)
            if kind == "randint":
                found[name] = asked.suggest_int(label, int(low), int(high))
            else:
                found[name] = asked.suggest_float(label, low, high, log=kind == "loguniform")
        return plain_settings(found)


def _ends(system: str, parameter: str, values: Any) -> tuple[str, float, float]:
    """Return the kind of a distribution of scipy, and its smallest and largest values."""
    kind = getattr(getattr(values, "dist", None), "name", type(values).__name__)
    kind = "loguniform" if kind == "reciprocal" else kind
    if kind not in ("uniform", "loguniform", "randint"):
        raise ValueError(
            f"Optuna cannot draw {parameter} of {quoted(system)} from the distribution {kind}. "
            "Give scipy.stats.uniform, loguniform or randint, or a list of values, or set "
            "search='random'."
        )
    low, high = values.support()
    return kind, float(low), float(high)


def _imported() -> Any:
    try:
        import optuna
    except ModuleNotFoundError as error:
        if error.name != "optuna":
            raise
        raise ValueError(
            "The search 'optuna' needs Optuna, which is not installed. Install it with: pip "
            "install optuna scikit-learn."
        ) from error
    return optuna


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
            Values come from a distribution, but there is no budget; or settings are drawn, and
            scikit-learn is not installed.
        """
        if self.is_finite:
            count = sum(prod(map(len, grid.values())) for grid in self.grids)
            if budget is None or count <= budget:
                ordered = [dict(sorted(grid.items())) for grid in self.grids]
                whole = [
                    dict(zip(g, own, strict=True)) for g in ordered for own in product(*g.values())
                ]
                return [plain_settings(own) for own in whole], True
        if budget is None:
            raise ValueError(
                f"Parameters of {quoted(self.name)} are drawn from distributions. Say with budget= "
                "(in a command: --budget) how many trials there are."
            )
        drawn = _sampler_of_sklearn()(
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
        """A text that tells what makes the system from others, the same in any process."""
        make: Any = self.make
        while isinstance(make, partial):
            make = make.func
        name = getattr(make, "__qualname__", type(make).__qualname__)
        digest = "" if isinstance(self.make, type) else digest_of_value(self.make)
        return f"{getattr(make, '__module__', '')}:{name}{digest}"


def settings_as_json(value: object) -> str:
    """Return parameters as JSON; what JSON lacks is told from others that are printed alike."""

    def told(own: object) -> object:
        return own.item() if isinstance(own, np.generic) else digest_of_value(own)

    return json.dumps(value, sort_keys=True, default=told)


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
        return list({settings_as_json(value): value for value in values}.values())
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


def _sampler_of_sklearn() -> Any:
    try:
        from sklearn.model_selection import ParameterSampler
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "sklearn":
            raise
        raise ValueError(
            "Settings are drawn by scikit-learn, which is not installed. Install it (pip install "
            "scikit-learn), or give lists of values only, and leave out the budget to try all."
        ) from error
    return ParameterSampler
