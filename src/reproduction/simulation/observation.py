# SPDX-License-Identifier: MIT
r"""Worlds: users, items, complete relevance, and the chance that a user meets an item.

The model
---------
User u and item i have an affinity of variance 1, in which all variables except the shares are
independent and standard normal:

.. math::
    x_{ui} = \sqrt{q}\, g_i + \sqrt{l}\, b_u
           + \sqrt{p}\, \sum_k \sqrt{v_k} P_{uk} Q_{ik} + \sqrt{1 - q - l - p}\, e_{ui}

Its parts are the quality of the item, the leniency of the user, taste in K factors, and noise; the
shares q, l, p are ``preferences``. Factor k has the part :math:`v_k = k^{-d} / \sum_j j^{-d}` of
the share of taste. With a decay d of 0 all factors have the same weight. With 1 a few strong
factors precede a long tail of weak ones, like the singular values of rating matrices. The affinity
without the user's leniency is the *appeal* :math:`a_{ui} = x_{ui} - \sqrt{l}\, b_u`.

The chance that u meets i has the log-weight

.. math:: w_{ui} = -\alpha \log(h + k_i / |I|) + s\, a_{ui}

where :math:`k_i` is the rank of the item in the popularity curve, a ranking by
:math:`\rho g_i + \sqrt{1 - \rho^2}\, z_i`, h is the width of its flat head, and s is the strength
of the dependence on relevance. With s > 0 ratings are missing not at random: users tend to rate
what they like. With :math:`\rho > 0` popular items are also liked more by users who do not rate
them. The exponent :math:`\alpha` is found by bisection so that the number of users per item has the
Gini coefficient of the original. The curve has the form :math:`(c_2 + k)^{-\alpha}` that
Bellogín et al. (2017) fit to MovieLens 1M for figure 5.

User u chooses :math:`n_u = m + c\, \exp(\sigma z_u)` items (bounded, rounded to the exact total)
without replacement, with weights :math:`\exp(w_{ui})`.

The rating that u gives to i if they rate it, for **every** pair, is :math:`r_{ui} = F(x_{ui})` with
the increasing step function F that gives the *observed* ratings the distribution of the original.
For event data it is the number of plays :math:`\max(1, [\exp(\mu + \tau \Phi^{-1}(G(x_{ui})))])`,
with the distribution function G of the affinity of observed pairs. If users rate all of a random
sample (CM100k), the sample is observed, and the choices are its familiar part.

Observations are parts of a world, at certain times: choices, random samples, familiarity, plays.
Users and items arrive, users rate in sessions, and listeners tire of artists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from receval.seeds import gumbel_noise
from receval.statistics.inequality import gini
from reproduction.simulation.spec import (
    Activity,
    Period,
    Plays,
    Preferences,
    RandomSample,
    Scale,
    Sessions,
    TwinSpec,
)

LARGEST_EXPONENT = 16.0
BISECTION_STEPS = 12
GINI_TOLERANCE = 0.01


@dataclass(frozen=True)
class World:
    """A simulated world with all preferences, observed or not.

    Affinity (the latent preference), relevance and exposure have shape (n_users, n_items).
    Relevance has complete ratings in multiples of `step`, or numbers of plays; exposure has the
    log-weights with which users choose items, and activity the number of items each user chooses.
    """

    affinity: NDArray[np.float64]
    relevance: NDArray[np.int16]
    step: float
    exposure: NDArray[np.float64]
    activity: NDArray[np.int64]
    popularity_exponent: float

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.activity)

    @property
    def n_items(self) -> int:
        """Number of items, whether chosen or not."""
        return int(self.relevance.shape[1])

    def ratings(self) -> NDArray[np.float32]:
        """Return the complete relevance on the rating scale, shape (n_users, n_items)."""
        return (self.relevance * np.float32(self.step)).astype(np.float32)


FIRST_RATING_BONUS = 1e3
"""Ranks a pair above all others of its user; log-weights and Gumbel noise are far smaller."""


def sample_items(
    log_weights: NDArray[np.float64],
    counts: NDArray[np.int64],
    noise: NDArray[np.float64],
    *,
    cover_items: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw ``counts[u]`` distinct items for every user u, weighted, by the Gumbel top-k trick.

    The items with the largest ``log_weights[u] + noise[u]`` are a sample without replacement, in
    which each item is drawn with a probability proportional to its weight among the remaining
    items. A user with fewer items of non-zero weight than wanted gets all of them.

    With `cover_items` each item is first given to the user with the largest
    ``log_weights + log(counts) + noise``, so that no item is left without a user (unless a user
    gets more items than allowed). Raw rating files contain no items without ratings.

    Source: Yellott, J. I., The relationship between Luce's choice axiom, Thurstone's theory of
    comparative judgment, and the double exponential distribution. J. Math. Psychol. 15 (1977).
    """
    keys = log_weights + noise
    if cover_items:
        with np.errstate(divide="ignore"):
            finders = np.argmax(keys + np.log(counts)[:, np.newaxis], axis=0)
        keys[finders, np.arange(keys.shape[1])] += FIRST_RATING_BONUS
    order = np.argsort(-keys, axis=1)
    available = np.isfinite(keys).sum(axis=1)
    taken = np.arange(keys.shape[1]) < np.minimum(counts, available)[:, np.newaxis]
    users, ranks = np.nonzero(taken)
    return users.astype(np.int32), order[users, ranks].astype(np.int32)


