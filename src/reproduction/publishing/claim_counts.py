# SPDX-License-Identifier: MIT
"""Counts of claims, and forest plots of the certainty of verdicts.

Each claim is counted once whatever its number of datasets; a plot has one row per claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.finish import beside, figure_of, legend_below, letter_panels
from receval.figures.printed_numbers import in_text
from receval.figures.style import COLOURS, DOUBLE_COLUMN, new_figure, shaded
from receval.storage.files import real_values
from receval.storage.messages import enumerated
from reproduction.claims.repetition import SOURCES
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.studies._shared.published import PUBLISHED_GREY

_TOLD = ("claim", "statement", "dataset", "verdict")


def in_print(text: str) -> str:
    """Return a text of the ledger with numbers formatted as in tables.

    Examples
    --------
    >>> in_print("tau is 0.25 for 50% of the users")
    'tau is .25 for 50 % of the users'
    """
    printed = in_text(text)
    # Powers of ten would become Markdown formulas, which the paper cannot read.
    return text if "$" in printed else printed


def verdict_counts(claims: pd.DataFrame, by: str) -> list[dict[str, Any]]:
    """Return how many claims have each verdict, for each value of a column, and in total."""
    found = [_counts(str(name), rows) for name, rows in claims.groupby(by, sort=False)]
    return [*found, _counts("all", claims)]


def _counts(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    found = {str(verdict): int((rows["verdict"] == verdict).sum()) for verdict in ClaimVerdict}
    return {"name": name, "claims": len(rows), **found}


def failing_claims(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the claims that do not hold, or only in part, by paper and known reason."""
    wanted = (str(ClaimVerdict.DOES_NOT_HOLD), str(ClaimVerdict.HOLDS_IN_PART))
    rows = ledger[(ledger["form"] == "") & ledger["verdict"].isin(wanted)]
    return [
        {
            "paper": str(paper),
            "reason": in_print(str(reason)),
            "claims": [
                {name: in_print(str(row[name])) for name in _TOLD}
                for row in found.to_dict("records")
            ],
        }
        for (paper, reason), found in rows.groupby(["paper", "reason"], sort=False)
    ]


NO_CAUSE = "No cause is known"


