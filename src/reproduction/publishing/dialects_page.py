# SPDX-License-Identifier: MIT
"""Tables of ``docs/dialects.md``: metrics of other tools in our labels, and the differences."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from receval.data.ratings import summed_matrix
from receval.metrics.dialects import DIALECTS, USERS_IN_WORDS, Dialect, dialect
from receval.metrics.evaluation import evaluate, evaluated_lists
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.registry import LIST_METRICS, METRICS, parse_any
from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers, RecommendedLists
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments
from receval.top_lists import NO_ITEM, TopLists

FIXTURES = Path("tests/dialects/fixtures")
OF_LISTS = Path("tests/metrics/whole_lists/fixtures")
START, END = "<!-- begin: receval repo dialects -->", "<!-- end: receval repo dialects -->"
LISTS_START, LISTS_END = (f"{mark[:-4]}, lists -->" for mark in (START, END))

_INTRODUCTION = """\
`receval repo dialects` writes this section from `src/receval/metrics/dialects.toml` and from values
that the tools gave for random lists (`tests/dialects/fixtures`). *Values* is the number of values
of the tool from which ours differ by at most 10⁻¹², or the number beside it. Where a tool's order
of equal scores has no rule that lists show, it is here that of the list. Below, each metric of the
tool has its label in receval."""
_LARGEST = """\
The largest differences between these values and ours, by metric of receval, whatever its
parameters. 10⁻¹² stands for all that is not larger; in empty cells, nothing was compared."""
_HEADINGS = ("dialect", "relevant", "averaged", "equal scores", "values")

EXACT = 1e-12
"""The largest deviation of tools that compute in double precision."""

SINGLE = 1e-6
"""The largest deviation of tools that compute in single precision."""

_THRESHOLD = re.compile(r"[ ,]?(?:-l|rel=|relevance_threshold=|rating_threshold=|threshold=)(\d+)")
_LEAST = re.compile(r" ?test>=(\d+)")

WITHOUT_DIALECT = {"clayrs": "what is relevant to ClayRS depends on the user's mean test rating"}
"""Tools with values for single metrics only, and why they have no dialect."""


@dataclass(frozen=True)
class FixtureValue:
    """A value that a tool computed, None where it says NaN, and ours.

    The name is that of the fixture; the user is empty for an average.
    """

    tool: str
    case: str
    name: str
    user: str
    theirs: float | None
    ours: float

    @property
    def deviation(self) -> float:
        """The absolute difference; 0 if the tool has no number."""
        return 0.0 if self.theirs is None else abs(self.theirs - self.ours)


def fixture_name(name: str) -> tuple[str, float | None, float | None]:
    """Split a fixture's name into the metric and the thresholds applied to the data.

    The first threshold is that of relevance, which the tool was given; None where there is none.

    Examples
    --------
    >>> fixture_name("NDCG@5 gain=rating test>=4")
    ('NDCG@5 gain=rating', None, 4.0)
    >>> fixture_name("P(rel=4)@5"), fixture_name("ndcg@5-l4")
    (('P@5', 4.0, None), ('ndcg@5', 4.0, None))
    """
    least, threshold = _LEAST.search(name), _THRESHOLD.search(name)
    plain = _THRESHOLD.sub("", _LEAST.sub("", name)).replace("()", "").strip()
    plain = re.sub(r"\bwithout (\w+)", r"without=\1", plain)
    plain = (
        plain.replace("@-1", "").replace(" -J", " judged_only=True").replace(" include_missing", "")
    )
    return (
        plain,
        None if threshold is None else float(threshold[1]),
        None if least is None else float(least[1]),
    )


def values_by_user(metric: Metric, lists: JudgedLists, users: list[str]) -> dict[str, float]:
    """Return the values of a metric on the lists of some users."""
    return dict(zip(users, evaluate([metric], lists)[0].tolist(), strict=True))


def lists_of_case(
    spoken: Dialect, case: Mapping[str, Any], least: float | None = None
) -> tuple[JudgedLists, list[str]]:
    """Return the lists of a case as a dialect reads them, and their users."""
    test = {
        user: {item: value for item, value in own.items() if least is None or value >= least}
        for user, own in case["test"].items()
    }
    users = sorted({user for user, own in test.items() if own} | set(case["run"]))
    rows = [
        (u, i, v) for u, user in enumerate(users) for i, v in sorted(test.get(user, {}).items())
    ]
    places = [_places(case["run"].get(user, []), spoken) for user in users]
    trained = Counter(item for own in case["train"].values() for item in own)
    codes = {item: n for n, item in enumerate(sorted({item for _, item, _ in rows} | {*trained}))}
    judgments = Judgments.from_pairs(
        np.array([u for u, _, _ in rows], dtype=np.int64),
        np.array([codes[item] for _, item, _ in rows], dtype=np.int64),
        np.array([value for _, _, value in rows], dtype=np.float32),
        len(users),
    )
    lengths = np.array([len(own) for own in places], dtype=np.int32)
    ranks = np.array([places[u].get(item, 0) for u, item, _ in rows], dtype=np.int32)
    threshold = spoken.threshold(judgments.values)
    positive = trained + Counter(item for _, item, value in rows if value >= threshold)
    metadata = DatasetMetadata(None, np.array([positive[item] for item in codes]))
    judged = replace(
        JudgedItems.of(judgments, threshold, metadata),
        negative_is_unjudged=spoken.negative_is_unjudged,
    )
    judged_ranks = JudgedRanks(ranks, lengths=lengths, candidates=lengths)
    return JudgedLists.measured_by(judged, judged_ranks, Protocol()), users


def _places(run: list[list[Any]], spoken: Dialect) -> dict[str, int]:
    if spoken.ties == "trec":
        run = sorted(run, key=lambda entry: entry[0], reverse=True)
        scored = np.float32 if spoken.is_single else np.float64
        run = sorted(run, key=lambda entry: -scored(entry[1]))
    return {item: place for place, (item, _) in enumerate(run, 1)}


def compared(tool: str, folder: Path) -> tuple[list[FixtureValue], dict[str, str]]:
    """Return all values of a tool beside ours, and the metrics without values."""
    cases = json.loads((folder / "lists.json").read_text(encoding="utf-8"))["cases"]
    fixture = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
    values: list[FixtureValue] = []
    refused: dict[str, str] = {}
    own = dialect(tool)
    for case, metrics in fixture["values"].items():
        # Metrics of a case have few different thresholds, so they share lists.
        known: dict[tuple[float | None, float | None], tuple[JudgedLists, list[str]]] = {}
        for name, theirs in metrics.items():
            plain, threshold, least = fixture_name(name)
            spoken = own if threshold is None else replace(own, relevant=threshold)
            try:
                metric = spoken.metric(plain)
            except ValueError as error:
                refused[name] = str(error)
                continue
            if (threshold, least) not in known:
                known[threshold, least] = lists_of_case(spoken, cases[case], least)
            lists, users = known[threshold, least]
            by_user = values_by_user(metric, lists, users)
            for user, value in (theirs["per_user"] or {}).items():
                values.append(FixtureValue(tool, case, name, user, value, by_user[user]))
            if theirs["mean"] is not None:
                chosen = evaluated_lists(lists, spoken.users_of(plain))
                averaged = [by_user[users[place]] for place in np.flatnonzero(chosen)]
                ours = float(np.mean(averaged))
                values.append(FixtureValue(tool, case, name, "", theirs["mean"], ours))
    return values, refused


def fixture_tools(folder: Path) -> list[str]:
    """Return the names of the tools with a dialect and with values in a folder."""
    others = {"lists", *WITHOUT_DIALECT}
    return sorted(path.stem for path in folder.glob("*.json") if path.stem not in others)


@dataclass(frozen=True)
class KnownDeviation:
    """Values of a tool that its dialect does not reproduce, or not to the last digit.

    The tool is named as its fixture; ``metrics`` and ``cases`` are regular expressions. The
    tolerance is how far values may be from ours, infinite if they are for other users or another
    order. ``no_number`` concerns only values for which the tool says NaN.
    """

    tool: str
    metrics: str
    cases: str
    why: str
    tolerance: float = float("inf")
    averages_only: bool = False
    no_number: bool = False

    def concerns(self, value: FixtureValue) -> bool:
        """Whether it explains a value."""
        return (
            value.tool == self.tool
            and re.fullmatch(self.metrics, value.name) is not None
            and re.fullmatch(self.cases, value.case) is not None
            and not (self.averages_only and value.user)
            and (value.theirs is None) == self.no_number
            and value.deviation <= self.tolerance
        )


_DATA = tomllib.loads(Path(__file__).with_name("values_of_tools.toml").read_text("utf-8"))

KNOWN_DEVIATIONS = tuple(KnownDeviation(**each) for each in _DATA["deviations"])


def reason_for(value: FixtureValue) -> KnownDeviation | None:
    """Return why a value differs from ours, or None if the difference is unexplained."""
    return next((known for known in KNOWN_DEVIATIONS if known.concerns(value)), None)


def is_ours(value: FixtureValue) -> bool:
    """Whether a dialect gives the tool's value in double precision."""
    return value.theirs is not None and value.deviation <= EXACT


