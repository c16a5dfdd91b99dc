# SPDX-License-Identifier: MIT
"""Let Optuna propose the settings of a system, each from the values of those before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from receval.seeds import integer_seed
from receval.storage.messages import quoted
from receval.tuning.search_space import SearchSpace, plain_settings, settings_as_json
from receval.tuning.trials import Trial

_MOST_REPEATS = 30
_GRID = "grid"


class OptunaSearch:
    """The search of one system by Optuna's tree-structured Parzen estimator.

    A setting that was tried before is not tried again: Optuna is told its value, and asked for
    another one; if it repeats itself, the next setting of ``others`` that was not tried is taken.
    The proposals depend only on the seed and on the values.

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
        """Return a setting that was not tried yet."""
        for _ in range(_MOST_REPEATS):
            self._asked = self._study.ask()
            found = self._proposed(self._asked)
            if (earlier := self._told.get(settings_as_json(found))) is None:
                return found
            self._tell(earlier)
        self._asked = None
        return next(own for own in self._others if settings_as_json(own) not in self._told)

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
            "install 'receval[optuna]'."
        ) from error
    return optuna
