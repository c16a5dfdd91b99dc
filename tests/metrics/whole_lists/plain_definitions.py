# SPDX-License-Identifier: MIT
"""Metrics of whole lists in plain loops over users and items, from the formulas of the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log, log2, sqrt

import numpy as np

from receval.metrics.whole_lists.list_metric import RecommendedLists


@dataclass(frozen=True)
class PlainLists:
    """Lists, training items and relevant test items of each user, as Python lists and sets."""

    measured: RecommendedLists
    cutoff: int

    @cached_property
    def lists(self) -> list[list[int]]:
        return [[item for item in row if item >= 0] for row in self.measured.items.tolist()]

    @cached_property
    def profiles(self) -> list[list[int]]:
        train = self.measured.fold.train.toarray()
        return [np.flatnonzero(train[user]).tolist() for user in self.measured.users.tolist()]

    @cached_property
    def counts(self) -> list[int]:
        return (self.measured.fold.train.toarray() > 0).sum(axis=0).tolist()

    @cached_property
    def relevant(self) -> list[set[int]]:
        test = self.measured.fold.test
        pairs = list(
            zip(test.users.tolist(), test.items.tolist(), test.values.tolist(), strict=True)
        )
        return [
            {item for own, item, value in pairs if own == user and value >= self.measured.threshold}
            for user in self.measured.users.tolist()
        ]

    @cached_property
    def candidates(self) -> list[int]:
        return np.flatnonzero(self.measured.is_candidate).tolist()

    @cached_property
    def n_training_users(self) -> int:
        return int((self.measured.fold.train.toarray() > 0).any(axis=1).sum())

    @cached_property
    def met(self) -> list[int]:
        """The number of lists with each candidate."""
        return [sum(item in own for own in self.lists) for item in self.candidates]

    def open_items(self, row: int) -> list[int]:
        return [item for item in self.candidates if item not in self.profiles[row]]

    def liked(self, row: int) -> list[int]:
        return [item for item in self.open_items(row) if item in self.relevant[row]]

    def head_by_ratings(self, share: float) -> set[int]:
        ranked = sorted(range(len(self.counts)), key=lambda item: (-self.counts[item], item))
        head, left = set(), share * sum(self.counts)
        for item in ranked:
            if left <= 1e-9:
                break
            head.add(item)
            left -= self.counts[item]
        return head

    def groups(self) -> list[set[int]]:
        """The values of the feature ``kind``."""
        kinds = self.measured.item_features["kind"].toarray()
        return [set(np.flatnonzero(kinds[:, value]).tolist()) for value in range(kinds.shape[1])]

    def share_of_group(self, item: int, group: set[int]) -> float:
        """An item of m groups belongs to each by 1/m."""
        n = sum(item in other for other in self.groups())
        return (item in group) / n if n else 0.0

    def popularity_mean(self, items: Sequence[int]) -> float:
        return sum(self.counts[item] for item in items) / len(items) if items else 0.0


def per_list(
    of_list: Callable[[PlainLists, int, list[int]], float], empty: float = 0.0
) -> Callable[[PlainLists], float]:
    """Return the mean over users of a value of each list, given its row and items."""

    def mean(plain: PlainLists) -> float:
        values = [of_list(plain, row, own) if own else empty for row, own in enumerate(plain.lists)]
        return sum(values) / len(values)

    return mean


def discount(rank: int) -> float:
    return 1 / log2(1 + rank)


def gini(values: Sequence[float]) -> float:
    differences = sum(abs(a - b) for a, b in combinations(values, 2))
    return differences / (len(values) * sum(values)) if sum(values) else 0.0


def entropy(plain: PlainLists) -> float:
    shares = [count / sum(plain.met) for count in plain.met if count] if any(plain.met) else []
    return -sum(share * log2(share) for share in shares)


def least_recommended(plain: PlainLists) -> float:
    least = sorted(plain.met)[: int(0.8 * len(plain.met) + 1e-9)]
    return sum(least) / max(1, sum(plain.met))


def attention_of_items(plain: PlainLists, weight: Callable[[int], float]) -> list[float]:
    return [
        sum(weight(own.index(item) + 1) for own in plain.lists if item in own)
        for item in plain.candidates
    ]


def novelty(plain: PlainLists, row: int, own: list[int], of_item: Callable[[int], float]) -> float:
    ranks = range(1, len(own) + 1)
    met = sum(
        discount(rank) * (item in plain.relevant[row]) * of_item(item)
        for rank, item in zip(ranks, own, strict=True)
    )
    return met / sum(map(discount, ranks))


def information(plain: PlainLists, item: int) -> float:
    fewest = min((count for count in plain.counts if count), default=1)
    return -log2(max(fewest, plain.counts[item]) / max(1, sum(plain.counts)))


def unexpected(plain: PlainLists, row: int, own: list[int]) -> list[int]:
    ranked = sorted(plain.open_items(row), key=lambda item: (-plain.counts[item], item))
    return [item for item in own if item not in ranked[: plain.cutoff]]


def inverse_propensities(
    worth: Callable[[int], float], divided: bool, normalised: bool
) -> Callable[[PlainLists], float]:
    """Return the mean of hits by their inverse propensities, over their number or sum."""

    def inverse(plain: PlainLists, item: int) -> float:
        return 1 / max(0.1, sqrt(plain.counts[item] / max(plain.counts)))

    def of_list(plain: PlainLists, row: int, own: list[int]) -> float:
        liked = plain.liked(row)
        found = [worth(rank) * inverse(plain, i) for rank, i in enumerate(own, 1) if i in liked]
        whole = sum(inverse(plain, i) for i in liked) if normalised else len(liked)
        return sum(found) / (whole if divided and liked else 1)

    return per_list(of_list)


def divergence(first: Sequence[float], second: Sequence[float]) -> float:
    middle = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    return sum(
        (a * log2(a / m) if a else 0) / 2 + (b * log2(b / m) if b else 0) / 2
        for a, b, m in zip(first, second, middle, strict=True)
    )


def miscalibration(plain: PlainLists) -> float:
    head = plain.head_by_ratings(0.2)
    tail = set(range(len(plain.counts))) - plain.head_by_ratings(0.8)
    kinds = [head, set(range(len(plain.counts))) - head - tail, tail - head]
    values = []
    for own, profile in zip(plain.lists, plain.profiles, strict=True):
        if not own or not profile:
            values.append(1.0 if profile else 0.0)
            continue
        shares = [[sum(i in kind for i in of) / len(of) for kind in kinds] for of in (profile, own)]
        values.append(sqrt(max(0.0, divergence(*shares))))
    return sum(values) / len(values)


def lift(plain: PlainLists) -> float:
    pairs = [
        (plain.popularity_mean(own), plain.popularity_mean(profile))
        for own, profile in zip(plain.lists, plain.profiles, strict=True)
        if profile
    ]
    before = sum(profile for _, profile in pairs)
    return (sum(own for own, _ in pairs) - before) / before if pairs else 0.0


def attention_weighted_fairness(plain: PlainLists, row: int, own: list[int]) -> float:
    groups = plain.groups()
    of_list = [
        sum(discount(own.index(item) + 1) * plain.share_of_group(item, group) for item in own)
        for group in groups
    ]
    of_all = [sum(plain.share_of_group(item, g) for item in plain.candidates) for g in groups]
    if not sum(of_list):
        return 1.0
    return (
        sum(abs(a / sum(of_list) - b / sum(of_all)) for a, b in zip(of_list, of_all, strict=True))
        / 2
    )


def expected_exposure(
    plain: PlainLists, row: int, grouped: bool
) -> tuple[list[float], list[float]]:
    """Return the exposure and its target of each item, or group."""
    own, liked, others = plain.lists[row], plain.liked(row), plain.open_items(row)
    weights = [0.5 ** (rank - 1) for rank in range(1, plain.cutoff + 1)]
    first, rest = sum(weights[: len(liked)]), sum(weights[len(liked) :])
    exposure, target = {}, {}
    for item in plain.candidates:
        exposure[item] = weights[own.index(item)] if item in own else 0.0
        is_liked = item in liked
        share = first / len(liked) if is_liked else rest / max(1, len(others) - len(liked))
        target[item] = share if item in others else 0.0
    if not grouped:
        return list(exposure.values()), list(target.values())
    return tuple(  # type: ignore[return-value]
        [sum(of[i] * plain.share_of_group(i, g) for i in plain.candidates) for g in plain.groups()]
        for of in (exposure, target)
    )


def exposure_loss(grouped: bool) -> Callable[[PlainLists], float]:
    def mean(plain: PlainLists) -> float:
        values = [
            sum((a - b) ** 2 for a, b in zip(*expected_exposure(plain, row, grouped), strict=True))
            for row in range(len(plain.lists))
        ]
        return sum(values) / len(values)

    return mean


def exposure_product(plain: PlainLists) -> float:
    values = [
        sum(a * b for a, b in zip(*expected_exposure(plain, row, True), strict=True))
        for row in range(len(plain.lists))
    ]
    return sum(values) / len(values)


def exposure_squares(plain: PlainLists) -> float:
    values = [
        sum(a**2 for a in expected_exposure(plain, row, True)[0]) for row in range(len(plain.lists))
    ]
    return sum(values) / len(values)


def inequity(plain: PlainLists) -> float:
    rows = [row for row in range(len(plain.lists)) if plain.liked(row)]
    total = 0.0
    for item in range(len(plain.counts)):
        attention = relevance = 0.0
        for row in rows:
            own, liked = plain.lists[row], plain.liked(row)
            whole = sum(discount(rank) for rank in range(1, len(own) + 1))
            attention += discount(own.index(item) + 1) / whole if item in own else 0.0
            relevance += (item in liked) / len(liked)
        total += abs(attention - relevance)
    return total / len(rows) if rows else 0.0


def relative_deviation(rates: list[float]) -> float:
    return float(np.std(rates) / np.mean(rates)) if sum(rates) else 0.0


def statistical_parity(plain: PlainLists) -> float:
    rates = []
    for group in plain.groups():
        rows = range(len(plain.lists))
        possible = sum(len(group & set(plain.open_items(row))) for row in rows)
        if possible:
            rates.append(sum(len(group & set(plain.lists[row])) for row in rows) / possible)
    return relative_deviation(rates)


def equal_opportunity(plain: PlainLists) -> float:
    rates = []
    for group in plain.groups():
        rows = range(len(plain.lists))
        possible = sum(len(group & set(plain.liked(row))) for row in rows)
        if possible:
            met = sum(len(group & set(plain.lists[row]) & plain.relevant[row]) for row in rows)
            rates.append(met / possible)
    return relative_deviation(rates)


def item_deviation(gain: str, over: str = "lists") -> Callable[[PlainLists], float]:
    def value(plain: PlainLists) -> float:
        measured, got = plain.measured, {}
        for row, own in enumerate(plain.lists):
            if not plain.liked(row):
                continue
            test = measured.fold.test
            user = measured.users[row]
            judged = slice(test.indptr[user], test.indptr[user + 1])
            ratings = dict(zip(test.items[judged].tolist(), test.values[judged], strict=True))
            for place, item in enumerate(own):
                is_hit = item in plain.relevant[row]
                score = float(measured.lists.scores[row, place])
                of_hit = (
                    score if gain == "score" else 2.0 ** (float(ratings.get(item, 0)) - 3 + 1) - 1
                )
                if is_hit or over == "lists":
                    got.setdefault(item, []).append(of_hit if is_hit else 0.0)
        means = [
            np.mean([np.mean(got[item]) for item in group if item in got])
            for group in plain.groups()
            if any(item in got for item in group)
        ]
        pairs = [abs(a - b) for a, b in combinations(means, 2)]
        return float(np.mean(pairs)) if pairs else 0.0

    return value


def rank_surprise(plain: PlainLists, row: int, own: list[int]) -> float:
    ladder = sorted(set(filter(None, plain.counts)), reverse=True)
    n, total = len(plain.candidates), 0.0
    for rank, item in enumerate(own, 1):
        count = plain.counts[item]
        to_any = (n + 1 - (ladder.index(count) + 1)) / n if count else 0.0
        total += max(0.0, (n + 1 - rank) / n - to_any) * (item in plain.relevant[row])
    return total / len(own)


def jain(plain: PlainLists) -> float:
    squares = sum(count**2 for count in plain.met)
    return sum(plain.met) ** 2 / (len(plain.met) * squares) if squares else 0.0


def satisfied(plain: PlainLists) -> float:
    share = sum(plain.met) // len(plain.met)
    return sum(count >= share for count in plain.met) / len(plain.met) if any(plain.met) else 0.0


def all_items_disparity(plain: PlainLists) -> float:
    attention = attention_of_items(plain, lambda rank: 0.8 ** (rank - 1))
    equal = sum(0.8**rank for rank in range(plain.cutoff)) / len(plain.candidates)
    n = len(plain.lists)
    return sum((value / n - equal) ** 2 for value in attention) / len(attention)


def share_of(is_member: Callable[[PlainLists, int], bool]) -> Callable[[PlainLists], float]:
    return per_list(lambda plain, _, own: sum(is_member(plain, i) for i in own) / len(own))


def amortized_inequity(plain: PlainLists) -> float:
    k, total = plain.cutoff, 0.0
    for row, own in enumerate(plain.lists):
        for item in plain.candidates:
            attention = (k - own.index(item) - 1) / (k - 1) if item in own else 0.0
            total += abs(attention - (item in plain.liked(row)))
    return total / (len(plain.lists) * len(plain.candidates))


def products_disparity(plain: PlainLists) -> float:
    total, n = 0.0, len(plain.candidates)
    for row, own in enumerate(plain.lists):
        got = [
            discount(own.index(item) + 1) if item in own and item in plain.liked(row) else 0.0
            for item in plain.candidates
        ]
        total += sum((a - b) ** 2 for a, b in combinations(got, 2))
    return total / (len(plain.lists) * max(1, n * (n - 1) / 2))


def ratios_disparity(plain: PlainLists) -> float:
    values = []
    for row, own in enumerate(plain.lists):
        got = [discount(own.index(item) + 1) if item in own else 0.0 for item in plain.liked(row)]
        pairs = sum(max(0.0, a - b) for a in got for b in got)
        values.append(pairs / max(1, len(got)) ** 2)
    return sum(values) / len(values)


def hellinger(plain: PlainLists) -> float:
    liked = [(plain.liked(row), own) for row, own in enumerate(plain.lists) if plain.liked(row)]
    total = 0.0
    for place in range(1, plain.cutoff + 1):
        relevance = [(place <= len(wanted)) / len(wanted) for wanted, _ in liked]
        clicks = [
            share if set(own) & set(wanted) else 0.0
            for share, (wanted, own) in zip(relevance, liked, strict=True)
        ]
        n = max(1, len(liked))
        total += (sqrt(sum(relevance) / n) - sqrt(sum(clicks) / n)) ** 2
    return sqrt(total / 2)


def impact(plain: PlainLists, item: int, other: int) -> float:
    """What an item gains from the users to whom it is relevant, with another item's attention."""
    return sum(
        1 / (own.index(other) + 1)
        for row, own in enumerate(plain.lists)
        if item in plain.liked(row) and other in own
    )


