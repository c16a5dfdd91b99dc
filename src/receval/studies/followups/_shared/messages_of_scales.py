# SPDX-License-Identifier: MIT
"""What the figure of decisions on interval scales says."""

from __future__ import annotations

import pandas as pd

from receval.figures.printed_numbers import fixed
from receval.studies._shared.claim_parts import shown_in_part
from receval.studies._shared.message import DATASETS, Message, in_a_row
from receval.studies.followups._shared.change_bars import TEST_TITLES
from receval.studies.followups._shared.interval_values import EVERYONE, SCALE_TITLES, SCALES

TESTS_IN_WORDS = {"t": "the t-test", "wilcoxon": "Wilcoxon's test"}


def decisions_on_scales(results: pd.DataFrame) -> Message:
    """Interval scales make significant differences insignificant, and others significant."""
    (dataset,) = results["dataset"].unique()
    drawn = results[results["test"].isin(TEST_TITLES)]
    full = drawn[drawn["drawn"] == EVERYONE]
    counts = full[["lost", "gained", "reversed"]].mul(full["pairs"], axis=0).sum()
    decided = int(full["pairs"].sum())
    ways = {
        "lost": f"{counts['lost']:.0f} of {decided:,} lose their significance",
        "gained": f"{counts['gained']:.0f} gain it",
    }
    worst = full.loc[full["changed"].idxmax()]
    on_signs = results.loc[results["test"] == "sign", "changed"].max()
    fewer = _with_fewer(drawn[drawn["drawn"] != EVERYONE])
    said = [
        f"{_means(full)}, averaged over the metrics",
        f"most change of {worst['metric']}, {_percent(worst['changed'])} with "
        f"{SCALE_TITLES[worst['scale']].lower()} under {TESTS_IN_WORDS[worst['test']]}",
        f"of all decisions together {ways['lost']}, {ways['gained']}, and "
        f"{counts['reversed']:.0f} name the other system",
        *([f"with fewer users {fewer}"] if fewer else []),
        f"the sign test changes {_percent(on_signs) if on_signs > 0 else 'none'}",
    ]
    named = DATASETS.get(str(dataset), str(dataset))
    users = int(full["users"].iloc[0])
    return Message(
        reading=(
            "A bar is the share of the pairs of systems on which a test decides otherwise with a "
            "metric on an interval scale than with its own values: the longer, the more the "
            "decisions hang on the scale."
        ),
        finding=(
            f"Interval scales change decisions both ways: on {named} with all {users:,} users "
            f"{'; '.join(said)}."
        ),
        holds=bool((counts[["lost", "gained"]] > 0).all()),
        claim="Interval scales make significant differences insignificant, and others significant.",
        partly=shown_in_part([(bool(counts[kind] > 0), text) for kind, text in ways.items()]),
    )


def _means(full: pd.DataFrame) -> str:
    """Say how many decisions change under each test on each scale: 3.3 % and ... with ..."""
    shares = full.groupby(["scale", "test"])["changed"].mean()
    return " and ".join(
        in_a_row(
            f"{_percent(shares[scale, test])} under {words}"
            for test, words in TESTS_IN_WORDS.items()
        )
        + f" with {SCALE_TITLES[scale].lower()}"
        for scale in SCALES
    )


def _with_fewer(drawn: pd.DataFrame) -> str:
    """Say how many decisions change with each smaller number of users; empty if there is none."""
    shares = [
        f"{_percent(own['changed'].mean())} with {int(str(number)):,}"
        for number, own in drawn.groupby("users")
    ]
    return f"{in_a_row(shares)} on average" if shares else ""


def _percent(share: float) -> str:
    return f"{fixed(100 * float(share), 1)} %"
