# SPDX-License-Identifier: MIT
"""How systems are compared: the test, its correction, effect sizes, margins and power.

The defaults are a permutation test of all pairs with Holm's correction.
:class:`ComparisonChoices` has the other choices, and :func:`pair_table` compares by them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import partial
from typing import Literal, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from receval.checked_arguments import check_fields
from receval.evaluation.by_user import CONFIDENCE, ValuesByUser
from receval.evaluation.pair_tests import (
    DECIMALS_OF_RANKS,
    permutation_p_values,
    tested_in_words,
    unequal_users,
)
from receval.metrics.metric import best_value_of
from receval.statistics.bootstrap import bootstrap_test_of_pairs
from receval.statistics.difference_tests import (
    detectable_difference,
    equivalence_test,
    non_inferiority_test,
)
from receval.statistics.effect_sizes import EFFECTS, Effect
from receval.statistics.multiple_comparisons import benjamini_hochberg, bonferroni, holm
from receval.statistics.paired_tests import MOST_RANKED, sign_test, wilcoxon_test
from receval.statistics.pairs import LEVEL, check_samples, over_pairs, system_pairs
from receval.statistics.tukey import honestly_significant_differences, randomised_tukey_hsd
from receval.storage.messages import how_many, quoted

PairedTest = Literal["permutation", "t", "wilcoxon", "sign", "bootstrap", "tukey-hsd"]
Correction = Literal["auto", "holm", "bh", "bonferroni"]

PERMUTATIONS = 10_000
"""The default number of samples of a test."""

FEWEST_RESAMPLED = 6
"""With fewer users who differ, no test by signs can have p < .05, and resamples are too alike."""

CANNOT_TELL = "cannot tell"
"""How the method of a pair begins where there is no p-value; the reason follows."""

_ROUNDING = 1e-12
_EQUAL = f"{CANNOT_TELL}: the differences of all users are equal"
_ONE = f"{CANNOT_TELL}: fewer than two users count"
_FEW = f"{CANNOT_TELL}: fewer than {FEWEST_RESAMPLED} users differ"
_NO_VALUES = f"{CANNOT_TELL}: the metric has no value per user, which this test needs"

CORRECTIONS: dict[Correction, tuple[Callable[[ArrayLike], NDArray[np.float64]], str, str]] = {
    "holm": (holm, "Holm's correction", "Holm"),
    "bh": (benjamini_hochberg, "Benjamini and Hochberg's correction", "BH"),
    "bonferroni": (bonferroni, "Bonferroni's correction", "Bonferroni"),
}
"""The functions of corrections, their names in sentences, and in headings."""

EFFECTS_IN_WORDS: dict[Effect, tuple[str, str]] = {
    "d_z": ("d_z", "the average of the users' differences over their standard deviation"),
    "g_z": ("g_z", "d_z with Hedges' correction for few users"),
    "cliff": ("Cliff's delta", "the share of users with wins minus the share with losses"),
    "superiority": (
        "Superiority",
        "the probability that the first system is better for a user, ties counted as half",
    ),
}
"""Headings and explanations of effect sizes."""


class ComparisonOptions(TypedDict, total=False):
    """The keyword arguments of :class:`ComparisonChoices`, all of them optional."""

    test: PairedTest
    correction: Correction | None
    effect: Effect | None
    reference: str | None
    margin: float | Mapping[str, float] | None
    power: float | None
    samples: int
    seed: int


@dataclass(frozen=True)
class ComparisonChoices:
    """How systems are compared.

    :meth:`receval.evaluation.result.EvaluationResult.compare` describes the parameters, and which
    values are refused with a ValueError.

    Examples
    --------
    >>> ComparisonChoices(test="t", correction="bh").column
    'p_bh'
    """

    test: PairedTest = "permutation"
    correction: Correction | None = "auto"
    effect: Effect | None = None
    reference: str | None = None
    margin: float | Mapping[str, float] | None = None
    power: float | None = None
    samples: int = PERMUTATIONS
    seed: int = 1

    def __post_init__(self) -> None:
        check_fields(self)
        check_samples(self.samples)
        if self.power is not None and not 0 < self.power < 1:
            raise ValueError(
                f"power is {self.power:g}; it must be a probability between 0 and 1, such as 0.8."
            )
        margins = self.margin.values() if isinstance(self.margin, Mapping) else [self.margin]
        for margin in margins:
            if margin is not None and not 0 < margin < np.inf:
                raise ValueError(
                    f"The margin is {margin:g}. It must be a difference above 0, in the unit of "
                    "the metric."
                )
        if self.test == "tukey-hsd":
            if self.correction not in ("auto", None):
                raise ValueError(
                    "The p-values of tukey-hsd are already corrected for all pairs, so the "
                    f"correction {self.correction} cannot be applied. Leave the correction out, or "
                    "choose another test."
                )
            if self.reference is not None:
                raise ValueError(
                    "tukey-hsd compares all pairs of systems, not one reference with the others. "
                    "Leave the reference out, or choose another test."
                )

    @property
    def applied(self) -> Correction | None:
        """The correction that is applied to the p-values of the test."""
        if self.correction == "auto":
            return None if self.test == "tukey-hsd" else "holm"
        return self.correction

    @property
    def column(self) -> str:
        """The column of the p-values by which differences are significant."""
        return "p" if self.applied is None else f"p_{self.applied}"

    @property
    def correction_in_words(self) -> str:
        """The correction as a part of a sentence."""
        if self.test == "tukey-hsd":
            return "corrected for all pairs"
        return "no correction" if self.applied is None else CORRECTIONS[self.applied][1]

    @property
    def correction_heading(self) -> str:
        """The heading of corrected p-values; empty if there are none."""
        return "" if self.applied is None else CORRECTIONS[self.applied][2]

    @property
    def correction_of_margins(self) -> Correction | None:
        """The correction that is applied to tests by a margin."""
        return "holm" if self.correction == "auto" else self.correction

    @property
    def correction_of_margins_in_words(self) -> str:
        """The correction of tests by a margin as a part of a sentence."""
        name = self.correction_of_margins
        return "no correction" if name is None else CORRECTIONS[name][1]

    @property
    def settings(self) -> dict[str, object]:
        """The choices that differ from the defaults, as JSON-compatible values."""
        found: dict[str, object] = {}
        for own in fields(self):
            value = getattr(self, own.name)
            if value == own.default or own.name == "samples":
                continue
            if isinstance(value, Mapping):
                value = {name: float(margin) for name, margin in value.items()}
            elif own.name in ("margin", "power"):
                value = float(value)
            found[own.name] = value if own.name != "seed" else int(value)
        return found

    @property
    def key(self) -> str:
        """A text that is the same for equal comparisons."""
        margin = self.margin
        named = sorted(margin.items()) if isinstance(margin, Mapping) else margin
        others = [getattr(self, own.name) for own in fields(self) if own.name != "margin"]
        return repr([*others, named])

    def margin_of(self, metric: str) -> float:
        """Return the margin for a metric, NaN if there is none."""
        if isinstance(self.margin, Mapping):
            return float(self.margin.get(metric, np.nan))
        return np.nan if self.margin is None else float(self.margin)

    def check(self, systems: Sequence[str], metrics: Sequence[str], n_users: int) -> None:
        """Refuse names that the result does not have, and tests that no value could pass."""
        margins = list(self.margin) if isinstance(self.margin, Mapping) else []
        references = [] if self.reference is None else [self.reference]
        for kind, argument, names, known in (
            ("system", "reference", references, systems),
            ("metric", "margin", margins, metrics),
        ):
            for name in names:
                if name not in known:
                    folded = {own.casefold(): own for own in known}
                    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.4)
                    hint = f"Did you mean {folded[near[0]]}? " if near else ""
                    raise ValueError(
                        f"There is no {kind} {quoted(name)} in this result. {hint}Its {kind}s are "
                        f"{', '.join(known[:20])}{', ...' if len(known) > 20 else ''}. The "
                        f"argument {argument} names it."
                    )
        if n_users < 2 and (self.test != "permutation" or self.margin is not None):
            raise ValueError(
                f"Only {how_many(n_users, 'user')} is averaged, but the test "
                f"{'by a margin' if self.test == 'permutation' else self.test} needs at least "
                "two. Test more users."
            )
        n_pairs = len(_family(self.reference, systems)[0])
        family = n_pairs if self.applied in ("holm", "bonferroni") else 1
        least = family / (self.samples + 1)
        if self.test in ("bootstrap", "tukey-hsd") and least >= LEVEL:
            raise ValueError(
                f"No difference can be significant by the test {self.test} with "
                f"{how_many(self.samples, 'sample')} and {how_many(family, 'pair')}: the smallest "
                f"p-value is {least:.3g}. Set samples to {int(family / LEVEL) * 10:,} or more, or "
                "choose another test."
            )

    def in_words(self, pairs: pd.DataFrame) -> str:
        """Describe the test by which a table of pairs was computed, as a part of a sentence."""
        reasons = pairs["method"][pairs["p"].isna()].str.removeprefix(f"{CANNOT_TELL}: ")
        untold = "".join(
            f"; no p-value where {reason} ({count:,} of {len(pairs):,})"
            for reason, count in reasons.value_counts().items()
        )
        return f"{self._tested_in_words(pairs[pairs['p'].notna()])}{untold}"

    def _tested_in_words(self, pairs: pd.DataFrame) -> str:
        if self.test == "permutation":
            return tested_in_words(pairs, self.samples)
        if self.test == "wilcoxon":
            n_exact = int((pairs["method"] == "exact").sum())
            exact = (
                f", exact with at most {MOST_RANKED} differences ({n_exact:,} of {len(pairs):,})"
            )
            return f"Wilcoxon's signed-rank test{exact if n_exact else ''}"
        sampled = f"of {how_many(self.samples, 'sample')}"
        return {
            "t": "paired t-test",
            "sign": "exact sign test",
            "bootstrap": f"shifted bootstrap test {sampled}",
            "tukey-hsd": f"randomised Tukey HSD test {sampled}",
        }[self.test]


def pair_table(
    values: ValuesByUser,
    metrics: Sequence[str],
    systems: Sequence[str],
    seed: np.random.SeedSequence,
    comparison: ComparisonChoices,
    less_is_better: frozenset[str] = frozenset(),
    of_all_users: Collection[str] = (),
) -> pd.DataFrame:
    """Compare pairs of systems under each metric, one row per metric and pair.

    Columns are ``metric``; ``first`` and ``second``; ``difference``, the first system's average
    minus the second's, with its 95 % interval from ``low`` to ``high``; ``effect_size``, and
    ``effect_low`` and ``effect_high`` if an effect size is named; ``p``, and the corrected p-values
    under the name of the correction, such as ``p_holm``; ``significant``, which tells whether they
    are below .05; and ``method``, how p was computed. Where the test cannot tell, p is NaN and
    ``method`` has the reason: the differences of all users are equal, so that the test ``t`` or
    ``bootstrap``, or any test of a metric of all users at once (``of_all_users``), has nothing to
    estimate an error from, and there is no interval, either; fewer than
    :data:`FEWEST_RESAMPLED` users differ, so that ``bootstrap`` draws too few different samples; or
    ``wilcoxon`` and ``sign`` would count users by their parts of a metric of all users at once or
    of a weighted mean, such as GAUC or RMSE. Such pairs still count in corrections. With a margin
    there are also ``margin``, ``p_equivalent`` and ``equivalent``, ``p_not_inferior`` and
    ``not_inferior`` (of the first system), corrected like the others, and missing where nothing is
    tested; and with a power ``detectable``, the smallest true difference that is found with this
    probability.

    Tests and effect sizes are of the users' contributions to the average
    (:attr:`receval.evaluation.by_user.ValuesByUser.contributions`); ``cliff`` and ``superiority``
    are NaN where these are no values of users. The first system is better
    where the difference is above 0, or below 0 for metrics in ``less_is_better``; where a value is
    the best, the difference does not tell which is better, and inferiority is not tested. Weighted
    means are compared over the users who have a weight under some system.
    """
    first, second = system_pairs(len(systems))
    chosen, signs = _family(comparison.reference, systems)
    p_values, methods = _p_values(values, seed, comparison)
    p_values, methods = p_values[:, chosen], methods[:, chosen]
    differences, halves = values.differences()
    differences, halves = differences[:, chosen] * signs, halves[:, chosen]
    is_equal = (np.abs(differences) > 0) & (halves <= _ROUNDING * np.abs(differences))
    halves = np.where(is_equal, np.nan, halves)
    has_values = values.has_values_of_users
    has_values &= np.array([name not in of_all_users for name in metrics])
    methods = _with_reasons(values, metrics, comparison, of_all_users, methods, is_equal, chosen)
    if comparison.test in ("wilcoxon", "sign"):
        methods = np.where(has_values[:, None], methods, _NO_VALUES)
    p_values = np.where(np.char.startswith(methods.astype(str), CANNOT_TELL), np.nan, p_values)
    corrected = corrected_p_values(p_values, comparison.applied)
    first, second = first[chosen], second[chosen]
    first, second = np.where(signs < 0, second, first), np.where(signs < 0, first, second)
    effects = _effects(values, comparison, chosen, signs, first, second)
    if comparison.effect in ("cliff", "superiority"):
        effects = {
            name: np.where(has_values[:, None], own, np.nan) for name, own in effects.items()
        }
    counted = values.n_counted_of_pairs[:, chosen]
    errors = _standard_errors(halves, counted)
    detectable = _detectable(values, errors, counted, comparison)
    names = np.array(systems, dtype=object)
    frames = []
    for number, metric in enumerate(metrics):
        columns: dict[str, object] = {
            "metric": metric,
            "first": names[first],
            "second": names[second],
            "difference": differences[number],
            "low": differences[number] - halves[number],
            "high": differences[number] + halves[number],
            **{name: own[number] for name, own in effects.items()},
            "p": p_values[number],
            comparison.column: corrected[number],
            "significant": corrected[number] < LEVEL,
            "method": methods[number],
        }
        if comparison.margin is not None:
            columns |= _by_margin(
                differences[number],
                errors[number],
                counted[number],
                comparison.margin_of(metric),
                comparison.correction_of_margins,
                sign=np.nan
                if best_value_of(metric, less_is_better) is not None
                else 1 - 2 * (metric in less_is_better),
            )
        if comparison.power is not None:
            columns["detectable"] = detectable[number]
        frames.append(pd.DataFrame(columns))
    for number in values.weighted_means:
        own = values.of_counting_users(number)
        if own.n_users < values.n_users:
            others = systems, seed, comparison, less_is_better, of_all_users
            frames[number] = pair_table(own, [metrics[number]], *others)
    return pd.concat(frames, ignore_index=True)


def _family(
    reference: str | None, systems: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the numbers of the compared pairs, and -1 for those that begin with the reference."""
    first, second = system_pairs(len(systems))
    if reference is None:
        return np.arange(len(first)), np.ones(len(first))
    own = list(systems).index(reference)
    chosen = np.flatnonzero((first == own) | (second == own))
    return chosen, np.where(first[chosen] == own, -1.0, 1.0)


