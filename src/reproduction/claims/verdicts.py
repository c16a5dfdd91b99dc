# SPDX-License-Identifier: MIT
"""Verdicts on a claim: how those on its parts are combined, and their words.

A study that rebuilds a paper is named after author and year. The claims of the five papers that
this repository is about are counted apart from those of newer papers. The follow-up study judges
statements of many newer papers that are not rebuilt; these are reported as seen or not seen on our
data.

The certainty of a verdict is how many replications hold, and where the published number lies.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from receval.figures.printed_numbers import as_written, significant

if TYPE_CHECKING:
    from reproduction.datasets.spec import DatasetSpec


MOST_NAMED = 6
"""How many parts a text names; the others are counted."""

NOT_SHOWN = "Not shown: "


class ClaimVerdict(StrEnum):
    """What our results say about a claim."""

    HOLDS = "holds"
    HOLDS_IN_PART = "holds in part"
    DEPENDS_ON_SPLIT = "depends on the split"
    DOES_NOT_HOLD = "does not hold"
    UNDECIDABLE = "undecidable here"
    AS_DEFINED = "as defined"
    CONTRADICTS_ITSELF = "contradicts itself"


IN_PAPER = ("consistent", "inconsistent", "not given")
"""What a paper's own values say of a claim (:class:`reproduction.claims.spec.ValuesOfPaper`)."""


@dataclass(frozen=True)
class Finding:
    """The result of a rule: what our results have and how it was decided, both in a few words.

    ``detail`` says which parts fail, or by how much; for undecidable claims, what would decide
    them. The paper's number, ours and its interval are NaN where there are none. ``parts`` is the
    detail without numbers, which have no unit; None if it has none. ``by_split`` has the verdict of
    each split, if the study itself made several.
    """

    verdict: ClaimVerdict
    ours: str
    rule: str
    detail: str = ""
    published: float = float("nan")
    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    parts: str | None = None
    by_split: tuple[ClaimVerdict, ...] = ()

    @property
    def only_parts(self) -> str:
        """Which parts fail, without the numbers of the rule."""
        return self.detail if self.parts is None else self.parts


def verdict_of(shown: Sequence[bool], enough: float = 1.0) -> ClaimVerdict:
    """Return the verdict on a claim from which of its parts are shown.

    ``enough`` is the share of parts with which the claim holds; with half of it, it holds in part.

    Examples
    --------
    >>> verdict_of([True, True, False]), verdict_of([True, False, False])
    (<ClaimVerdict.HOLDS_IN_PART: 'holds in part'>, <ClaimVerdict.DOES_NOT_HOLD: 'does not hold'>)
    """
    if not shown:
        raise ValueError("A claim without parts cannot be judged. Select something to compare.")
    share = sum(shown) / len(shown)
    if share >= enough:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.HOLDS_IN_PART if share >= enough / 2 else ClaimVerdict.DOES_NOT_HOLD


def overall_verdict(verdicts: Collection[str]) -> str:
    """Return the verdict on a claim from the verdicts on all of its datasets.

    Examples
    --------
    >>> overall_verdict(["holds", "does not hold"]), overall_verdict(["holds", "holds"])
    ('holds in part', 'holds')
    >>> overall_verdict(["holds", "depends on the split", "undecidable here"])
    'depends on the split'
    """
    different = set(verdicts) - {ClaimVerdict.UNDECIDABLE} or set(verdicts)
    if len(different) == 1:
        return different.pop()
    if ClaimVerdict.CONTRADICTS_ITSELF in different:
        return str(ClaimVerdict.CONTRADICTS_ITSELF)
    if different <= {ClaimVerdict.HOLDS, ClaimVerdict.DEPENDS_ON_SPLIT}:
        return str(ClaimVerdict.DEPENDS_ON_SPLIT)
    return str(ClaimVerdict.HOLDS_IN_PART)


def overall_in_paper(found: Collection[str]) -> str:
    """Combine what a paper says on all datasets about a claim; one contradiction is enough.

    Examples
    --------
    >>> overall_in_paper(["consistent", "inconsistent"]), overall_in_paper(["", "not given"])
    ('inconsistent', 'not given')
    """
    return next((word for word in ("inconsistent", "consistent") if word in found), max(found))