def tables_of_dialects(folder: Path = FIXTURES) -> str:
    """Return a table of all dialects, and the metrics and limitations of each."""
    measured: dict[tuple[str, str], list[FixtureValue]] = {}
    others: dict[str, Counter[str]] = {}
    for tool in fixture_tools(folder):
        spoken = dialect(tool)
        values, _ = compared(tool, folder)
        names = dict.fromkeys(value.name for value in values)
        entries = {name: spoken.entry(fixture_name(name)[0]) for name in names}
        for value in values:
            entry = entries[value.name]
            known = None if is_ours(value) else reason_for(value)
            if is_ours(value) or (known and known.tolerance <= SINGLE):
                measured.setdefault((spoken.name, entry.name), []).append(value)
            if is_ours(value):
                continue
            if known is None:
                raise ValueError(
                    f"{value.name} of {tool} is {value.theirs} for {value.user or 'the average'} "
                    f"of the case {value.case}, but {value.ours} in its dialect. Correct the "
                    "dialect, or add the reason to publishing/values_of_tools.toml."
                )
            said = f"{known.why}{_names_in_words(known.metrics)}"
            others.setdefault(spoken.name, Counter())[said] += 1
    spoken_ones = [dialect(name) for name in DIALECTS]
    rows = [_row(own, measured) for own in spoken_ones]
    sections = [_section(own, measured, others.get(own.name, {})) for own in spoken_ones]
    largest: dict[tuple[str, str], float] = {}
    for (tool, name), values in measured.items():
        label = next(own.label for own in dialect(tool).entries if own.name == name)
        place = (label.partition("(")[0], f"`{tool}`")
        largest[place] = max(largest.get(place, 0.0), *(own.deviation for own in values))
    table = _table_of_largest(largest, list(METRICS))
    return "\n\n".join([_INTRODUCTION, _table(_HEADINGS, rows), _LARGEST, table, *sections])


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _table_of_largest(largest: Mapping[tuple[str, str], float], metrics: Sequence[str]) -> str:
    """Return a table of our metrics and tools with the largest difference of each."""
    tools = list(dict.fromkeys(tool for _, tool in largest))
    rows = [
        (f"`{name}`", *(_difference_in_words(largest.get((name, tool))) for tool in tools))
        for name in metrics
        if any(own == name for own, _ in largest)
    ]
    return _table(("metric", *tools), rows)


