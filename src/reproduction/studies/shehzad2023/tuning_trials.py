# SPDX-License-Identifier: MIT
"""nDCG@10 of systems with default, random and tuned parameters, and who leads if one is tuned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.figures.tables import Table, printed
from receval.seeds import GeneratorFor, generator, integer_seed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.bars import strips
from reproduction.studies._shared.heat_map import coloured_cells, two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.splits.split_ratings import SplitRatings

STUDY = "shehzad2023"

TITLES = {
    "user-knn": "User kNN",
    "item-knn": "Item kNN",
    "ease": "EASE",
    "puresvd": "PureSVD",
    "wrmf": "WRMF",
    "bprmf": "BPRMF",
}
"""The systems that have parameters to tune, in the order of tables and figures."""

POP = "pop"

DEFAULT = 0
"""The number of the trial with the default parameters; random ones count from 1."""

METRIC, PROTOCOL = "nDCG@10", "AR AI"


def chosen_interactions(
    ratings: Ratings, rng_for: GeneratorFor, lowest: int, core: int, users: int
) -> Ratings:
    """Return the positive ratings of some random users, as ones, without rare users and items.

    Ratings from the lowest value on are positive. Of a dataset that says which items users knew,
    only ratings of these count. Users are drawn before those of fewer interactions than the core
    are removed.
    """
    from receval.splits.selection import selected_ratings

    chosen = ratings.values >= lowest
    if ratings.known is not None:
        chosen &= ratings.known
    positive = ratings.select(chosen).compacted()
    drawn = rng_for("users").permutation(positive.n_users)[:users]
    some = positive.select(np.isin(positive.users, drawn))
    kept = selected_ratings(some, rng_for, min_user_ratings=core, min_item_ratings=core)
    left = some.select(kept).compacted()
    return replace(left, values=np.ones_like(left.values))


def searched_systems(seed: int) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return the class of each system and the values to draw its parameters from.

    The range of EASE is that of the released code; the others are ours.
    """
    from scipy.stats import loguniform

    from receval.recommenders.bprmf import BPRMF
    from receval.recommenders.ease import EASE
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.puresvd import PureSVD
    from receval.recommenders.wrmf import WRMF

    neighbours = {"neighbours": [5, 10, 20, 40, 60, 80, 100, 150, 200, 250]}
    factors = [5, 10, 20, 40]
    return {
        "user-knn": (UserKNN, neighbours),
        "item-knn": (ItemKNN, neighbours),
        "ease": (EASE, {"regularisation": loguniform(np.exp(2.72), np.exp(16))}),
        "puresvd": (PureSVD, {"factors": [2, 5, 10, 15, 20, 30, 40, 60, 80, 100]}),
        "wrmf": (
            WRMF,
            {
                "factors": factors,
                "regularisation": loguniform(0.01, 100),
                "alpha": loguniform(0.5, 50),
                "seed": seed,
            },
        ),
        "bprmf": (
            BPRMF,
            {
                "factors": factors,
                "learning_rate": loguniform(0.001, 0.1),
                "epochs": [10, 30, 50],
                "seed": seed,
            },
        ),
    }