def counts_by_cause(
    claims: pd.DataFrame, causes: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """Count the claims that do not hold, or only in part, by cause; those without one come last."""
    named = [claim for found in causes.values() for claim in found]
    if unknown := sorted(set(named) - set(claims["claim"])):
        raise ValueError(
            f"The paper names causes of {enumerated(unknown)}, which the ledger does not have. "
            "Correct paper/numbers.yaml."
        )
    if twice := sorted({claim for claim in named if named.count(claim) > 1}):
        raise ValueError(
            f"The paper names two causes of {enumerated(twice)}. Keep only one in "
            "paper/numbers.yaml."
        )
    others = [claim for claim in claims["claim"] if claim not in set(named)]
    rows = []
    for cause, own in {**causes, NO_CAUSE: others}.items():
        verdicts = claims.loc[claims["claim"].isin(list(own)), "verdict"]
        in_part = int((verdicts == ClaimVerdict.HOLDS_IN_PART).sum())
        not_at_all = int((verdicts == ClaimVerdict.DOES_NOT_HOLD).sum())
        if cause != NO_CAUSE or in_part or not_at_all:
            rows.append({"cause": cause, "in-part": in_part, "failing": not_at_all})
    return rows


# Counts of the certainty of verdicts by paper, kind and verdict, and sources of variance.

OUTCOMES = ("always", "mostly", "rarely", "never")
"""In how many replications a claim holds: all, at least half, fewer, or none."""

NOT_REPEATED = "not repeated"

TOLD_BESIDE = "told beside"
"""The outcome where splits do not decide, as they are of another design than the paper's."""

_PLACES = ("inside", "outside")
"""The outcome of a number: where the published one lies, by our prediction interval."""
_JUDGED = (ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD)
_KINDS = {True: "numbers", False: "all other kinds"}


def with_outcomes(
    certainty: pd.DataFrame, ledger: pd.DataFrame, causes: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Return the certainty of claims with their outcome, kind, verdict and cause.

    ``ledger`` has one row per claim, dataset and form; ``one_split`` is the verdict of the single
    run. The ``outcome`` is one of :data:`OUTCOMES`, of a number ``inside`` or ``outside`` of our
    interval, or ``not repeated`` or ``told beside``. ``kind``, ``verdict`` and ``cause`` are from
    the single run; the cause may be empty.
    """
    own = certainty[certainty["form"] == ""].reset_index(drop=True)
    trials, holding = (real_values(own[name]) for name in ("replications", "holding"))
    place = own["location"].astype(str)
    outcomes = np.select(
        [
            ~(trials > 0),
            own["beside"].astype(str) != "",
            place.isin(_PLACES),
            holding == trials,
            holding == 0,
            2 * holding >= trials,
        ],
        [NOT_REPEATED, TOLD_BESIDE, place, "always", "never", "mostly"],
        "rarely",
    )
    keys = ["claim", "dataset"]
    known = ledger.loc[ledger["form"] == "", [*keys, "kind", "one_split"]]
    known = known.rename(columns={"one_split": "verdict"})
    found = own.assign(outcome=outcomes).merge(known, on=keys, how="left", validate="one_to_one")
    cause_of = {claim: cause for cause, claims in causes.items() for claim in claims}
    return found.assign(cause=found["claim"].map(cause_of).fillna("")).fillna(
        {"kind": "", "verdict": ""}
    )


def certainty_counts(certainty: pd.DataFrame) -> list[dict[str, Any]]:
    """Return how many repeated verdicts have each outcome; without those only told beside.

    The groups are those of a ``paper``, a ``kind``, a ``verdict`` of the single run, or ``all``.
    """
    rows = certainty[~certainty["outcome"].isin([NOT_REPEATED, TOLD_BESIDE])]
    groups = [
        *(("paper", paper, rows["paper"] == paper) for paper in rows["paper"].drop_duplicates()),
        *(
            ("kind", name, (rows["kind"] == "number") == is_number)
            for is_number, name in _KINDS.items()
        ),
        *(("verdict", str(verdict), rows["verdict"] == verdict) for verdict in _JUDGED),
        ("all", "all", pd.Series(data=True, index=rows.index)),
    ]
    return [
        {
            "group": group,
            "name": name,
            "verdicts": int(chosen.sum()),
            **{
                word: int((rows.loc[chosen, "outcome"] == word).sum())
                for word in (*OUTCOMES, *_PLACES)
            },
        }
        for group, name, chosen in groups
        if chosen.any()
    ]


def with_failures_elsewhere(
    causes: Sequence[Mapping[str, Any]], certainty: pd.DataFrame
) -> list[dict[str, Any]]:
    """Return the counts by cause, with the number of failures that hold in some replication."""
    holding = certainty["outcome"].isin(["always", "mostly", "rarely"])
    rows = certainty[holding & (certainty["verdict"] == ClaimVerdict.DOES_NOT_HOLD)]
    named = rows["cause"].where(rows["cause"] != "", NO_CAUSE)
    return [{**row, "elsewhere": int((named == row["cause"]).sum())} for row in causes]


def variance_shares(variance: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the mean shares of the sources of chance, for each artifact and for all of them."""
    names = (*SOURCES, "rest")
    shares = pd.DataFrame({name: real_values(variance[name]) for name in names})
    shares = shares.assign(artifact=variance["artifact"].to_numpy()).dropna()
    groups = [*shares.groupby("artifact", sort=True), ("all", shares)]
    return [
        {
            "artifact": str(artifact),
            "numbers": len(rows),
            **{name: float(rows[name].mean()) for name in names},
        }
        for artifact, rows in groups
        if len(rows)
    ]


COLUMNS = (
    "claim",
    "dataset",
    "replications",
    "share",
    "share_low",
    "share_high",
    "share_in_part",
    "position",
    "location",
    "beside",
)
"""Columns of the drawn rows; ``position`` is where the published number lies, in halves of our
prediction interval from our mean, and ``beside`` why the splits do not decide."""

MOST_SAID = 2
"""Largest number of published numbers that the caption says, without a panel of their own."""

FARTHEST = 3.0
"""Position of published numbers that lie farther out."""

_LINE = 0.145  # inches
_LETTERS = 66  # of a line of a statement
_CODE = 34.0  # points from a code to its statement, without and with the name of a dataset
_CODE_WITH_DATASET = 62.0
_HOLDS = COLOURS[0]
_IN_PART = shaded(_HOLDS, 0.7)
_INTERVAL = "#E4E4E4"
_IN_A_ROW: dict[str, Any] = {
    **{"ha": "center", "va": "center", "color": PUBLISHED_GREY},
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.5},
}


def drawn_rows(certainty: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return the rows of a paper's figure: the claims that some replication decides."""
    own = (certainty["paper"] == study) & (certainty["form"] == "")
    rows = certainty[own & (certainty["replications"] > 0)].reset_index(drop=True)
    names = ("share", "share_low", "share_high", "published", "mean", "low", "high", "in_part")
    numbers = {name: real_values(rows[name]) for name in names}
    with np.errstate(invalid="ignore", divide="ignore"):
        half = (numbers["high"] - numbers["low"]) / 2
        off = numbers["published"] - numbers["mean"]
        # If a number never varies, any other lies outside; 0 / 0 is undefined.
        position = np.where((half == 0) & (off == 0), 0.0, off / half)
    found = {
        **{name: rows[name] for name in ("claim", "dataset", "replications")},
        **{name: numbers[name] for name in ("share", "share_low", "share_high")},
        "share_in_part": numbers["in_part"] / rows["replications"].to_numpy(dtype=np.float64),
        "position": position,
        "location": rows["location"],
        "beside": rows["beside"],
    }
    return pd.DataFrame(found, columns=list(COLUMNS)).sort_values(
        ["claim", "dataset"], kind="stable", ignore_index=True
    )


def caption(rows: pd.DataFrame, *, is_demo: bool) -> str:
    """Return the caption of a paper's figure."""
    most = int(rows["replications"].max()) if len(rows) else 0
    several = _has_panel(rows)
    return " ".join(
        (
            f"{'(a) ' * several}Share of replications with other root seeds in which each claim of "
            f"the paper holds, with its 95 % Wilson interval ({most} replications at most). The "
            "pale bar beside the dot is the share in which it holds in part. Numbers have none.",
            *((_OF_NUMBERS,) if several else _said_places(rows)),
            *said_of_hollow_dots(rows),
            *(("The data are synthetic twins.",) if is_demo else ()),
        )
    )


def said_of_hollow_dots(rows: pd.DataFrame) -> list[str]:
    """Return a sentence for each reason why splits do not decide."""
    reasons = sorted(set(rows["beside"].astype(str)) - {""})
    said = "A hollow dot decides no verdict alone, and is told beside that of the one run"
    return [f"{said}: {why}." for why in reasons]


_OF_NUMBERS = (
    "(b) If the claim is a number, where the published one lies: the grey band is our 95 % "
    "prediction interval for one more replication, from -1 to 1 about our mean, and a triangle "
    "lies beyond three times its half width. A half-filled mark is outside the band only because "
    "the paper prints few digits: numbers that round to the printed one are inside."
)


def _has_panel(rows: pd.DataFrame) -> bool:
    """Return whether the published numbers are enough for a panel."""
    return int((~np.isnan(real_values(rows["position"]))).sum()) > MOST_SAID


def _said_places(rows: pd.DataFrame) -> list[str]:
    """Return a sentence for each published number."""
    sentences = []
    for claim, place, position in zip(
        rows["claim"], rows["location"], real_values(rows["position"]), strict=True
    ):
        if not np.isnan(position):
            far = f"{abs(position):.1f}" if np.isfinite(position) else "infinitely many"
            side = "below" if position < 0 else "above"
            rounded = ", as it was rounded" * _is_rounded(str(place), position)
            sentences.append(
                f"The number published for {claim} is {place} our 95 % prediction interval for "
                f"one more replication{rounded}: {far} half widths {side} our mean."
            )
    return sentences


def _is_rounded(place: str, position: float) -> bool:
    """Return whether a number is inside only because another one that rounds to it is."""
    return place == "inside" and bool(abs(position) > 1)


def draw(rows: pd.DataFrame, statements: Mapping[str, str], datasets: Mapping[str, str]) -> Figure:
    """Draw the certainty of a paper's claims, one row per claim, with its statement.

    If claims are of several datasets, the titles of these follow the codes.
    Published numbers have rows and a panel of their own, below the others, if there are more than
    :data:`MOST_SAID`. Fewer have words in their rows, and the caption says where they lie.
    """
    positions = real_values(rows["position"])
    in_panel = ~np.isnan(positions) & _has_panel(rows)
    parts = [rows[chosen] for chosen in (~in_panel, in_panel) if chosen.any()]
    texts = {
        str(claim): fill(in_print(statements[str(claim)]), _LETTERS) for claim in rows["claim"]
    }
    lines = [np.array([texts[str(c)].count("\n") + 1 for c in own["claim"]]) for own in parts]
    heights = [max(own.sum(), 4) for own in lines]
    figure = new_figure(DOUBLE_COLUMN, 0.4 + 0.9 * len(parts) + _LINE * sum(heights))
    grid = figure.subplots(
        len(parts), 2, squeeze=False, width_ratios=(3.2, 2.2), height_ratios=heights
    )
    titled = rows.assign(dataset=rows["dataset"].map({"": "", **datasets}))
    several = len(set(titled["dataset"]) - {""}) > 1
    for (names, panel), own, counts in zip(grid, parts, lines, strict=True):
        # A row is at the middle of its lines.
        places = np.cumsum(counts) - (counts + 1) / 2
        _print_names(names, titled.loc[own.index], places, texts, several=several)
        (_draw_places if in_panel[own.index[0]] else _draw_shares)(panel, own, places)
        for axes in (names, panel):
            axes.set_ylim(counts.sum() - 0.5, -0.5)
            axes.grid(visible=False, axis="y")
            axes.set_yticks([])
            axes.spines["left"].set_visible(False)
    letter_panels(grid[:, 1])
    _add_legend(grid[0, 1], rows, in_panel)
    return figure


def _print_names(
    axes: Axes,
    rows: pd.DataFrame,
    places: NDArray[np.float64],
    texts: Mapping[str, str],
    *,
    several: bool,
) -> None:
    """Print the code, the statement and, if there are several, the dataset of each row."""
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    for claim, dataset, place in zip(rows["claim"], rows["dataset"], places, strict=True):
        code = f"{claim} {dataset}" if several and dataset else str(claim)
        at = _CODE_WITH_DATASET if several else _CODE
        for shift, printed in (0.0, code), (at, texts[str(claim)]):
            across = axes.get_yaxis_transform()
            beside(axes, printed, (0, place), (shift, 0), xycoords=across, va="center")


def _draw_shares(axes: Axes, rows: pd.DataFrame, places: NDArray[np.float64]) -> None:
    share, low, high = (real_values(rows[name]) for name in ("share", "share_low", "share_high"))
    in_part = real_values(rows["share_in_part"])
    axes.barh(places, in_part, left=share, height=0.3, color=_IN_PART, linewidth=0)
    axes.hlines(places, low, high, color=_HOLDS, linewidth=0.9)
    decides = rows["beside"] == ""
    for own, inner in (decides, _HOLDS), (~decides, "white"):
        # The size of an empty line that is not clipped is not defined.
        if own.any():
            axes.plot(share[own], places[own], "o", c=_HOLDS, ms=3, mfc=inner, clip_on=False)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1])
    axes.set_title("How often it holds")
    axes.set_xlabel("Share of replications")
    for place, location, position in zip(
        places, rows["location"], real_values(rows["position"]), strict=True
    ):
        if not np.isnan(position):
            rounded = ", as rounded" * _is_rounded(str(location), position)
            beside(
                axes, f"number: {location} our interval{rounded}", (0.5, place), (0, 0), **_IN_A_ROW
            )