def _difference_in_words(value: float | None) -> str:
    """Return a difference with one digit, rounded up.

    Examples
    --------
    >>> [_difference_in_words(value) for value in (None, 3e-16, 0.0137, 0.3, 4.9e-7, 9.5e-7)]
    ['', '10⁻¹²', '.02', '.3', '5·10⁻⁷', '1·10⁻⁶']
    """
    if value is None:
        return ""
    if value <= EXACT:
        return "10⁻¹²"
    power = math.floor(math.log10(value) + 1e-9)
    digit = math.ceil(value / 10.0**power - 1e-9)
    if digit == 10:
        digit, power = 1, power + 1
    if power >= -3:
        return f"{digit * 10.0**power:.{max(0, -power)}f}".removeprefix("0")
    return f"{digit}·10{str(power).translate(_SUPERSCRIPTS)}"


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def page_of_dialects(page: str, folder: Path = FIXTURES, of_lists: Path = OF_LISTS) -> str:
    """Return the page with up-to-date tables between its marks."""
    tables = tables_of_dialects(folder)
    page = _written_between(page, START, END, tables)
    lists = table_of_list_metrics(of_lists, folder / "lists.json")
    return _written_between(page, LISTS_START, LISTS_END, lists)


def _written_between(page: str, start: str, end: str, text: str) -> str:
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", flags=re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise ValueError(f"docs/dialects.md must have the lines {start} and {end}, each once.")
    return pattern.sub(lambda _: f"{start}\n\n{text}\n\n{end}", page)


