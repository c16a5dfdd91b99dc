# SPDX-License-Identifier: MIT
"""Report how often each system wins in the universes of given ratings, and what flips it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.figures.printed_numbers import fixed, in_text, p_value, significant
from receval.figures.specification_curve import MarkedUniverse, specification_curve
from receval.figures.style import LONGEST_NAME, legend_name
from receval.figures.tables import Column, Table, table_of
from receval.multiverse.decisions import DECISION_NAMES
from receval.multiverse.description import (
    NO_DIFFERENCE,
    decision_title,
    decisions_of,
    describe,
    level_title,
)
from receval.multiverse.exploration import REASONS, counts_of_reasons
from receval.multiverse.explore_ratings import ExploredRatings
from receval.multiverse.verdicts import (
    CANNOT_TELL,
    VERDICTS,
    changes_from_start,
    flips_by_decision,
    index_of_universe,
    shares_that_tell,
    telling,
    wins_by_level,
)
from receval.storage.messages import how_many

_SHARES = tuple(VERDICTS.values())

MOST_DRAWN = 15
"""The most pairs of systems with a figure; all pairs have tables."""


def multiverse_report(found: ExploredRatings, title: str = "Multiverse") -> Report:
    """Return a report with tables, figures and sentences on all pairs of systems.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
    >>> from receval.multiverse.decisions import DecisionGrid
    >>> from receval.multiverse.explore_ratings import explore_ratings
    >>> from receval.recommenders.non_personalised import Popularity, Random
    >>> table = {"user": list("aaabbbccc"), "item": list("xyzxyzxyz"), "rating": [5, 1, 4] * 3}
    >>> systems = {"Pop": lambda seed: Popularity(), "Random": lambda seed: Random(seed)}
    >>> grid = DecisionGrid(metric=[{"name": "P"}, {"name": "nDCG"}])
    >>> report = multiverse_report(explore_ratings(read_ratings(table), systems, grid=grid))
    >>> report.tables[0].title, sorted(report.data)
    ('Who wins how often', ['changes', 'flips', 'levels', 'per_user', 'universes'])
    """
    levels, flips, changes = [], [], []
    parts: list[ReportPart] = []
    names = _file_names(found.pairs)
    for number, (first, second) in enumerate(found.pairs):
        own = found.of_pair(first, second)
        key = {"first_system": first, "second_system": second}
        name = names[number]
        of_levels, of_flips = wins_by_level(own), flips_by_decision(own)
        of_changes = changes_from_start(own, found.start)
        levels.append(of_levels.assign(**key))
        flips.append(of_flips.assign(**key))
        changes.append(of_changes)
        parts += [
            ReportText(f"{first} and {second}", _sentences(own, of_flips, of_changes)),
            *(_figures(own, found, f"universes{name}") if number < MOST_DRAWN else []),
            ReportTable(f"flips{name}", _flips_table(of_flips, first, second)),
            ReportTable(f"levels{name}", _levels_table(of_levels, first, second)),
            ReportTable(f"changes{name}", _changes_table(of_changes, first, second)),
        ]
    drawn = (
        [f"The first {MOST_DRAWN} of {len(found.pairs):,} pairs have a figure."]
        if len(found.pairs) > MOST_DRAWN
        else []
    )
    head = ReportText(
        "The starting configuration",
        (
            in_text(describe(found.start, found.settings["relevant"])),
            f"The universes are all {found.settings['universes']:,} legal combinations of the "
            "levels below. A system wins a universe if the difference is significant at .05 "
            "(under the bootstrap, in most samples of users) and the test and the difference "
            "agree on who is ahead. Universes that cannot tell, whatever the systems are, are "
            "shown separately and are not counted in any share.",
            *drawn,
        ),
    )
    data = {
        "universes": found.universes,
        "levels": pd.concat(levels, ignore_index=True),
        "flips": pd.concat(flips, ignore_index=True),
        "changes": pd.concat(changes, ignore_index=True),
        "per_user": found.per_user,
    }
    first_parts: tuple[ReportPart, ...] = (ReportTable("wins", _wins_table(found)), head)
    return Report(
        title, (*first_parts, *parts), data, found.notes, found.settings, found.reading, found.words
    )


def _file_names(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return what the names of a pair's files end in; numbered if some would be the same."""
    names = [f"-{'-'.join(re.sub(r'[^A-Za-z0-9]+', '_', own) for own in pair)}" for pair in pairs]
    if len({name.lower() for name in names}) < len(names):
        return [f"{name}-{number}" for number, name in enumerate(names, 1)]
    return names if len(names) > 1 else [""]