def _draw_places(axes: Axes, rows: pd.DataFrame, places: NDArray[np.float64]) -> None:
    axes.barh(places, 2, left=-1, height=0.75, color=_INTERVAL, linewidth=0, zorder=0)
    axes.vlines(np.zeros(len(places)), places - 0.38, places + 0.38, color="white", lw=0.8)
    for place, location, position in zip(
        places, rows["location"].astype(str), real_values(rows["position"]), strict=True
    ):
        at = float(np.clip(position, -FARTHEST, FARTHEST))
        marker = ("<" if at < 0 else ">") if abs(position) > FARTHEST else "D"
        rounded, inside = _is_rounded(location, position), location == "inside"
        filled = _filled("bottom" if rounded else "none" if inside else "full")
        axes.plot([at], [place], marker=marker, markersize=3.2, clip_on=False, **filled)
    axes.set_xlim(-FARTHEST, FARTHEST)
    axes.set_xticks([-1, 0, 1])
    axes.set_title("Published number")
    axes.set_xlabel("Half widths from our mean")


def _filled(part: str) -> dict[str, Any]:
    """Return the style of a diamond of which all, the lower half or nothing is filled."""
    return {
        "fillstyle": "bottom" if part == "bottom" else "full",
        "markerfacecolor": "white" if part == "none" else PUBLISHED_GREY,
        "markerfacecoloralt": "white",
        "markeredgecolor": PUBLISHED_GREY,
        "markeredgewidth": 0.8,
    }