def failing(parts: Sequence[tuple[bool, str]]) -> str:
    """Return a sentence on the parts that are not shown; empty if all are.

    Examples
    --------
    >>> failing([(True, "P"), (False, "MAP"), (False, "MRR")])
    'Not shown: MAP and MRR (2 of 3).'
    >>> failing([(False, "P, kNN"), (False, "P, MF and Pop")])
    'Not shown: P, kNN; and P, MF and Pop (2 of 2).'
    >>> failing([(False, "split 0"), (False, "split 3")])
    'Not shown: splits 0 and 3 (2 of 2).'
    """
    names = [name for is_shown, name in parts if not is_shown]
    if not names or len(parts) == 1:
        return ""
    named = _counted_once([name for name in names[:MOST_NAMED] if name])
    more = len(names) - len(named)
    if more:
        named.append(f"{more} more" if named else f"{more} parts")
    *most, last = named
    between = ";" if any("," in name or " and " in name for name in named) else ","
    words = f"{f'{between} '.join(most)}{between.strip(',')} and {last}" if most else last
    return f"{NOT_SHOWN}{words} ({len(names)} of {len(parts)})."


def _counted_once(names: list[str]) -> list[str]:
    """Leave out what numbers count after the first, if all count the same."""
    counted = [re.fullmatch(r"([^,:]+) ([\d.]+)", name) for name in names]
    if len(names) < 2 or len({found and found[1] for found in counted}) > 1 or not counted[0]:
        return names
    what = re.sub(r"^split$", "splits", counted[0][1])
    first, *others = (found[2] for found in counted if found)
    return [f"{what} {first}", *others]


def begun(text: str) -> str:
    """Return a text that begins a sentence; names such as pLSA, bpref and p keep their case.

    Examples
    --------
    >>> begun("closely followed"), begun("bpref leads"), begun("p is .3")
    ('Closely followed', 'bpref leads', 'p is .3')
    """
    return f"{text[0].upper()}{text[1:]}" if re.match(r"(?!bpref\b)[a-z]{2,}\b", text) else text


_SEEN: dict[str, str] = {
    ClaimVerdict.HOLDS: "seen on our data",
    ClaimVerdict.HOLDS_IN_PART: "seen in part",
    ClaimVerdict.DOES_NOT_HOLD: "not seen on our data",
}


IN_PROSE = {
    "bellogin2017": "Bellogín et al. 2017",
    "valcarce2018": "Valcarce et al. 2018",
    "valcarce2020": "Valcarce et al. 2020",
    "canamares2020": "Cañamares et al. 2020",
    "menamaldonado2021": "Mena-Maldonado et al. 2021",
    "shehzad2023": "Shehzad and Jannach 2023",
    "wegmeth2023": "Wegmeth et al. 2023",
    "rampisela2024": "Rampisela et al. 2024",
    "rampisela2025": "Rampisela et al. 2025",
    "winter2025": "Winter 2025",
    "followups": "the follow-ups",
}
"""What a reader calls a paper, by the name of its study."""


def in_prose(study: str) -> str:
    """Return what a reader calls a paper, or the name of a study of none."""
    return IN_PROSE.get(study, study)


def is_rebuilt(paper: str) -> bool:
    """Return whether a study rebuilds a paper.

    Examples
    --------
    >>> is_rebuilt("valcarce2018"), is_rebuilt("followups")
    (True, False)
    """
    return paper[-1:].isdigit()


def is_newer(paper: str) -> bool:
    """Return whether a study is about papers newer than the five, the last of which is of 2021.

    Examples
    --------
    >>> is_newer("menamaldonado2021"), is_newer("rampisela2024"), is_newer("followups")
    (False, True, True)
    """
    return not is_rebuilt(paper) or int(paper[-4:]) > 2021


def verdict_in_words(paper: str, verdict: str) -> str:
    """Return a verdict in words; for newer papers, whether our data show the statement.

    Examples
    --------
    >>> verdict_in_words("valcarce2018", "holds"), verdict_in_words("followups", "holds")
    ('holds', 'seen on our data')
    """
    return verdict if is_rebuilt(paper) else _SEEN.get(verdict, verdict)


