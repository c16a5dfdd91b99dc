# SPDX-License-Identifier: MIT
"""Rules: systems or metrics are in a given order, or in the same order twice."""

from __future__ import annotations

from itertools import combinations, product
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from receval.statistics.pairs import LEVEL
from receval.storage.messages import enumerated
from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.base import PositiveShare, Rule, in_words
from reproduction.claims.sources import ClaimSources
from reproduction.claims.verdicts import Finding, failing, verdict_of

OTHERS = "others"
"""Stands in a tier for everything that no tier names."""

MOST_SHOWN = 5

_NOTHING_TO_ORDER = "An order needs several things. Name a column under each."

_Groups = dict[tuple[str, ...], dict[str, float]]
_Chances = dict[tuple[str, ...], float]


class OrderRule(Rule):
    """Everything in a tier is ahead of everything in the tiers after it.

    Attributes
    ----------
    values : Quantity
        Its labels end with what is ordered; the labels before distinguish repetitions.
    tiers : tuple of tuple of str
        The leading tier first; ``others`` stands for all that no tier names.
    ahead : {"higher", "lower"}
        Which values lead.
    ties : bool
        Whether equal values count as in order.
    enough : float
        The share of pairs that must be in order for the claim to hold; with half of that it holds
        in part.
    """

    rule: Literal["order"]
    values: Quantity
    tiers: Annotated[tuple[tuple[str, ...], ...], Field(min_length=2)]
    ahead: Literal["higher", "lower"] = "higher"
    ties: bool = False
    enough: PositiveShare = 1.0

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Count the pairs that are in order."""
        numbers = evaluated(self.values, sources, context)
        groups = numbers.by_last_label(_NOTHING_TO_ORDER)
        parts: list[tuple[bool, str]] = []
        orders = []
        for group, values in groups.items():
            if missing := sorted(self._named() - set(values)):
                raise sources.missing(context.study, enumerated(missing), enumerated(list(values)))
            parts += self._pairs(values, ", ".join(group))
            sign = -1 if self.ahead == "higher" else 1
            known = {name: value for name, value in values.items() if not np.isnan(value)}
            ranked = sorted(known, key=lambda name: sign * known[name])
            shown = ", ".join(ranked[:MOST_SHOWN]) + (" ..." if len(ranked) > MOST_SHOWN else "")
            orders.append(f"{', '.join(group)}: {shown}" if group else shown)
        more = f" and {len(orders) - 2} more" if len(orders) > 2 else ""
        return Finding(
            verdict_of([is_shown for is_shown, _ in parts], self.enough),
            "; ".join(orders[:2]) + more,
            self.in_words(),
            failing(parts) or self._only_pair(groups, parts),
        )

    def in_words(self) -> str:
        """Return how many pairs must be in order, and which values lead."""
        rule = "every pair in order" if self.enough == 1 else f"{100 * self.enough:g} % of pairs"
        return f"{rule}, {'highest' if self.ahead == 'higher' else 'lowest'} first"

    def _only_pair(self, groups: _Groups, parts: list[tuple[bool, str]]) -> str:
        """Return the two numbers if there is a single pair and it is not in order."""
        if len(parts) != 1 or parts[0][0]:
            return ""
        values = next(values for values in groups.values() if self._pairs(values, ""))
        leading, following = (name for tier in self._tiers(values) for name in tier)
        return (
            f"{leading} has {in_words([values[leading]])}, {following} "
            f"{in_words([values[following]])}."
        )

    def _pairs(self, values: dict[str, float], group: str) -> list[tuple[bool, str]]:
        where = f" ({group})" if group else ""
        sign = 1 if self.ahead == "higher" else -1
        pairs = []
        for leading, following in combinations(self._tiers(values), 2):
            for one, other in product(leading, following):
                by = sign * (values[one] - values[other])
                in_order = by >= 0 if self.ties else by > 0
                pairs.append((in_order, f"{one} before {other}{where}"))
        return pairs

    def _named(self) -> set[str]:
        return {name for tier in self.tiers for name in tier} - {OTHERS}

    def _tiers(self, values: dict[str, float]) -> list[list[str]]:
        named = self._named()
        rest = [name for name in values if name not in named]
        return [
            [own for name in tier for own in (rest if name == OTHERS else [name])]
            for tier in self.tiers
        ]


class SameOrderRule(Rule):
    """Two quantities order all things, such as systems, in the same way.

    Attributes
    ----------
    values : Quantity
        Its labels end with what is ordered; the labels before distinguish orders.
    reference : Quantity
        The quantity that each order is compared with, by the same labels. A reference for several
        orders lacks the first labels.
    p_values, p_reference : Quantity, optional
        P-values of the difference of two things, which the last two labels name; the labels before
        are those of the quantity. A change of order does not count if a difference is not
        significant at .05.
    enough : float
        The share of orders that must be the same; with half of that the claim holds in part.
    """

    rule: Literal["same-order"]
    values: Quantity
    reference: Quantity
    p_values: Quantity | None = None
    p_reference: Quantity | None = None
    enough: PositiveShare = 1.0

    def judge(self, sources: ClaimSources, context: ClaimContext) -> Finding:
        """Count the orders that are the same."""
        found, reference = (
            evaluated(quantity, sources, context).by_last_label(_NOTHING_TO_ORDER)
            for quantity in (self.values, self.reference)
        )
        chances, of_reference = (
            None if quantity is None else evaluated(quantity, sources, context).by_label()
            for quantity in (self.p_values, self.p_reference)
        )
        parts = []
        changed = compared = 0
        for group, values in found.items():
            own = _counterpart(group, reference)
            others = reference[own]
            if set(values) != set(others):
                raise ValueError(
                    f"One order is of {enumerated(sorted(values))}, but the other is of "
                    f"{enumerated(sorted(others))}. Select the same things on both sides."
                )
            moved = [
                f"{one} and {other}"
                for one, other in combinations(values, 2)
                if (values[one] - values[other]) * (others[one] - others[other]) < 0
                and _is_apart(chances, group, one, other)
                and _is_apart(of_reference, own, one, other)
            ]
            known = not np.isnan([*values.values(), *others.values()]).any()
            name = ": ".join(filter(None, [", ".join(group), ", ".join(moved)]))
            parts.append((known and not moved, name or "missing values"))
            changed += len(moved)
            compared += len(values) * (len(values) - 1) // 2
        detail = failing(parts)
        if len(parts) == 1 and not parts[0][0]:
            detail = f"In another order: {parts[0][1]}."
        return Finding(
            verdict_of([is_same for is_same, _ in parts], self.enough),
            f"{changed} of {compared} pairs change places",
            self.in_words(),
            detail,
        )

    def in_words(self) -> str:
        """Return which orders must be the same."""
        rule = "the same order"
        if self.p_values is not None or self.p_reference is not None:
            rule += " but for differences that are not significant"
        return rule if self.enough == 1 else f"{rule}, in {100 * self.enough:g} %"


def _counterpart(group: tuple[str, ...], reference: _Groups) -> tuple[str, ...]:
    for start in range(len(group) + 1):
        if group[start:] in reference:
            return group[start:]
    raise ValueError(
        f"There is no order to compare with the order of {', '.join(group)}. There are orders of "
        f"{enumerated([', '.join(name) for name in reference])}."
    )


def _is_apart(chances: _Chances | None, group: tuple[str, ...], one: str, other: str) -> bool:
    """Return whether a difference is significant; always true without p-values."""
    if chances is None:
        return True
    label = next((g for g in ((*group, one, other), (*group, other, one)) if g in chances), None)
    if label is None:
        raise ValueError(
            f"The difference of {one} and {other} has no p-value. Select the p-values of all pairs."
        )
    return chances[label] < LEVEL