def _row(own: Dialect, measured: Mapping[tuple[str, str], list[FixtureValue]]) -> tuple[str, ...]:
    values = [value for (name, _), found in measured.items() if name == own.name for value in found]
    relevant = own.relevant_in_words
    if own.threshold_option:
        relevant += f" (`{own.threshold_option}`)"
    ties = own.ties_in_words.removesuffix("; here in the order of the list")
    said = (f"`{own.name}`", relevant, own.users_in_words, ties)
    if not values:
        return (*said, "not run")
    largest = max(value.deviation for value in values)
    # Deviations in double precision depend on the processor.
    bound = "" if largest <= EXACT else " (10⁻⁶)"
    return (*said, f"{len(values):,}{bound}")


def _section(
    own: Dialect, measured: Mapping[tuple[str, str], list[FixtureValue]], others: Mapping[str, int]
) -> str:
    labels = own.metrics()
    rows = [f"- `{entry.form}`: `{labels[entry.form]}`" for entry in own.entries]
    told = [
        text if text.startswith(own.tool) else f"{text[0].upper()}{text[1:]}"
        for text in own.caveats
    ]
    noted: dict[str, list[str]] = {}
    for entry in own.entries:
        name = f"`{entry.name.partition(' ')[0]}`"
        if entry.users not in (None, own.users):
            told.append(f"{name} averages {USERS_IN_WORDS[entry.users]}")
        if entry.note:
            noted.setdefault(entry.note.rstrip("."), []).append(name)
    told += [f"{', '.join(dict.fromkeys(names))}: {note}" for note, names in noted.items()]
    told += [f"{count} values differ: {said}" for said, count in others.items()]
    if own.of_ratings:
        ratings = "; ".join(f"`{name}` is {said}" for name, said in own.of_ratings.items())
        told.append(f"Of ratings, as read in its code: {ratings}")
    if any(name == own.name for name, _ in measured):
        missing = [e.form for e in own.entries if (own.name, e.name) not in measured]
        if missing:
            told.append(f"Not compared: {', '.join(f'`{form}`' for form in missing)}")
    parts = [f"### {own.tool} {own.version}: `{own.name}`", "\n".join(rows)]
    parts.append(" ".join(f"{text}." for text in dict.fromkeys(told)))
    return "\n\n".join(part for part in parts if part)


def _names_in_words(pattern: str) -> str:
    if pattern == ".*":
        return ""
    return f" (`{pattern.replace('.*', '…').replace('|', ' or ')}`)"


# The table of ``docs/dialects.md`` of whole lists: metrics of other tools in our labels.

LISTS = FIXTURES / "lists.json"
THRESHOLD = 4
EXACT_OF_LISTS = EXACT

_LARGEST_OF_LISTS = """\
The largest differences between these values and ours, relative to ours above 1. Larger ones than
10⁻¹² have their reasons below."""


class Ours(NamedTuple):
    """Our label of a tool's metric, and how its value follows from ours."""

    label: str
    form: str = ""
    """How the tool's value is computed from ours; one of :data:`FORMS`."""

    exact: float = EXACT_OF_LISTS
    users: int | None = None
    """The group of users, by the remainder of their number by two; None for all users."""


def _bias_disparities() -> dict[str, Ours]:
    """Return the metrics of each group of users and items by the names of Elliot and WarpRec."""
    forms = {"BD": "", "BR": "form=recommendations,", "BS": "form=training,"}
    return {
        f"BiasDisparity{end} groups=thirds users={users} items={items}": Ours(
            f"BiasDisparity(feature=thirds,{form}value={items})", users=users
        )
        for end, form in forms.items()
        for users in range(2)
        for items in range(3)
    }