def _percent(share: float) -> str:
    return fixed(100 * share, 1)


def _standing(universe: pd.Series, first: str, second: str) -> str:
    names = {
        "first": f"{first} wins",
        "second": f"{second} wins",
        "tie": NO_DIFFERENCE,
        CANNOT_TELL: CANNOT_TELL,
    }
    return names[str(universe["verdict"])]


def _wins_table(found: ExploredRatings) -> Table:
    rows = []
    for first, second in found.pairs:
        own = found.of_pair(first, second)
        shares = shares_that_tell(own)
        start = own.iloc[index_of_universe(own, found.start)]
        percents = (_percent(shares[name]) for name in _SHARES)
        untold = f"{shares['cannot_tell']:,}"
        rows.append((first, second, *percents, untold, _standing(start, first, second)))
    heads = ("First wins (%)", "Neither (%)", "Second wins (%)", "Cannot tell")
    return Table(
        "Who wins how often",
        (
            Column("First"),
            Column("Second"),
            *(Column(head, "right") for head in heads),
            Column("At the start"),
        ),
        tuple(rows),
        caption=(
            f"Of {found.settings['universes']:,} universes: how many cannot tell, and in which "
            "shares of the others a system is significantly better, or none is; and what the "
            "starting configuration says."
        ),
    )


def _sentences(own: pd.DataFrame, flips: pd.DataFrame, changes: pd.DataFrame) -> tuple[str, ...]:
    first, second = str(own["first"].iloc[0]), str(own["second"].iloc[0])
    shares = shares_that_tell(own)
    able = f"{shares['universes'] - shares['cannot_tell']:,}"
    told = [
        f"{first} wins {_percent(shares['first'])} % of {able} universes, {second} "
        f"{_percent(shares['second'])} %; in {_percent(shares['tie'])} % there is {NO_DIFFERENCE}."
    ]
    if shares["cannot_tell"] == shares["universes"]:
        told = [f"No universe can tell {first} from {second}."]
    told += [
        f"{how_many(count, 'more universe')} cannot tell: {REASONS[reason]}."
        for reason, count in counts_of_reasons(own).items()
        if count
    ]
    most = flips.sort_values("changes", ascending=False, kind="stable").head(2)
    ranked = [
        f"{decision_title(row.decision)} ({_percent(row.changes)} % of single changes)"
        for row in most.itertuples()
        if row.changes > 0
    ]
    if ranked:
        told.append(f"The verdict changes most often with {' and '.join(ranked)}.")
    else:
        told.append("No single change of a decision changes the verdict.")
    start, others = changes.iloc[0], telling(changes.iloc[1:])
    if start["verdict"] == CANNOT_TELL:
        told.append("The starting configuration cannot tell.")
        return tuple(told)
    different = int((others["verdict"] != start["verdict"]).sum())
    told.append(
        f"At the start: {_standing(start, first, second)}. The verdict differs in {different} of "
        f"{len(others)} universes that are one decision away and can tell."
    )
    return tuple(told)


