# SPDX-License-Identifier: MIT
"""Arguments of commands for how systems are compared."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from receval.cli.arguments import number_or_word
from receval.storage.messages import quoted

if TYPE_CHECKING:
    from receval.evaluation.comparison import ComparisonOptions

_OPTIONS = ("correction", "effect", "reference", "power")
"""Options that have the names of arguments of the library."""


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add arguments for the test of differences, and for what else is said of pairs.

    Their defaults are None, so that settings only have what was given.
    """
    group = parser.add_argument_group("comparing systems")
    # In `receval runs`, --test names the test data.
    group.add_argument(
        "--significance-test",
        choices=("permutation", "t", "wilcoxon", "sign", "bootstrap", "tukey-hsd"),
        help="paired test over users (default: permutation)",
    )
    group.add_argument(
        "--correction",
        choices=("auto", "holm", "bh", "bonferroni", "none"),
        help="correction for the number of pairs: Holm, Benjamini-Hochberg, Bonferroni or none "
        "(default: holm; none for tukey-hsd, which corrects by itself)",
    )
    group.add_argument(
        "--effect",
        choices=("d_z", "g_z", "cliff", "superiority"),
        help="effect size, with its 95 %% interval: Cohen's d_z, with Hedges' correction, Cliff's "
        "delta, or probability of superiority (default: d_z without an interval)",
    )
    group.add_argument(
        "--reference",
        metavar="SYSTEM",
        help="compare all others with this system only, instead of all pairs",
    )
    group.add_argument(
        "--margin",
        action="append",
        metavar="VALUE",
        help="largest difference that does not matter, such as .01, or nDCG@10=.01 for one metric "
        "(may then be repeated): tests equivalence and non-inferiority",
    )
    group.add_argument(
        "--power",
        type=float,
        metavar="PROBABILITY",
        help="also print the smallest difference that is found with this probability, such as .8",
    )
    group.add_argument(
        "--methods",
        action="store_true",
        default=None,
        help="add a paragraph on the experiment to the report, with versions of software",
    )


def comparison_of(chosen: argparse.Namespace) -> ComparisonOptions:
    """Return the arguments of :func:`add_comparison` as those of the library."""
    found: dict[str, Any] = {"samples": chosen.samples}
    if chosen.significance_test is not None:
        found["test"] = chosen.significance_test
    for name in _OPTIONS:
        if getattr(chosen, name) is not None:
            found[name] = getattr(chosen, name)
    if found.get("correction") == "none":
        found["correction"] = None
    if chosen.margin:
        found["margin"] = _margin(chosen.margin)
    options: ComparisonOptions = found  # type: ignore[assignment]
    return options


def check_comparison(chosen: argparse.Namespace) -> None:
    """Refuse arguments that do not go together, before anything is computed."""
    from receval.evaluation.comparison import ComparisonChoices

    ComparisonChoices(**comparison_of(chosen))


def _margin(texts: list[str]) -> float | dict[str, float]:
    """Return one margin for all metrics, or margins by the names of metrics.

    Examples
    --------
    >>> _margin([".01"]), _margin(["P@10=.01", "nDCG(gain=exp)@10=.02"])
    (0.01, {'P@10': 0.01, 'nDCG(gain=exp)@10': 0.02})
    """
    margins: dict[str, float] = {}
    for text in texts:
        name, _, written = text.rpartition("=")
        value = number_or_word(written)
        if isinstance(value, str):
            raise ValueError(
                f"--margin {quoted(text)} has no number. Write a difference such as .01, or one of "
                "a metric such as nDCG@10=.01."
            )
        margins[name] = float(value)
    if "" not in margins:
        return margins
    if len(texts) > 1:
        raise ValueError(
            f"--margin {quoted(texts[-1])}: with several margins, each needs the name of its "
            "metric, as in nDCG@10=.01."
        )
    return margins[""]