def draw_random_sample(
    sample: RandomSample | None, shape: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw items uniformly without replacement for the first users."""
    drawn = np.zeros(shape, dtype=np.bool_)
    if sample is not None:
        counts = np.zeros(shape[0], dtype=np.int64)
        counts[: sample.users] = rng.integers(sample.minimum, sample.maximum + 1, sample.users)
        drawn[sample_items(np.zeros(shape), counts, gumbel_noise(shape, rng))] = True
    return drawn


def choice_noise(
    spec: TwinSpec, in_sample: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw Gumbel noise for :func:`choose_items`; minus infinity forbids a choice.

    Choices are within a random sample that includes them, or outside of any other sample, so that
    no pair is in the data twice. Removing a uniform sample from the choosable items changes neither
    the sample nor the relative chances of the other items.
    """
    choosable = in_sample if holds_choices(spec) else ~in_sample
    return np.where(choosable, gumbel_noise(in_sample.shape, rng), -np.inf)


def choose_items(
    spec: TwinSpec,
    exposure: NDArray[np.float64],
    activity: NDArray[np.int64],
    noise: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the users and items of the chosen pairs, given log-weights and Gumbel noise.

    Every item gets a user, unless the choices are only a part of the data.
    """
    return sample_items(exposure, activity, noise, cover_items=not holds_choices(spec))


def holds_choices(spec: TwinSpec) -> bool:
    """Return whether the choices of users are a part of a random sample, which is the data."""
    return spec.random_sample is not None and spec.random_sample.holds_choices


def generate_world(spec: TwinSpec, rng: np.random.Generator) -> World:
    """Generate a world from its specification."""
    shape = (spec.users, spec.items)
    preferences, exposure = spec.preferences, spec.exposure
    quality = rng.standard_normal(spec.items)
    leniency = rng.standard_normal(spec.users)
    noise_share = 1 - preferences.taste - preferences.quality - preferences.leniency
    appeal = np.sqrt(preferences.quality) * quality
    appeal = appeal + np.sqrt(preferences.taste) * _tastes(shape, preferences, rng)
    # Shares that add up to 1 may exceed it by a rounding error.
    appeal += np.sqrt(max(0.0, noise_share)) * rng.standard_normal(shape)
    affinity = appeal + np.sqrt(preferences.leniency) * leniency[:, np.newaxis]

    log_curve = log_popularity_curve(
        quality, exposure.quality_correlation, exposure.head_width, rng
    )
    log_appeal = exposure.relevance_strength * appeal
    activity = draw_activity(spec.activity, spec.users, rng)

    # A pilot sample, separate from the observed one, fits what depends on observation.
    noise = choice_noise(spec, draw_random_sample(spec.random_sample, shape, rng), rng)

    def pilot(exponent: float) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return choose_items(spec, exponent * log_curve + log_appeal, activity, noise)

    exponent = fitted_exponent(
        lambda value: gini(np.bincount(pilot(value)[1], minlength=spec.items)), exposure.item_gini
    )
    observed = affinity if holds_choices(spec) else affinity[pilot(exponent)]
    if spec.scale is not None:
        steps = np.rint(np.array(sorted(spec.scale.marginal)) / spec.scale.step).astype(np.int16)
        relevance = steps[np.searchsorted(rating_bounds(observed, spec.scale), affinity)]
        step = spec.scale.step
    elif spec.plays is not None:
        relevance, step = play_counts(affinity, observed, spec.plays), 1.0
    return World(
        affinity=affinity,
        relevance=relevance,
        step=step,
        exposure=exponent * log_curve + log_appeal,
        activity=activity,
        popularity_exponent=exponent,
    )


def draw_activity(activity: Activity, n_users: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the number of items per user, ``minimum + c * exp(spread * z)`` capped at the maximum.

    The factor c makes the numbers add up to the total; fractions are rounded by largest remainders.
    Shape (n_users,).
    """
    share = np.exp(activity.spread * rng.standard_normal(n_users))

    def numbers(factor: float) -> NDArray[np.float64]:
        return np.minimum(activity.minimum + factor * share, activity.maximum)

    low, high = 0.0, 1.0
    while numbers(high).sum() < activity.total and numbers(high).min() < activity.maximum:
        high *= 2
    # 60 halvings exhaust the precision of a double.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if numbers(middle).sum() < activity.total else (low, middle)
    exact = numbers(high)
    counts = np.floor(exact).astype(np.int64)
    missing = activity.total - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:missing]] += 1
    return counts