FORMS = {
    "complement": "1 minus {}",
    "number": "{}, times the number of items",
    "padding": "{}, with a padding item more in the catalogue",
    "of users": "{}, over the binary logarithm of the number of training users",
}
"""Templates of how a tool's value follows from ours, by their names."""

TOOLS: dict[str, str] = {tool: own["title"] for tool, own in _DATA["lists"].items()}

OURS: dict[str, dict[str, Ours]] = {
    tool: {
        name: Ours(metric) if isinstance(metric, str) else Ours(**metric)
        for name, metric in own["metrics"].items()
    }
    | (_bias_disparities() if own.get("bias_disparities") else {})
    for tool, own in _DATA["lists"].items()
}
"""Our metrics by tool and by the tool's name, whose ``groups=thirds`` are the groups of items."""

NOT_HERE = {"Gini-w_our", "VoCD_ori", "II-D_ori"}
"""Values of fixtures that no metric of ours has."""

OF_RESULTS = {
    *("UserMADranking", "UserMADrating", "UserMADRanking", "UserMADRating", "DSC", "ExtendedF1"),
    *("EucDistance", "Hypervolume", "Intersection", "LogLoss", "Novelty"),
}
"""Values that are functions of a result (``tests/evaluation/test_functions_of_results.py``)."""


class Difference(NamedTuple):
    """Values of a tool that are not ours: in which cases, of which metric, and why."""

    tool: str
    cases: frozenset[str]
    name: str
    why: str


DIFFERENCES = tuple(
    Difference(**{**each, "cases": frozenset(each["cases"])}) for each in _DATA["differences"]
)


@dataclass(frozen=True)
class ListValue:
    """A value that a tool computed for all lists of a case, or for one user, beside ours."""

    tool: str
    case: str
    name: str
    theirs: float | None
    ours: float

    @property
    def deviation(self) -> float:
        """The absolute difference, over ours if that is above 1; infinite for NaN of the tool."""
        if self.theirs is None:
            return float("inf")
        return abs(self.theirs - self.ours) / max(1.0, abs(self.ours))

    @property
    def difference(self) -> Difference | None:
        """Why it may differ, if it may."""
        for known in DIFFERENCES:
            if (known.tool, known.name) == (self.tool, self.name) and self.case in known.cases:
                return known
        return None


def recommended_in_case(case: Mapping[str, Any]) -> tuple[list[str], RecommendedLists]:
    """Return the users with a list, and the lists with all items as candidates."""
    users = sorted(case["run"])
    n_items = case["n_items"]
    code = {f"i{number:02d}": number for number in range(n_items)}
    rows = np.repeat(np.arange(len(users)), [len(case["train"][user]) for user in users])
    trained = [code[item] for user in users for item in case["train"][user]]
    judged = [
        (row, code[item], rating)
        for row, user in enumerate(users)
        for item, rating in sorted(case["test"].get(user, {}).items())
    ]
    rows_of, items_of, ratings_of = map(np.array, zip(*judged, strict=True))
    fold = Fold(
        summed_matrix(rows, np.array(trained), np.ones(len(rows)), (len(users), n_items)),
        Judgments.from_pairs(rows_of, items_of, ratings_of, n_users=len(users)),
    )
    length = max(len(case["run"][user]) for user in users)
    items = np.full((len(users), length), NO_ITEM, dtype=np.int32)
    scores = np.full((len(users), length), np.nan)
    for row, user in enumerate(users):
        own = case["run"][user]
        items[row, : len(own)] = [code[item] for item, _ in own]
        scores[row, : len(own)] = [score for _, score in own]
    thirds = csr_array(np.eye(3)[np.arange(n_items) % 3])
    lists = TopLists(np.arange(len(users)), items, scores)
    candidates = np.ones(n_items, dtype=bool)
    names = {"thirds": ("0", "1", "2")}
    return users, RecommendedLists(lists, fold, THRESHOLD, candidates, {"thirds": thirds}, names)