def max_envy(plain: PlainLists) -> float:
    envies = [
        max(impact(plain, i, j) for j in plain.candidates) - impact(plain, i, i)
        for i in plain.candidates
    ]
    return sum(envies) / (len(plain.lists) * len(plain.candidates))


def share_off(plain: PlainLists, is_off: Callable[[float, float], bool]) -> float:
    liked = [item for row in range(len(plain.lists)) for item in plain.liked(row)]
    equal = sum(1 / rank for rank in range(1, plain.cutoff + 1)) / len(plain.candidates)
    off = [is_off(impact(plain, item, item), liked.count(item) * equal) for item in set(liked)]
    return sum(off) / max(1, len(off))


def differences_of_users(plain: PlainLists) -> list[list[float]]:
    """Attention minus its target, for each candidate of each user."""
    rows = []
    for row, own in enumerate(plain.lists):
        liked = plain.liked(row)
        wanted = sum(0.8**r for r in range(len(liked))) / max(1, len(liked))
        rows.append(
            [
                (0.8 ** own.index(item) if item in own else 0.0) - wanted * (item in liked)
                for item in plain.candidates
            ]
        )
    return rows


DEFINITIONS: dict[str, Callable[[PlainLists], float]] = {
    "ItemCoverage": lambda plain: sum(map(bool, plain.met)) / len(plain.met),
    "ItemCoverage(of=training)": lambda plain: (
        sum(
            met > 0
            for item, met in zip(plain.candidates, plain.met, strict=True)
            if plain.counts[item]
        )
        / max(1, sum(plain.counts[item] > 0 for item in plain.candidates))
    ),
    "Gini": lambda plain: gini(plain.met),
    "Gini(denominator=others)": lambda plain: (
        gini(plain.met) * len(plain.met) / max(1, len(plain.met) - 1)
    ),
    "ExposureGini": lambda plain: gini(attention_of_items(plain, discount)),
    "ShannonEntropy": entropy,
    "ShannonEntropy(base=e,denominator=recommended)": lambda plain: (
        entropy(plain) * log(2) / max(1, sum(count > 0 for count in plain.met))
    ),
    "LeastRecommendedShare": least_recommended,
    "ListShare": per_list(lambda plain, _, own: len(own) / plain.cutoff),
    "ARP": per_list(lambda plain, _, own: plain.popularity_mean(own)),
    "APLT": share_of(lambda plain, item: item not in plain.head_by_ratings(0.8)),
    "ACLT": per_list(lambda plain, _, own: len(set(own) - plain.head_by_ratings(0.8))),
    "HeadShare": share_of(lambda plain, item: item in plain.head_by_ratings(0.2)),
    "MiddleShare": share_of(
        lambda plain, item: item in plain.head_by_ratings(0.8) - plain.head_by_ratings(0.2)
    ),
    "TailShare": share_of(lambda plain, item: item not in plain.head_by_ratings(0.8)),
    "TailShare(by=count,tail=1)": share_of(lambda plain, item: plain.counts[item] <= 1),
    "PopularityLift": lift,
    "IPSRecall": inverse_propensities(lambda _: 1, True, False),
    "IPSRecall(normalised=true)": inverse_propensities(lambda _: 1, True, True),
    "IPSDCG": inverse_propensities(discount, False, False),
    "IPSDCG(normalised=true)": inverse_propensities(discount, True, True),
    "PopularityMiscalibration": miscalibration,
    "SelfInformation": per_list(
        lambda plain, _, own: (
            sum(-log2(max(1, plain.counts[i]) / max(1, plain.n_training_users)) for i in own)
            / len(own)
        )
    ),
    "EFD(discount=log,relevance=binary)": per_list(
        lambda plain, row, own: novelty(plain, row, own, lambda i: information(plain, i))
    ),
    "EFD": per_list(lambda plain, _, own: sum(information(plain, i) for i in own) / len(own)),
    "EPC(discount=log,relevance=binary)": per_list(
        lambda plain, row, own: novelty(
            plain, row, own, lambda i: 1 - plain.counts[i] / max(1, plain.n_training_users)
        )
    ),
    "Unexpectedness": per_list(lambda plain, row, own: len(unexpected(plain, row, own)) / len(own)),
    "Serendipity": per_list(
        lambda plain, row, own: (
            len(set(unexpected(plain, row, own)) & plain.relevant[row]) / len(own)
        )
    ),
    "Serendipity(form=ranks)": per_list(rank_surprise),
    "AWRF(feature=kind)": per_list(attention_weighted_fairness, empty=1.0),
    "EED(feature=kind)": exposure_squares,
    "EER(feature=kind)": exposure_product,
    "EEL(feature=kind)": exposure_loss(grouped=True),
    "EEL": exposure_loss(grouped=False),
    "InequityOfAttention": inequity,
    "RSP(feature=kind)": statistical_parity,
    "REO(feature=kind)": equal_opportunity,
    "ItemMAD(feature=kind)": item_deviation("exp-steps"),
    "ItemMAD(feature=kind,gain=score,over=hits)": item_deviation("score", "hits"),
    "Jain": jain,
    "FSat": satisfied,
    "AID": all_items_disparity,
    "IAA": amortized_inequity,
    "IFD": products_disparity,
    "IFD(form=ratio)": ratios_disparity,
    "HD": hellinger,
    "MME": max_envy,
    "IBO": lambda plain: share_off(plain, lambda got, equal: got >= 1.1 * equal),
    "IWO": lambda plain: share_off(plain, lambda got, equal: got <= 0.9 * equal),
    "IIF": lambda plain: (
        sum(difference**2 for row in differences_of_users(plain) for difference in row)
        / (len(plain.lists) * len(plain.candidates))
    ),
    "AIF": lambda plain: (
        sum(
            (sum(column) / len(plain.lists)) ** 2
            for column in zip(*differences_of_users(plain), strict=True)
        )
        / len(plain.candidates)
    ),
}
"""The value for all users of each metric, by label without a cut-off."""