def _tastes(
    shape: tuple[int, int], preferences: Preferences, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return products of normal user and item factors of decaying strength, of variance 1.

    They are added up by factor, because a matrix product may be rounded differently on other
    machines.
    """
    users = rng.standard_normal((preferences.factors, shape[0]))
    items = rng.standard_normal((preferences.factors, shape[1]))
    variances = np.arange(1, preferences.factors + 1) ** -preferences.decay
    product: NDArray[np.float64] = np.zeros(shape)
    for variance, user_factor, item_factor in zip(variances, users, items, strict=True):
        product += np.multiply.outer(np.sqrt(variance) * user_factor, item_factor)
    product /= np.sqrt(variances.sum())
    return product


def log_popularity_curve(
    quality: NDArray[np.float64], correlation: float, head_width: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the log-weights of the items for exponent 1, shape (n_items,)."""
    n_items = len(quality)
    chance = rng.standard_normal(n_items)
    prominence = correlation * quality + np.sqrt(1 - correlation**2) * chance
    ranks = np.empty(n_items)
    ranks[np.argsort(-prominence)] = np.arange(1, n_items + 1)
    return -np.log(head_width + ranks / n_items)


def fitted_exponent(item_gini: Callable[[float], float], target: float) -> float:
    """Solve ``item_gini(exponent) = target`` for an increasing function by bisection."""
    low, high = 0.0, LARGEST_EXPONENT
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if item_gini(middle) < target else (low, middle)
    reached = item_gini(high)
    if abs(reached - target) > GINI_TOLERANCE:
        raise ValueError(
            f"An item Gini of {target:g} cannot be reached with these parameters. The nearest is "
            f"{reached:.3f}, at popularity exponent {high:.2f}. Change exposure.item_gini, or "
            "lower exposure.relevance_strength if the Gini is too large and activity.total if "
            "it is too small."
        )
    return high


def rating_bounds(observed: NDArray[np.floating], scale: Scale) -> NDArray[np.floating]:
    """Return the affinities above which each rating but the lowest begins."""
    shares = np.array([scale.marginal[rating] for rating in sorted(scale.marginal)])
    bounds: NDArray[np.floating] = np.quantile(observed, np.cumsum(shares)[:-1] / shares.sum())
    return bounds


def play_counts(
    affinity: NDArray[np.floating], observed: NDArray[np.floating], plays: Plays
) -> NDArray[np.int16]:
    """Return log-normal numbers of plays, 1 to 32,767, by the rank among observed affinities."""
    ordered = np.sort(observed)
    n_above = len(ordered) + 1
    rank = (np.searchsorted(ordered, affinity) + 0.5) / n_above
    log_mean = np.log(plays.mean) - plays.spread**2 / 2
    numbers: NDArray[np.float64] = np.exp(log_mean + plays.spread * ndtri(rank))
    return np.clip(np.rint(numbers), 1, np.iinfo(np.int16).max).astype(np.int16)


DAY = 86_400
SECONDS_PER_RATING = 20


@dataclass(frozen=True)
class Observation:
    """The observed part of a world, one entry per rating (or play), ordered by user.

    Users and items are indices into the world. Values are ratings, or 1 for each play; timestamps
    are seconds since 1970-01-01 UTC. `known` is True where the user chose or knew the item, and
    False where it was drawn for them. `repeated` marks pairs that the raw file also holds with an
    outdated rating, which is not part of the observation.

    Examples
    --------
    User 0 chose item 5, and item 8 was drawn for them:

    >>> seen = Observation(
    ...     users=np.array([0, 0], dtype=np.int32),
    ...     items=np.array([5, 8], dtype=np.int32),
    ...     values=np.array([4, 2], dtype=np.float32),
    ...     timestamps=None,
    ...     known=np.array([True, False]),
    ...     repeated=np.array([False, False]),
    ... )
    >>> len(seen), seen.items[seen.known].tolist()
    (2, [5])
    """

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    values: NDArray[np.float32]
    timestamps: NDArray[np.int64] | None
    known: NDArray[np.bool_] | None
    repeated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.users)