def _p_values(
    values: ValuesByUser, seed: np.random.SeedSequence, comparison: ComparisonChoices
) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    """Return the p-values of all pairs and their methods, each of shape (n_metrics, n_pairs)."""
    method: object = "samples"
    if comparison.test == "t":
        found = _t_test(values)
        return found, np.full(found.shape, "t", dtype=object)
    contributions = values.contributions
    if comparison.test == "permutation":
        return permutation_p_values(contributions, seed, comparison.samples)
    if comparison.test == "wilcoxon":
        found = wilcoxon_test(contributions, decimals=DECIMALS_OF_RANKS, exact_up_to=MOST_RANKED)
        unequal = over_pairs(contributions, unequal_users, exact=True)
        method = np.where(unequal <= MOST_RANKED, "exact", "normal").astype(object)
    elif comparison.test == "sign":
        found, method = sign_test(np.round(contributions, DECIMALS_OF_RANKS)), "exact"
    elif comparison.test == "bootstrap":
        found = bootstrap_test_of_pairs(contributions, seed, comparison.samples)
    else:
        found = randomised_tukey_hsd(contributions, samples=comparison.samples, seed=seed)
    return found, np.broadcast_to(np.asarray(method, dtype=object), found.shape)


def _with_reasons(
    values: ValuesByUser,
    metrics: Sequence[str],
    comparison: ComparisonChoices,
    of_all_users: Collection[str],
    methods: NDArray[np.object_],
    is_equal: NDArray[np.bool_],
    chosen: NDArray[np.intp],
) -> NDArray[np.object_]:
    """Return the methods of pairs, with a reason where the test cannot tell systems apart."""
    has_pseudo_values = np.array([name in of_all_users for name in metrics])[:, None]
    needs_spread = comparison.test in ("t", "bootstrap")
    methods = np.where(is_equal & (needs_spread | has_pseudo_values), _EQUAL, methods)
    has_few = values.n_counted_of_pairs[:, chosen] < 2
    methods = np.where(has_few & needs_spread, _ONE, methods)
    if comparison.test == "bootstrap":
        unequal = over_pairs(values.contributions, unequal_users, exact=True)[:, chosen]
        methods = np.where((unequal > 0) & (unequal < FEWEST_RESAMPLED), _FEW, methods)
    return methods


