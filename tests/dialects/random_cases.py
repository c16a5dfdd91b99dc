# SPDX-License-Identifier: MIT
"""Random judgments and lists with all that tools stumble over, the same in every environment."""

from __future__ import annotations

from random import Random

CASES = 300
ITEMS = [f"d{number}" for number in range(12)]

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

# Some are equal in single precision alone, some beyond it.
_SCORES = (-1.0, 0.0, 0.1, 0.1 + 1e-12, 2.0, 1_700_000_001.0, 1_700_000_002.0, 3.5e38, 3.6e38)


def random_case(number: int, *, ties: bool) -> tuple[Grades, Scores]:
    """Return judgments from -2 to 3 of five users, and lists of four of them and of a stranger.

    One user at least has nothing relevant, another one no list.

    Parameters
    ----------
    number : int
        From 0 to :data:`CASES`, exclusive; users are called by it.
    ties : bool
        Whether items of a list may have one score.
    """
    random = Random(number)
    users = [f"c{number}u{user}" for user in range(6)]
    grades = {
        user: {item: random.choice((-2, -1, 0, 0, 1, 1, 2, 3)) for item in some_items(random)}
        for user in users[:5]
    }
    grades[users[3]] = dict.fromkeys(grades[users[3]], random.choice((-1, 0)))
    for user in users[:3]:
        # Somebody has something relevant, or tools have nothing to average.
        grades[user][random.choice(ITEMS)] = random.choice((1, 2, 3))
    scores = {}
    for user in (*users[:4], users[5]):
        items = some_items(random)
        if ties:
            scores[user] = {item: random.choice(_SCORES) for item in items}
        else:
            scores[user] = dict(zip(items, random.sample(_SCORES, len(items)), strict=True))
    return grades, scores


def some_items(random: Random) -> list[str]:
    return random.sample(ITEMS, random.randint(1, 9))