def list_values_of(tool: str, folder: Path = OF_LISTS, lists: Path = LISTS) -> list[ListValue]:
    """Return every value of a tool's fixture beside ours."""
    cases = json.loads(lists.read_text(encoding="utf-8"))["cases"]
    fixture = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
    values = []
    for case, metrics in fixture["values"].items():
        users, recommended = recommended_in_case(cases[case])
        for label, entry in metrics.items():
            name, _, rest = label.partition("@")
            cutoff, _, options = rest.partition(" ")
            name = f"{name} {options}".strip()
            if name in NOT_HERE or name.partition(" ")[0] in OF_RESULTS:
                continue
            own = OURS[tool][name]
            pairs = _compared(own, int(cutoff), users, recommended, entry)
            values += [ListValue(tool, case, name, theirs, ours) for theirs, ours in pairs]
    return values


def _compared(
    own: Ours, cutoff: int, users: list[str], lists: RecommendedLists, entry: Mapping[str, Any]
) -> Iterator[tuple[float | None, float]]:
    """Yield the values of the tool and ours: those of users, and the one of all lists."""
    metric = parse_any(f"{own.label}@{cutoff}")
    assert isinstance(metric, ListMetric)
    n_items = len(lists.is_candidate)
    lists = lists.cut(cutoff)
    if own.form == "padding":
        lists = replace(lists, is_candidate=np.ones(n_items + 1, dtype=bool))

    def as_theirs(value: float) -> float:
        if own.form == "complement":
            return 1 - value
        if own.form == "of users":
            return float(value / np.log2(len(users)))
        return value * n_items if own.form == "number" else value

    if own.users is not None:
        rows = [row for row, user in enumerate(users) if int(user[1:]) % 2 == own.users]
        lists = replace(lists, lists=lists.lists.of_users(np.array(rows)))
    if isinstance(metric, MetricOfAllUsers):
        yield entry["mean"], as_theirs(metric.of_all(lists))
        return
    if metric.weighted_mean(lists) is not None:
        yield entry["mean"], float(metric.per_user(lists).mean())
        return
    of_users = dict(zip(users, map(as_theirs, metric.per_user(lists).tolist()), strict=True))
    yield from ((value, of_users[user]) for user, value in (entry["per_user"] or {}).items())
    averaged = users
    if entry["users"] not in (None, len(users)):
        # The tool leaves out users without a relevant item.
        is_relevant = lists.fold.test.values >= THRESHOLD
        averaged = [users[row] for row in np.unique(lists.fold.test.users[is_relevant])]
        assert len(averaged) == entry["users"]
    elif entry["per_user"]:
        averaged = list(entry["per_user"])
    yield entry["mean"], float(np.mean([of_users[user] for user in averaged]))


def table_of_list_metrics(folder: Path = OF_LISTS, lists: Path = LISTS) -> str:
    """Return each tool's metrics and ours, and a table of the largest differences."""
    parts = []
    largest: dict[tuple[str, str], float] = {}
    for tool, title in TOOLS.items():
        values = list_values_of(tool, folder, lists)
        for value in values:
            place = (OURS[tool][value.name].label.partition("(")[0], title)
            if value.theirs is not None:
                largest[place] = max(largest.get(place, 0.0), value.deviation)
        fixture = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
        version = fixture["version"].removeprefix("commit ")[:9]
        rows, n_equal = [], 0
        for name, own in OURS[tool].items():
            label = re.sub(r"thirds|(?<=value=)\d", "...", own.label)
            here = FORMS.get(own.form, "{}").format(f"`{label}`")
            within = f" (within {_difference_in_words(own.exact).removeprefix('1·')})"
            here += "" if own.exact == EXACT_OF_LISTS else within
            n_equal += sum(v.name == name and v.deviation <= own.exact for v in values)
            said = name.replace("groups=thirds", "of groups of items")
            said = re.sub(r" users=\d items=\d", " and users", said)
            said = f"`{said.partition(' ')[0]}`{said[len(said.partition(' ')[0]) :]}"
            rows.append(f"- {said}: {here}")
        told = []
        for known in DIFFERENCES:
            if known.tool == tool:
                n = sum(v.difference is known and v.deviation > EXACT_OF_LISTS for v in values)
                told.append(f"{n} values of `{known.name}` differ: {known.why}.")
        parts += [
            f"### {title} {version} ({n_equal} values)",
            "\n".join(dict.fromkeys(rows)),
            " ".join(told),
        ]
    table = _table_of_largest(largest, list(LIST_METRICS))
    return "\n\n".join([_LARGEST_OF_LISTS, table, *(part for part in parts if part)])