def _figures(own: pd.DataFrame, found: ExploredRatings, name: str) -> list[ReportPart]:
    start = own.index[index_of_universe(own, found.start)]
    untold, own = len(own) - len(telling(own)), telling(own)
    decisions = decisions_of(own, DECISION_NAMES) if len(own) else []
    if not decisions:
        return []
    first, second = str(own["first"].iloc[0]), str(own["second"].iloc[0])
    names = [legend_name(name, (first, second)) for name in (first, second)]
    # The label must not be higher than the panel.
    separator = " " if len("".join(names)) <= LONGEST_NAME - 5 else "\n"
    marked = None
    if start in own.index:
        place = own.index.get_loc(start)
        marked = MarkedUniverse(int(place), "starting configuration")

    def draw() -> Figure:
        return specification_curve(
            own["effect"],
            own["verdict"].map({name: sign for sign, name in VERDICTS.items()}),
            decisions,
            first=names[0],
            second=names[1],
            value_label="Standardised difference,\n"
            f"({names[0]} \N{MINUS SIGN}{separator}{names[1]})/SD",
            marked=marked,
        )

    caption = (
        f"{first} and {second} in {len(own):,} universes: the difference over the standard "
        "deviation of the users' differences, in ascending order, and below it how often the "
        "universes at each place took each decision."
        + (f" {untold:,} universes that cannot tell are left out." if untold else "")
    )
    return [ReportFigure.drawn(name, draw, caption)]


def _flips_table(flips: pd.DataFrame, first: str, second: str) -> Table:
    ordered = flips.sort_values("changes", ascending=False, kind="stable", na_position="last")
    return table_of(
        ordered.assign(decision=ordered["decision"].map(decision_title)),
        {
            "Decision": ("decision", str),
            "Neighbours": ("neighbours", "{:,}".format),
            "Verdict changes (%)": ("changes", _percent),
            "Winner reversed (%)": ("reversed", _percent),
            "Variance (%)": ("explained", _percent),
        },
        f"What flips it: {first} and {second}",
        "Neighbours: pairs of universes that differ in the decision alone. In how many of them "
        "the verdict changes, in how many one system wins and then the other, and how much of "
        "the variance of the verdict the decision explains alone (type II sums of squares).",
    )


def _levels_table(levels: pd.DataFrame, first: str, second: str) -> Table:
    of_all = levels["decision"] == ""
    # A level that all universes have tells no more than the row of all universes.
    shown = levels[of_all | (levels["universes"] < levels["universes"].iloc[0])]
    own = list(zip(shown["decision"], shown["level"], strict=True))
    return table_of(
        shown.assign(
            decision=[
                decision_title(decision) if decision else "All universes" for decision, _ in own
            ],
            level=[in_text(level_title(*pair)) if pair[0] else "" for pair in own],
        ),
        {
            "Decision": ("decision", str),
            "Level": ("level", str),
            "Universes": ("universes", "{:,}".format),
            "Cannot tell": ("cannot_tell", "{:,}".format),
            f"{first} wins (%)": ("first", _percent),
            "Neither (%)": ("tie", _percent),
            f"{second} wins (%)": ("second", _percent),
        },
        f"By decision: {first} and {second}",
        "How often each system wins at each level of the decisions with several levels, among "
        "the universes that can tell.",
    )


def _changes_table(changes: pd.DataFrame, first: str, second: str) -> Table:
    rows = []
    for _, row in changes.iterrows():
        decision, p = str(row["decision"]), float(row["p_value"])
        rows.append(
            (
                decision_title(decision) if decision else "(start)",
                in_text(level_title(decision, str(row["level"]))) if decision else "",
                significant(float(row["value"])),
                significant(float(row["other_value"])),
                p_value(p) if p == p else f"({fixed(100 * float(row['rejected']), 0)} %)",
                in_text(level_title("test", str(row["test"]))),
                _standing(row, first, second),
            )
        )
    return Table(
        f"One decision away from the start: {first} and {second}",
        (
            Column("Decision"),
            Column("Changed to"),
            *(Column(head, "right") for head in (first, second, "p")),
            Column("Test"),
            Column("Verdict"),
        ),
        tuple(rows),
        caption=(
            "The values of both systems. Another aggregation may have tests of its own. In "
            "brackets: the share of bootstrap samples that reject."
        ),
    )