def of_five_papers(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on the five papers."""
    return ledger[~ledger["paper"].map(is_newer).astype(bool)].reset_index(drop=True)


def of_newer(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger on newer papers; see :func:`of_five_papers`."""
    return ledger[ledger["paper"].map(is_newer).astype(bool)].reset_index(drop=True)


# How claims can be decided whose dataset is missing here.

_LACKS = re.compile(r"the dataset ([\w-]+)")


_HOW = {
    "manual": " with {}, which must be asked for",
    "generated": ", which writes {}",
    "automatic": " where {} can be downloaded",
}


def datasets_elsewhere(datasets: Mapping[str, DatasetSpec]) -> dict[str, str]:
    """Return for each dataset how claims on it can be decided if it is missing."""
    return {
        name: f"decided by `make reproduce`{_HOW[spec.access].format(spec.short_title)}"
        for name, spec in datasets.items()
    }


def told_needs(needs: str, elsewhere: Mapping[str, str]) -> str:
    """Return what an undecidable claim needs, as a clause.

    Examples
    --------
    >>> told_needs("the dataset a", {"a": "decided by `make reproduce` where A can be downloaded"})
    'decided by `make reproduce` where A can be downloaded'
    >>> told_needs("outcomes of systems with users online", {})
    'needs outcomes of systems with users online'
    """
    if not needs:
        return ""
    dataset = _LACKS.fullmatch(needs)
    return elsewhere.get(dataset[1] if dataset else "", f"needs {needs}")


KEYS = ("paper", "claim", "dataset", "form")
"""Columns that identify a verdict."""

CONFIDENCE = 0.95

ENOUGH = 10
"""Number of splits from which they decide instead of a single one."""

RARE = 0.05
"""Share of the splits that may disagree before a verdict depends on the split."""

RELEASED = "the statement is on the values of released folds"
"""Why splits decide nothing of a claim whose folds were released."""

COLUMNS = (
    *KEYS,
    "replications",
    "holding",
    "in_part",
    "share",
    "share_low",
    "share_high",
    "published",
    "mean",
    "standard_deviation",
    "low",
    "high",
    "location",
    "deviations",
    "needs",
    "beside",
)
"""Columns of the table of certainty; docs/replications.md describes them."""

_PRINTED = re.compile(r"[-+]?[\d,]*(?:\.(\d+))?\s*(%?)")

_HOLDING = (str(ClaimVerdict.HOLDS), str(ClaimVerdict.AS_DEFINED))


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    r"""Return Wilson's 95 % interval of the share :math:`k / n`.

    .. math:: \frac{k + z^2 / 2}{n + z^2} \pm
        \frac{z}{n + z^2} \sqrt{\frac{k (n - k)}{n} + \frac{z^2}{4}}

    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22. Unlike the symmetric interval, its width is
    not 0 when all trials succeed.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(20, 20)]
    [0.839, 1.0]
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(
            f"{successes} of {trials} is not a share. Use at least one trial, and no more "
            "successes than trials."
        )
    z = float(ndtri((1 + CONFIDENCE) / 2))
    whole = trials + z * z
    centre = (successes + z * z / 2) / whole
    half = z / whole * np.sqrt(successes * (trials - successes) / trials + z * z / 4)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def prediction_interval(values: ArrayLike) -> tuple[float, float]:
    r"""Return the 95 % prediction interval for one more number like the given ones.

    .. math:: \bar x \pm t_{n-1}(0.975)\, s \sqrt{1 + 1 / n}

    with :math:`s` the standard deviation of the :math:`n` numbers, assumed to be normal.

    Examples
    --------
    >>> [round(end, 3) for end in prediction_interval([0.1, 0.2, 0.3])]
    [-0.297, 0.697]
    """
    numbers = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        return float("nan"), float("nan")
    half = stdtrit(len(numbers) - 1, (1 + CONFIDENCE) / 2) * np.sqrt(1 + 1 / len(numbers))
    half *= numbers.std(ddof=1)
    return float(numbers.mean() - half), float(numbers.mean() + half)


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit of a number; 0 for texts without a number.

    Any number this close to the printed one may have been rounded to it.

    Examples
    --------
    >>> half_unit(".90"), half_unit("1.83 %"), half_unit("1,703"), half_unit("MF > kNN")
    (0.005, 5e-05, 0.5, 0.0)
    """
    found = _PRINTED.fullmatch(printed.strip())
    if found is None or not any(map(str.isdigit, printed)):
        return 0.0
    digits = len(found[1] or "") + (2 if found[2] else 0)
    return 0.5 / 10**digits


def of_splits(verdicts: Sequence[ClaimVerdict]) -> dict[Hashable, Any]:
    """Return what :func:`certainty` says of a claim, from its verdicts on a study's own splits."""
    return {
        "replications": len(verdicts),
        "holding": verdicts.count(ClaimVerdict.HOLDS),
        "in_part": verdicts.count(ClaimVerdict.HOLDS_IN_PART),
        "location": "",
        "beside": "",
    }


def verdict_of_splits(once: ClaimVerdict, found: Mapping[Hashable, Any]) -> ClaimVerdict:
    """Return the verdict of all splits that were tried, if there are enough of them.

    A number holds if the published one lies in our prediction interval: a split like ours might
    have given it. Otherwise it does not, whatever its tolerance. Any other claim holds, or does not
    hold, if at least 95 % of the splits agree; otherwise it depends on the split. Splits that are
    only told beside the verdict (``beside``) decide nothing; but what does not hold in the one run
    and holds on more than 5 % of splits of another design depends on the split.

    Examples
    --------
    >>> row = {"replications": 20, "holding": 17, "in_part": 0, "location": "", "beside": ""}
    >>> verdict_of_splits(ClaimVerdict.DOES_NOT_HOLD, row)
    <ClaimVerdict.DEPENDS_ON_SPLIT: 'depends on the split'>
    >>> number = {"replications": 20, "location": "inside", "beside": ""}
    >>> verdict_of_splits(ClaimVerdict.DOES_NOT_HOLD, number)
    <ClaimVerdict.HOLDS: 'holds'>
    >>> verdict_of_splits(ClaimVerdict.HOLDS, {**number, "location": "outside"})
    <ClaimVerdict.DOES_NOT_HOLD: 'does not hold'>
    """
    tried = int(found["replications"])
    if tried < ENOUGH:
        return once
    if found["beside"]:
        place = found["location"]
        may_hold = place == "inside" if place else int(found["holding"]) > RARE * tried
        may_hold &= once is ClaimVerdict.DOES_NOT_HOLD and found["beside"] != RELEASED
        return ClaimVerdict.DEPENDS_ON_SPLIT if may_hold else once
    held = once if once is ClaimVerdict.AS_DEFINED else ClaimVerdict.HOLDS
    if found["location"]:
        return held if found["location"] == "inside" else ClaimVerdict.DOES_NOT_HOLD
    holding, in_part = int(found["holding"]), int(found["in_part"])
    few = RARE * tried
    if holding >= tried - few:
        return held
    if holding > few:
        return ClaimVerdict.DEPENDS_ON_SPLIT
    if holding + in_part >= tried - few:
        return ClaimVerdict.HOLDS_IN_PART
    failing = holding + in_part <= few
    return ClaimVerdict.DOES_NOT_HOLD if failing else ClaimVerdict.DEPENDS_ON_SPLIT


_RANGE_OF_ONE = re.compile(r"(?<!from )(?<![\w.,−+-])([−+]?[\d.,]*\d(?: %)?) to \1(?![\w.,]*\d| %)")


def without_ranges_of_one(text: str) -> str:
    """Return a text in which a range whose ends print alike is one number.

    In brackets, after what the numbers are on average, it is the number that is always found.
    What goes from one number to the same has not moved, and stays.

    Examples
    --------
    >>> without_ranges_of_one("28 % of the pairs (28 % to 28 %), on 20 to 20 of 20 splits")
    '28 % of the pairs (always 28 %), on 20 of 20 splits'
    >>> without_ranges_of_one("it goes from .98 to .98 (.90 to .905)")
    'it goes from .98 to .98 (.90 to .905)'
    """
    always = re.sub(rf"\({_RANGE_OF_ONE.pattern}\)", r"(always \1)", text)
    return _RANGE_OF_ONE.sub(r"\1", always)


def told_of_splits(
    value: float, found: Mapping[Hashable, Any], verdict: ClaimVerdict | None = None
) -> str:
    """Return sentences on the splits that were tried, by which the verdict may depend on them.

    Examples
    --------
    >>> row = {"replications": 20, "holding": 17, "in_part": 2, "location": "", "beside": ""}
    >>> told_of_splits(float("nan"), row)
    'Holds on 17 of 20 splits, and in part on 2.'
    >>> told_of_splits(float("nan"), {**row, "beside": "each is one fold of five"})
    'Holds on 17 of 20 splits, and in part on 2, but these do not decide: each is one fold of five.'
    >>> number = {"replications": 20, "published": 0.97, "mean": 0.94, "low": 0.88, "high": 1.0}
    >>> print(told_of_splits(0.9139, {**number, "location": "inside", "beside": ""}))
    On this split .9139; on 20 others .9400 on average. The published .97 is within what splits do \
(.8800 to 1.000).
    >>> print(told_of_splits(0.9139, {**number, "location": "outside", "beside": ""}))
    On this split .9139; on 20 others .9400 on average. The published .97 is outside of what \
splits do (.8800 to 1.000).
    """
    tried = int(found["replications"])
    depends = verdict is ClaimVerdict.DEPENDS_ON_SPLIT
    said = "only say that it may" if depends else "do not decide"
    aside = f", but these {said}: {found['beside']}" if found["beside"] else ""
    if not found["location"]:
        holding, in_part = int(found["holding"]), int(found["in_part"])
        more = f", and in part on {in_part}" if in_part else ""
        return f"Holds on {holding} of {tried} splits{more}{aside}."
    low, mean, high = (significant(float(found[name]), 4) for name in ("low", "mean", "high"))
    ours = f"On this split {significant(value, 4)}; on {tried} others {mean} on average{aside}."
    published = as_written(float(found["published"]))
    lies = "within" if found["location"] == "inside" else "outside of"
    said = f"{ours} The published {published} is {lies} what splits do ({low} to {high})."
    return without_ranges_of_one(said)


def certainty(
    rows: pd.DataFrame,
    printed: Mapping[str, str] | None = None,
    beside: Mapping[tuple[str, str], str] | None = None,
) -> pd.DataFrame:
    """Return how sure each verdict is.

    ``printed`` has the printed value of each claim, with all its digits: a published number lies
    inside our interval if any number that rounds to it does. ``beside`` says, by claim and dataset,
    why splits decide nothing and are only told. A number has a place in our interval and no share:
    how many splits come within its tolerance decides nothing.
    """
    found = []
    for keys, group in rows.groupby(list(KEYS), sort=False):
        row = dict(zip(KEYS, keys, strict=True))
        row |= _certainty_of(group, half_unit((printed or {}).get(row["claim"], "")))
        found.append(row | {"beside": (beside or {}).get((row["claim"], row["dataset"]), "")})
    return pd.DataFrame(found, columns=list(COLUMNS))


def _certainty_of(group: pd.DataFrame, rounding: float) -> dict[str, Any]:
    decided = group[group["verdict"] != str(ClaimVerdict.UNDECIDABLE)]
    trials = len(decided)
    holding = int(decided["verdict"].isin(_HOLDING).sum())
    in_part = int((decided["verdict"] == str(ClaimVerdict.HOLDS_IN_PART)).sum())
    found: dict[str, Any] = {"replications": trials, "holding": holding, "in_part": in_part}
    if not trials:
        # All rows of a claim have the same needs.
        return found | {"needs": next(iter(group["needs"]), "")}
    published = decided["published"].to_numpy(dtype=np.float64)
    values = decided["value"].to_numpy(dtype=np.float64)
    if trials > 1 and not (np.isnan(published).all() or np.isnan(values).any()):
        found = {"replications": trials, "needs": ""}
        return found | _location(float(published[0]), rounding, values.tolist())
    low, high = wilson_interval(holding, trials)
    return found | {"share": holding / trials, "share_low": low, "share_high": high, "needs": ""}


def _location(published: float, rounding: float, values: Sequence[float]) -> dict[str, Any]:
    low, high = prediction_interval(values)
    mean = float(np.mean(values))
    deviation = float(np.std(values, ddof=1))
    found: dict[str, Any] = {
        "published": published,
        "mean": mean,
        "low": low,
        "high": high,
        "standard_deviation": deviation,
        "location": "inside" if low - rounding <= published <= high + rounding else "outside",
    }
    if deviation > 0:
        found["deviations"] = (published - mean) / deviation
    return found
