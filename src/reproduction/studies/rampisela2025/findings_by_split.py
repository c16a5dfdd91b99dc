# SPDX-License-Identifier: MIT
"""What decides the paper's statements, on each split and for each sample of users."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Column, Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.statistics.inequality import MEASURES
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2025.measured_groups import GROUPINGS, PARTS, name_of

ALL = name_of(GROUPINGS[-1])

EQUIVALENT = 0.9
"""Orders with a tau of at least this are equivalent (Voorhees 2001)."""

LEVEL = 0.05

WORDS = {
    "gini_gender": "Gini between genders (mean of the runs)",
    "gini_age": "Gini between ages (mean)",
    "gini_users": "Gini over users (mean)",
    "users_worse": "Inequality over users above that between groups (share of cases)",
    "within_worse": "Inequality within groups above that between groups (share of cases)",
    "within_share": "Inequality within groups by that over users (smallest ratio)",
    **{
        f"{measure.lower()}_{number}": f"{measure} between groups, features: {number} (mean)"
        for measure in MEASURES
        for number in ("one", "two", "three")
    },
    **{
        f"chance_{number}": f"Gini between random groups, features: {number} (mean)"
        for number in ("one", "two", "three")
    },
    "residual": "Atkinson: what its two parts leave (largest)",
    "equivalent": "Groupings and measures that order the runs as users do, τ at least .9 (of 21)",
    "lowest_tau": "τ for the grouping that is least like users (highest of the measures)",
    **{f"tau_{m.lower()}": f"{m}: τ of groups by all three with users" for m in MEASURES},
    **{
        f"same_{m.lower()}": f"{m}: the fairest run is the same for both (1: yes)" for m in MEASURES
    },
    "again_all": "Gini between groups by all three: τ with another split",
    "again_users": "Gini over users: τ with another split",
    "beyond_gender": "Runs with more Gini between genders than by chance (share, p < .05)",
    "beyond_age": "The same between ages",
    "beyond_occupation": "The same between occupations",
    "beyond_all": "The same between groups by all three",
    "f_least": "F statistic of groups by all three (smallest of the runs)",
    "f_most": "The same (largest of the runs)",
    "f_limit": "95th percentile of F without differences between these groups",
    "f_beyond": "Runs with a larger F than this (share)",
    "activity_gender": "Gini between users as active as the genders are, by that between genders",
    "activity_age": "The same of ages",
}


def _tau(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    found = kendall_tau_b(one[None], other[None], TOLERANCE_OF_MEANS)[0, 0]
    return float(np.nan_to_num(found))


def findings_of(own: pd.DataFrame, following: pd.DataFrame) -> dict[str, float]:
    """Sum up the measured groups of one split; another one tells how far an order is repeated."""
    by_grouping = {str(name): rows for name, rows in own.groupby("grouping", sort=False)}
    from scipy.special import fdtri

    again = following[following["grouping"] == ALL]

    def of(grouping: str, column: str) -> NDArray[np.float64]:
        return real_values(by_grouping[grouping][column])

    found = {
        "gini_gender": of("gender", "gini_between").mean(),
        "gini_age": of("age", "gini_between").mean(),
        "gini_users": of(ALL, "gini_over_users").mean(),
    }
    parts = {
        part: np.array([real_values(own[f"{m.lower()}_{part}"]) for m in MEASURES])
        for part in PARTS
    }
    found["users_worse"] = (parts["over_users"] > parts["between"]).mean()
    found["within_worse"] = (parts["within"] > parts["between"]).mean()
    found["within_share"] = (parts["within"] / parts["over_users"]).min()
    for number, word in enumerate(("one", "two", "three"), start=1):
        names = [name_of(grouping) for grouping in GROUPINGS if len(grouping) == number]
        for measure in MEASURES:
            values = [of(name, f"{measure.lower()}_between").mean() for name in names]
            found[f"{measure.lower()}_{word}"] = np.mean(values)
        found[f"chance_{word}"] = np.mean([of(name, "gini_by_chance").mean() for name in names])
    over, within, between = (1 - real_values(own[f"atkinson_{part}"]) for part in PARTS[:3])
    found["residual"] = np.abs(over - within * between).max()
    taus = np.array(
        [
            [_tau(of(g, f"{m}_between"), of(g, f"{m}_over_users")) for g in by_grouping]
            for m in map(str.lower, MEASURES)
        ]
    )
    found["equivalent"] = (taus >= EQUIVALENT).sum()
    found["lowest_tau"] = taus.min(axis=1).max()
    for measure in MEASURES:
        between, users = (
            of(ALL, f"{measure.lower()}_{part}") for part in ("between", "over_users")
        )
        found[f"tau_{measure.lower()}"] = _tau(between, users)
        found[f"same_{measure.lower()}"] = between.argmin() == users.argmin()
    found["again_all"] = _tau(of(ALL, "gini_between"), real_values(again["gini_between"]))
    found["again_users"] = _tau(of(ALL, "gini_over_users"), real_values(again["gini_over_users"]))
    for word, name in (*((name, name) for name in ("gender", "age", "occupation")), ("all", ALL)):
        found[f"beyond_{word}"] = (of(name, "p") < LEVEL).mean()
    f, groups = of(ALL, "f"), of(ALL, "groups")[0]
    found["f_limit"] = float(fdtri(groups - 1, own["tested"].iloc[0] - groups, 1 - LEVEL))
    found["f_least"], found["f_most"] = f.min(), f.max()
    found["f_beyond"] = (f > found["f_limit"]).mean()
    for name in ("gender", "age"):
        like = of(name, "gini_by_activity").mean()
        found[f"activity_{name}"] = like / of(name, "gini_between").mean()
    return {column: float(found[column]) for column in WORDS}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Sum up the measured groups of each draw.

    Columns: dataset; users; tested; draw; then those of :data:`WORDS`. Cases are runs, groupings
    and measures. A tau that is not defined, because all runs are level, counts as 0. The other
    split is the next one, and of the last one the first.
    """
    results = read_results(inputs.results["measured_groups"])
    rows = []
    for (dataset, users), of_sample in results.groupby(["dataset", "users"], sort=False):
        draws = [own for _, own in of_sample.groupby("draw", sort=False)]
        rows += [
            {
                "dataset": dataset,
                "users": users,
                "tested": own["tested"].iloc[0],
                "draw": own["draw"].iloc[0],
                **findings_of(own, following),
            }
            for own, following in zip(draws, [*draws[1:], draws[0]], strict=True)
        ]
    return pd.DataFrame(rows)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print mean, smallest and largest value over draws, for each number and sample of users.

    The residual, which is rounding, is not printed.
    """
    rows = []
    for (dataset, _), own in results.groupby(["dataset", "users"], sort=False):
        for column, words in WORDS.items():
            if column == "residual":
                continue
            values = real_values(own[column])
            numbers = (values.mean(), values.min(), values.max())
            row = (display.datasets[str(dataset)], f"{own['tested'].max():,}", words)
            rows.append((*row, *(significant(number, 3) for number in numbers)))
    texts = ("Ratings", Column("Users", "right"), "Number")
    return printed(display, texts, ("Mean", "Smallest", "Largest"), rows)