def _t_test(values: ValuesByUser) -> NDArray[np.float64]:
    """Return the p-values of the t-test of averages, whose standard error is that of a ratio."""
    differences, halves = values.differences()
    counted = values.n_counted_of_pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(differences) / _standard_errors(halves, counted)
    return np.asarray(2.0 * stdtr(counted - 1, -np.where(differences == 0, 0.0, t)))


def _standard_errors(
    halves: NDArray[np.float64], counted: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the standard errors of differences from half the widths of their intervals."""
    return np.asarray(halves / stdtrit(np.maximum(counted - 1, 1), (1 + CONFIDENCE) / 2))


def corrected_p_values(
    p_values: NDArray[np.float64], name: Correction | None
) -> NDArray[np.float64]:
    """Correct families of p-values along the last axis; unknown ones, NaN, count as 1 in them.

    Examples
    --------
    >>> corrected_p_values(np.array([0.01, np.nan]), "holm").tolist()
    [0.02, nan]
    """
    if name is None or name == "auto":
        return p_values
    is_known = ~np.isnan(p_values)
    found = CORRECTIONS[name][0](np.where(is_known, p_values, 1.0))
    return np.where(is_known, found, np.nan)


def _effects(
    values: ValuesByUser,
    comparison: ComparisonChoices,
    chosen: NDArray[np.intp],
    signs: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> dict[str, NDArray[np.float64]]:
    """Return effect sizes of shape (n_metrics, n_pairs) by column, with intervals if named."""
    if comparison.effect is None:
        if values.n_users < 2:
            return {"effect_size": np.full((len(values.means), len(chosen)), np.nan)}
        sizes = values.standardised_differences[:, chosen] * signs
        return {"effect_size": np.where(np.isinf(sizes), np.nan, sizes)}
    contributions = values.contributions
    shape = (len(contributions), len(chosen))
    names = ("effect_size", "effect_low", "effect_high")
    found = {name: np.empty(shape) for name in names}
    of = EFFECTS[comparison.effect]
    for metric, own in enumerate(contributions):
        for pair, (one, other) in enumerate(zip(first, second, strict=True)):
            differences = own[one] - own[other]
            if comparison.effect in ("cliff", "superiority"):
                differences = np.round(differences, DECIMALS_OF_RANKS)
            for name, size in zip(names, of(differences[None]), strict=True):
                found[name][metric, pair] = size[0]
    return found


def _by_margin(
    differences: NDArray[np.float64],
    errors: NDArray[np.float64],
    counted: NDArray[np.int64],
    margin: float,
    correction: Correction | None,
    *,
    sign: float,
) -> dict[str, object]:
    """Return the columns of the tests by a margin for the pairs under one metric.

    The sign is 1 where more is better, -1 where less is, and NaN where a value is the best: there
    no difference tells which system is not inferior.
    """
    own = partial(corrected_p_values, name=correction)
    unknown = np.full(len(differences), np.nan)
    is_tested = not np.isnan(margin) and counted.max() > 1
    p_values = {
        "equivalent": own(equivalence_test(differences, errors, counted, margin))
        if is_tested
        else unknown,
        "not_inferior": own(non_inferiority_test(sign * differences, errors, counted, margin))
        if is_tested and not np.isnan(sign)
        else unknown,
    }
    columns: dict[str, object] = {"margin": margin}
    for name, found in p_values.items():
        # What was not tested is neither true nor false.
        columns[f"p_{name}"] = found
        columns[name] = pd.arrays.BooleanArray(found < LEVEL, np.isnan(found))
    return columns


def _detectable(
    values: ValuesByUser,
    errors: NDArray[np.float64],
    counted: NDArray[np.int64],
    comparison: ComparisonChoices,
) -> NDArray[np.float64]:
    """Return the smallest differences that would be found with the power of the comparison."""
    if comparison.power is None or values.n_users < 2:
        return np.full_like(errors, np.nan)
    if comparison.test == "tukey-hsd":
        limits = honestly_significant_differences(values.contributions, LEVEL)[:, None]
        return np.asarray(limits + stdtrit(counted - 1, comparison.power) * errors)
    level = LEVEL if comparison.applied is None else LEVEL / errors.shape[1]
    return detectable_difference(errors, counted, level=level, power=comparison.power)