def tested_trials(split: SplitRatings, trials: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield system, trial, its parameters in words, and its values on validation and test.

    :func:`receval.tuning.tune.tune` draws the parameters, and measures each trial on a validation
    part of the training ratings. Here each is trained on all of them and measured on the test, too.
    """
    from receval.evaluation.systems import evaluate_systems
    from receval.evaluation.tuning_record import settings_in_words
    from receval.recommenders.non_personalised import Popularity
    from receval.tuning.tune import tune

    searched = searched_systems(seed)
    tuned = tune(
        split,
        searched,
        metric=METRIC,
        protocol=PROTOCOL,
        relevant=1.0,
        budget=trials,
        seed=seed,
        jobs=1,
    )
    systems: dict[str, Any] = {POP: Popularity()}
    rows: list[dict[str, Any]] = [{"system": POP, "trial": DEFAULT, "parameters": ""}]
    for name, (make, grid) in searched.items():
        fixed = {"seed": seed} if "seed" in grid else {}
        record = tuned.records[name]
        for trial, settings in enumerate([fixed, *record.settings]):
            systems[f"{name} {trial}"] = make(**settings)
            named = {key: value for key, value in settings.items() if key != "seed"}
            value = np.nan if trial == DEFAULT else record.values[trial - 1]
            words = "default" if trial == DEFAULT else settings_in_words(named)
            rows.append({"system": name, "trial": trial, "parameters": words, "validation": value})
    result = evaluate_systems(split, systems, metrics=METRIC, protocols=PROTOCOL, relevant=1.0)
    (values,) = result.values.values()
    for row, value in zip(rows, values.means[0], strict=True):
        yield {"validation": np.nan, **row, "test": float(value)}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure all systems with their default and with random parameters, on all random splits.

    Parameters of the artifact: ``draws``, the number of splits; ``trials``, how many random
    settings each system has; and, by the name of each dataset, ``lowest``, ``core`` and ``users``
    of :func:`chosen_interactions`. Of each user's interactions 80 % train. Of these, 80 % train for
    the validation.

    Columns: dataset; draw; system; trial (0 has the default parameters; the others are the random
    settings); parameters (in words); validation and test (mean nDCG@10 over users on the validation
    part of the training ratings, and on the test).
    """

    from receval.splits.split_ratings import split

    trials = int(inputs.parameters["trials"])
    rows = []
    for dataset, ratings in inputs.all_ratings():
        chosen = inputs.parameters[dataset]
        for draw_number in range(int(inputs.parameters["draws"])):
            rng_for = partial(generator, inputs.seed, STUDY, dataset, draw_number)
            seed = integer_seed(inputs.seed, STUDY, dataset, draw_number)
            played = chosen_interactions(ratings, rng_for, *chosen)
            parts = split(played, "user-ratio", train_ratio=0.8, seed=seed)
            names = {"dataset": dataset, "draw": draw_number}
            rows += [{**names, **row} for row in tested_trials(parts, trials, seed)]
    columns = ["dataset", "draw", "system", "trial", "parameters", "validation", "test"]
    return pd.DataFrame(rows)[columns]


@dataclass(frozen=True)
class Choices:
    """Values on the test of one dataset, by what chose the parameters.

    - ``default``, ``tuned``, ``worst``, ``chosen_on_test``: With the default parameters; those of
      the random settings with the best value on the validation part; and the settings with the
      worst and the best value on the test.
    - ``random``: With each random setting.
    - ``pop``: Popularity, which has no parameter.
    """

    default: NDArray[np.float64]
    tuned: NDArray[np.float64]
    random: NDArray[np.float64]
    pop: NDArray[np.float64]

    @classmethod
    def of(cls, results: pd.DataFrame) -> Choices:
        """Read the rows of one dataset."""
        numbers = results.assign(
            **{name: real_values(results[name]) for name in ("validation", "test")}
        )

        def by_trial(column: str) -> NDArray[np.float64]:
            own = numbers[numbers["system"] != POP]
            tables = own.pivot_table(column, "draw", ["system", "trial"], dropna=False)
            return np.stack([tables[name].to_numpy(dtype=np.float64) for name in TITLES], axis=1)

        test, validation = by_trial("test"), by_trial("validation")
        random = test[:, :, 1:]
        best = validation[:, :, 1:].argmax(axis=2)[:, :, None]
        return cls(
            default=test[:, :, DEFAULT],
            tuned=np.take_along_axis(random, best, axis=2)[:, :, 0],
            random=random,
            pop=numbers.loc[numbers["system"] == POP, "test"].to_numpy(dtype=np.float64),
        )

    @property
    def worst(self) -> NDArray[np.float64]:
        return np.asarray(self.random.min(axis=2))

    @property
    def chosen_on_test(self) -> NDArray[np.float64]:
        return np.asarray(self.random.max(axis=2))


def shares_ahead(tuned: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return on which share of the draws each tuned system is ahead of each other one.

    Examples
    --------
    The first tuned system is ahead of the second one on both draws, the second of the first on one:

    >>> shares_ahead(np.array([[0.4, 0.3], [0.4, 0.2]]), np.array([[0.2, 0.3], [0.2, 0.3]]))
    array([[1. , 1. ],
           [0.5, 0. ]])
    """
    return np.asarray((tuned[:, :, None] > others[:, None, :]).mean(axis=0))


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw values by choice of parameters, and how often tuned systems lead untuned ones."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 7.0)
    panels = figure.subplots(
        3, len(datasets), squeeze=False, gridspec_kw={"height_ratios": [1.1, 1, 1]}
    )
    for place, dataset in enumerate(datasets):
        choices = Choices.of(results[results["dataset"] == dataset])
        title = display.datasets[dataset]
        _draw_values(panels[0, place], choices, named=place == 0)
        panels[0, place].set_title(f"{title}, by parameters")
        for axes, others, words in (
            (panels[1, place], choices.default, "defaults"),
            (panels[2, place], choices.worst, "worst trials"),
        ):
            image = _draw_shares(axes, choices, others)
            axes.set_title(f"{title}, against {words}")
    for axes in panels[1:, 0]:
        axes.set_ylabel("Tuned")
    for axes in panels[2]:
        axes.set_xlabel("Not tuned")
    letter_panels(panels.ravel())
    figure.colorbar(image, ax=list(panels[1:].ravel()), label="Share of splits", aspect=30)
    legend_below(figure)
    return figure


def _draw_values(axes: Axes, choices: Choices, *, named: bool) -> None:
    rows = {
        title: (
            float(choices.worst[:, place].mean()),
            float(choices.chosen_on_test[:, place].mean()),
            choices.default[:, place],
            choices.tuned[:, place],
        )
        for place, title in enumerate(TITLES.values())
    }
    labels = (
        "From the worst to the best trial",
        "Default parameters",
        "Tuned on a validation part",
    )
    strips(axes, rows, labels if named else None, 0.2)
    label = "Pop, which has no parameter" if named else None
    pop = float(choices.pop.mean())
    axes.axvline(pop, color="black", linewidth=0.8, linestyle="--", label=label)
    axes.set_xlabel(METRIC)


def _draw_shares(axes: Axes, choices: Choices, others: NDArray[np.float64]) -> AxesImage:
    with_pop = np.column_stack([others, choices.pop])
    rows = list(TITLES.values())
    image = coloured_cells(axes, shares_ahead(choices.tuned, with_pop), rows, [*rows, "Pop"], 0, 1)
    axes.set_aspect("auto")
    axes.tick_params(axis="x", rotation=90)
    return image


def leads(tuned: NDArray[np.float64], others: NDArray[np.float64], place: int) -> NDArray[np.bool_]:
    """Mark the draws on which one tuned system is ahead of all others, shape (n_draws,)."""
    rest = np.delete(others, place, axis=1)
    return np.asarray((tuned[:, place, None] > rest).all(axis=1))


def share_of_random_leads(choices: Choices, place: int) -> float:
    """Return how probable it is that one tuned system leads if the others draw one trial each.

    Each other system takes each of its random settings with the same probability, independently.
    """
    ahead = choices.tuned[:, place, None, None] > np.delete(choices.random, place, axis=1)
    return float(ahead.mean(axis=2).prod(axis=1).mean())


def taus_of_draws(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Kendall's tau-b between two orders of the systems, one for each draw."""
    pairs = zip(one, other, strict=True)
    return np.array([kendall_tau_b(a[None], b[None], TOLERANCE_OF_MEANS)[0, 0] for a, b in pairs])


def orders_of(choices: Choices) -> dict[str, float]:
    """Return how the orders of the untuned systems agree with that of the tuned ones.

    The first trials are one random setting of each system. By chance is between the tuned systems
    of successive draws. ``reordered_default`` and ``reordered_random`` count the draws in which tau
    is lower than that between the tuned systems of this draw and the next one (of the last draw,
    the first).
    """
    untuned = {
        "default": choices.default,
        "random": choices.random[:, :, 0],
        "worst": choices.worst,
    }
    found = {name: taus_of_draws(choices.tuned, values) for name, values in untuned.items()}
    following = taus_of_draws(choices.tuned, np.roll(choices.tuned, -1, axis=0))
    found["chance"] = following[:-1]
    means = {
        f"tau_{name}": float(own.mean()) if len(own) else np.nan for name, own in found.items()
    }
    return means | {
        f"reordered_{name}": int((found[name] < following).sum()) if len(following) > 1 else np.nan
        for name in ("default", "random")
    }


def data_leads(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``tuning_trials`` over the draws, one row per dataset and system.

    Parameter of the artifact: ``strong``, from which quotient of the best and the worst random
    setting on accuracy depends strongly on the parameters.

    Columns: dataset; system; draws; default, random, worst, tuned, chosen_on_test (mean nDCG@10 on
    the test over the draws, as in :class:`.tuning_trials.Choices`; random is also averaged over the
    trials); pop (that of popularity); best_over_worst (quotient of chosen_on_test and worst);
    strongly (in how many draws this quotient is at least ``strong``);
    lead_default, lead_worst, lead_tuned (in how many draws the tuned system is ahead of all others,
    with the parameters that the column names); lead_random (:func:`share_of_random_leads`);
    above_default, above_pop (in how many draws the tuned system is ahead of its own default, and of
    popularity); default_above_pop (the same of the default); and those of :func:`orders_of`, which
    are the same for all systems.
    """
    results = read_results(inputs.results["tuning_trials"])
    strong = float(inputs.parameters["strong"])
    rows = []
    for dataset, own in results.groupby("dataset", sort=False):
        choices = Choices.of(own)
        orders = orders_of(choices)
        for place, system in enumerate(TITLES):
            columns = {
                name: getattr(choices, name)[:, place]
                for name in ("default", "random", "worst", "tuned", "chosen_on_test")
            }
            means = {name: float(values.mean()) for name, values in columns.items()}
            tuned = columns["tuned"]
            rows.append(
                {
                    "dataset": dataset,
                    "system": system,
                    "draws": len(tuned),
                    **means,
                    "pop": float(choices.pop.mean()),
                    "best_over_worst": means["chosen_on_test"] / means["worst"],
                    "strongly": int((columns["chosen_on_test"] >= strong * columns["worst"]).sum()),
                    **{
                        f"lead_{name}": int(leads(choices.tuned, others, place).sum())
                        for name, others in (
                            ("default", choices.default),
                            ("worst", choices.worst),
                            ("tuned", choices.tuned),
                        )
                    },
                    "lead_random": share_of_random_leads(choices, place),
                    "above_default": int((tuned > columns["default"]).sum()),
                    "above_pop": int((tuned > choices.pop).sum()),
                    "default_above_pop": int((columns["default"] > choices.pop).sum()),
                    **orders,
                }
            )
    return pd.DataFrame(rows)


def tabulate_leads(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and system."""

    headers = ["Worst", "Random", "Default", "Tuned", "By test"]
    headers += ["Others default", "Others random", "Others worst", "All tuned", "Above Pop"]
    rows = [
        (
            display.datasets[str(row.dataset)],
            TITLES[str(row.system)],
            *(
                fixed(value, 3)
                for value in (row.worst, row.random, row.default, row.tuned, row.chosen_on_test)
            ),
            f"{row.lead_default} of {row.draws}",
            two_decimals(row.lead_random),
            *(f"{number} of {row.draws}" for number in (row.lead_worst, row.lead_tuned)),
            f"{row.above_pop} of {row.draws}",
        )
        for row in results.itertuples()
    ]
    return printed(display, ("Data", "System"), headers, rows)