def _add_legend(axes: Axes, rows: pd.DataFrame, in_panel: NDArray[np.bool_]) -> None:
    """Add a legend of the marks below the panels."""
    told_beside = rows["beside"][~in_panel] != ""
    dot = {"color": _HOLDS, "marker": "o", "linewidth": 0.9}
    lines: dict[str, dict[str, Any]] = {
        **({} if told_beside.all() else {"holds, with Wilson interval": dot}),
        **({"decides no verdict alone": dot | {"mfc": "white"}} if told_beside.any() else {}),
        **({"holds in part": {"color": _IN_PART, "linewidth": 4}} if len(told_beside) else {}),
    }
    if in_panel.any():
        mark = {"linestyle": "none", "marker": "D"}
        lines |= {
            "our prediction interval": {"color": _INTERVAL, "linewidth": 6},
            "published number inside": mark | _filled("none"),
            "inside if not rounded": mark | _filled("bottom"),
            "outside": mark | _filled("full"),
        }
    if (np.abs(real_values(rows["position"])[in_panel]) > FARTHEST).any():
        lines["beyond three half-widths"] = {"linestyle": "none", "marker": ">"} | _filled("full")
    for label, style in lines.items():
        axes.plot([], [], label=label, markersize=3, **style)
    legend_below(figure_of(axes))
