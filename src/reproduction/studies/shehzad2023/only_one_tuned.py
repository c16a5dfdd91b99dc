# SPDX-License-Identifier: MIT
"""How often each system leads if it alone is tuned, and what is left of it if all are."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.shehzad2023.tuning_trials import TITLES, Choices


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


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