def observe(spec: TwinSpec, world: World, rng: np.random.Generator) -> Observation:
    """Draw which users rate (or play) which items and when.

    Users choose items by the world's exposure, which depends on item and relevance. If a random
    sample includes the choices (CM100k), the data is the sample, and the choices are its known
    part. If it is separate from the choices (Yahoo! R3), the data is both.
    """
    shape = (world.n_users, world.n_items)
    in_sample = draw_random_sample(spec.random_sample, shape, rng)
    noise = choice_noise(spec, in_sample, rng)
    chosen = np.zeros(shape, dtype=np.bool_)
    chosen[choose_items(spec, world.exposure, world.activity, noise)] = True

    users, items = np.nonzero(chosen | in_sample)
    known = None if spec.random_sample is None else chosen[users, items]
    if spec.plays is not None and spec.period is not None:
        plays = world.relevance[users, items].astype(np.int64)
        pairs, timestamps = scrobble_times(
            users, items, plays, spec.period, spec.plays.fade_days, rng
        )
        users, items = users[pairs], items[pairs]
        values = np.ones(len(pairs), dtype=np.float32)
    else:
        timestamps = None
        if spec.period is not None and spec.sessions is not None:
            timestamps = rating_times(users, items, spec.period, spec.sessions, rng)
        values = world.ratings()[users, items]
    return Observation(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=values,
        timestamps=timestamps,
        known=known,
        repeated=rng.random(len(users)) < spec.repeated_share,
    )


