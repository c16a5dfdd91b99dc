# SPDX-License-Identifier: MIT
"""What the figures of sampled metrics say."""

from __future__ import annotations

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import significant
from receval.storage.files import real_values
from receval.studies._shared.message import Message, in_a_row
from receval.studies.followups._shared.correction_errors import (
    ESTIMATOR_TITLES,
    LARGEST_SPREAD,
    NONE,
    WITHOUT_SPREAD,
    correction_errors,
)
from receval.studies.followups._shared.sampled_moments_of_systems import POPULARITY, UNIFORM
from receval.studies.followups._shared.sampled_taus import sampled_taus, tau_at_common

USUAL = "100"
"""The number of sampled candidates that most papers take."""

SHOWN = 10
"""The cut-off that sentences are about."""

LARGE_ERROR = 10
"""Per cent of the value from which on an error is large."""

REAL_ORDER = 0.95
"""From this tau on an order is taken for the same."""


def of_orders(results: pd.DataFrame) -> Message:
    """Return the message of orders among samples: another one, whatever is drawn."""
    taus = sampled_taus(results.assign(expected=real_values(results["expected"])))
    usual = taus[taus["negatives"] == USUAL]
    parts = []
    for sampling, words in ((UNIFORM, "uniformly"), (POPULARITY, "by popularity")):
        own = usual.loc[usual["sampling"] == sampling, "tau_full"]
        parts.append(f"{two_decimals(own.min())} to {two_decimals(own.max())} when drawn {words}")
    one = taus[(taus["sampling"] == UNIFORM) & (taus["negatives"] == "1")]
    near = one[one["tau_auc"] >= REAL_ORDER - 0.01]
    collapse = (
        f"With one candidate {in_a_row(near['metric'])} are nearly AUC "
        f"({two_decimals(near['tau_auc'].min())} and more)"
        if len(near)
        else "With one candidate no metric is nearly AUC"
    )
    means = usual.groupby("sampling", sort=False)["tau_full"].mean()
    return Message(
        "A line is Kendall's tau of the order of the systems by what is expected among so many "
        "sampled candidates, above with their order by the same metric among all candidates, below "
        "with their order by AUC: the higher, the more alike.",
        f"A hundred sampled candidates give another order than all of them: tau is "
        f"{in_a_row(parts)}. {collapse}.",
        bool(
            (usual["tau_full"] < REAL_ORDER).all()
            and means[POPULARITY] < means[UNIFORM]
            and len(near) > len(one) / 2
        ),
        claim="Sampled candidates give another order than all of them, by popularity more than "
        "uniformly, and with one candidate most metrics are nearly AUC.",
    )


def of_corrections(results: pd.DataFrame) -> Message:
    """Return the message of corrected metrics: right at large cut-offs, wrong at small ones."""
    numbers = {name: real_values(results[name]) for name in ("full", "expected", "sd")}
    errors = correction_errors(results.assign(**numbers))
    most = errors["negatives"].max()
    own = errors[errors["negatives"] == most]
    table = own.pivot_table(index="estimator", columns="metric", values="error", sort=False)
    first, last = table.columns[0], table.columns[-1]
    corrected = table.drop(index=NONE)
    told = own[(own["metric"] == first) & own["spread"].notna()]["estimator"]
    usable = corrected.loc[corrected.index.isin([*told, *WITHOUT_SPREAD]), first]
    others = [ESTIMATOR_TITLES[str(name)] for name in corrected.index.difference(usable.index)]
    beside = (
        f"; {in_a_row(others)} varies over samples by more than {LARGEST_SPREAD} times the value"
        if others
        else ""
    )
    return Message(
        "A line is an estimator of recall among all candidates from ranks among sampled ones: "
        "above its error, the lower the better, below Kendall's tau of the order that it gives "
        "systems.",
        f"Corrections come near at large cut-offs and fail at small ones: with {most:,} candidates "
        f"the best error at a cut-off of {last.partition('@')[2]} is "
        f"{significant(float(corrected[last].min()), 2)} % of the mean value (not corrected "
        f"{significant(float(table.loc[NONE, last]), 2)} %), but at {first.partition('@')[2]} it "
        f"is {significant(float(usable.min()), 2)} %, that of "
        f"{ESTIMATOR_TITLES[str(usable.idxmin())]}{beside}.",
        bool((corrected[first] > corrected[last]).all() and (usable > LARGE_ERROR).all()),
        claim="Corrected recall errs less at the largest cut-off than at a cut-off of 1, where all "
        f"estimates that do not vary much more than their value err by more than {LARGE_ERROR} %.",
    )


def of_cutoffs(results: pd.DataFrame) -> Message:
    """Return the message of cut-offs: recall among samples is recall at a much deeper one."""
    numbers = {name: real_values(results[name]) for name in ("expected", "at_common")}
    table = results.assign(**numbers)
    usual = table[(table["negatives"] == int(USUAL)) & (table["cutoff"] == SHOWN)]
    depths = usual["full_cutoff"]
    tau = tau_at_common(usual)
    return Message(
        "A line is a system: the cut-off at which its recall among all candidates is what its "
        "recall is expected to be at a cut-off among samples, as a ratio to as many in proportion. "
        "If all lines are one, samples tell recall at that other cut-off.",
        f"Among {USUAL} sampled candidates, Recall@{SHOWN} is recall at {depths.min():,} to "
        f"{depths.max():,} among all of them, and at {int(usual['common_cutoff'].iloc[0]):,} it "
        f"orders the systems with a tau of {two_decimals(tau)} to the sampled one.",
        bool(depths.min() > 5 * SHOWN and tau > REAL_ORDER),
        claim=f"Among {USUAL} sampled candidates, Recall@{SHOWN} is recall at a cut-off that is "
        "many times deeper, and orders the systems as that does.",
    )