def rating_times(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    period: Period,
    sessions: Sessions,
    rng: np.random.Generator,
    appeared: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Draw the time of each rating.

    A user arrives, then has one or more sessions with some of their ratings, a few seconds apart. A
    rating that would precede its item's appearance is moved after it by an exponential delay of
    mean ``active_days``, truncated at the end of the period.
    """
    _, end = _bounds(period)
    n_ratings = np.bincount(users)
    n_users = len(n_ratings)
    arrival = _arrivals(n_users, period, rng)
    if appeared is None:
        appeared = item_appearances(int(items.max()) + 1, period, rng)
    appeared = appeared[items]
    active = np.minimum(end - arrival, rng.exponential(sessions.active_days * DAY, n_users))

    n_sessions = np.maximum(1, rng.poisson(n_ratings / sessions.length))
    first_session = np.cumsum(n_sessions) - n_sessions
    session_user = np.repeat(np.arange(n_users), n_sessions)
    session_start = arrival[session_user] + active[session_user] * rng.random(len(session_user))
    session_start[first_session] = arrival

    session = first_session[users] + (rng.random(len(users)) * n_sessions[users]).astype(np.int64)
    position = _position_in_group(session, rng.permutation(len(users)))
    moments: NDArray[np.float64] = session_start[session] + SECONDS_PER_RATING * (
        position + rng.random(len(users))
    )
    noticed = appeared + _delays(end - appeared, sessions.active_days, rng)
    moments = np.where(moments < appeared, noticed, moments)
    return np.minimum(moments, end - 1).astype(np.int64)


def scrobble_times(
    users: NDArray[np.integer],
    items: NDArray[np.integer],
    plays: NDArray[np.int64],
    period: Period,
    fade_days: float,
    rng: np.random.Generator,
    appeared: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Expand numbers of plays into single plays with times.

    A listener discovers an artist at a uniform time between the arrival of the later of the two and
    the end of the period. The delay of a play after the discovery is exponential, truncated at the
    end of the period.
    """
    _, end = _bounds(period)
    arrived = _arrivals(int(users.max()) + 1, period, rng)[users]
    if appeared is None:
        appeared = item_appearances(int(items.max()) + 1, period, rng)
    earliest = np.maximum(arrived, appeared[items])
    pairs = np.repeat(np.arange(len(users)), plays)
    discovered = (earliest + (end - earliest) * rng.random(len(users)))[pairs]
    times = np.minimum(discovered + _delays(end - discovered, fade_days, rng), end - 1)
    return pairs, times.astype(np.int64)


def item_appearances(n_items: int, period: Period, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw when each item appears, in seconds since 1970-01-01 UTC, shape (n_items,)."""
    start, end = _bounds(period)
    from_start = rng.random(n_items) < period.items_at_start
    return np.where(from_start, float(start), rng.uniform(start, end, n_items))


def _bounds(period: Period) -> tuple[int, int]:
    """Return the first second of the period and the first second after it."""
    start, end = (datetime.combine(day, time(), UTC) for day in (period.start, period.end))
    return int(start.timestamp()), int(end.timestamp())


def _arrivals(n_users: int, period: Period, rng: np.random.Generator) -> NDArray[np.float64]:
    start, end = _bounds(period)
    return start + period.arrival_share * (end - start) * rng.random(n_users)


def _delays(
    longest: NDArray[np.float64], mean_days: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw exponential delays in seconds, conditional on being at most `longest`."""
    scale = mean_days * DAY
    below_longest = -np.expm1(-longest / scale)
    return -scale * np.log1p(-below_longest * rng.random(len(longest)))


def _position_in_group(
    groups: NDArray[np.integer], priority: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the index of each entry in its group, from 0, in the order of priority."""
    order = np.lexsort((priority, groups))
    ordered = groups[order]
    position = np.empty(len(groups), dtype=np.int64)
    position[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return position
