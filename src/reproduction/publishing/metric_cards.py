# SPDX-License-Identifier: MIT
"""Definition cards of the metrics in ``docs/metrics.md``, generated from the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_origin

from receval.metrics.averages import AVERAGES
from receval.metrics.evaluation import evaluated_lists
from receval.metrics.gains import gains, losses
from receval.metrics.labels import type_hints
from receval.metrics.metric import BaseMetric, Metric
from receval.metrics.registry import LIST_METRICS, METRICS, RATING_METRICS, metric_class
from receval.metrics.whole_lists.list_metric import ListMetric

RULES = {
    "Evaluated": "users with a test rating, unless the aggregation names others",
    "Missing": "0, also for users without any test item that the metric looks for",
    "Ties": "items with equal scores stand in the order that the protocol says",
}
"""Default texts for metrics whose docstring lacks a field."""

UNDER_1R = {
    False: "each relevant test item has a list of its own, and the average is over lists",
    True: "refused",
}
"""Text on a metric of ranks under 1R, by whether it needs all judgments."""

_TITLES = {
    "Denominator": "Denominator",
    "Evaluated": "Evaluated users",
    "Missing": "Missing list",
    "Ties": "Ties",
    "Source": "Source",
}
IN_THE_FORMULA = {
    "none",
    "in the formula",
    "the length of the list, at most k",
    "the items that the protocol lets systems recommend",
    "no attention",
    "no exposure",
    "no click",
}
"""Fields of which formulas and the texts above them say enough."""

_SAID_ABOVE = re.compile(
    r"The (?:attention|weight) of the ranks\.|The attention of rank r: .*|.*[Ff]or `discount=rbp`\."
    r"|Whether to scale between the limits of full lists\."
)
"""Meanings of parameters that the section on whole lists has."""

_LINKS = {
    "receval.metrics.gains.gains": "[gains](#gains)",
    "receval.metrics.gains.losses": "[losses](#losses)",
}
_INTRODUCTION = """\
# Metrics

<!-- Written by `receval repo metrics` from the code that computes them; edit the docstrings. -->

Every metric has a label, `name(parameter=value,...)@cutoff`, such as `nDCG(gain=exp)@10`.
Parameters at their default are left out. The sections list parameters last, with the default first.
[Dialects](dialects.md) say which label gives the values of RecBole, trec_eval and other tools.

| symbol | meaning |
| --- | --- |
| $`R_{test}(u)`$ | the test ratings of the user |
| $`PR_{test}(u)`$ | those from the relevance threshold $`\\tau`$ on: the relevant items |
| judged non-relevant | the other test items; items without a test rating are *unjudged* |
| $`TP@n`$, $`FP@n`$ | relevant items, and items judged non-relevant, in the first $`n`$ ranks |
| $`rank(i)`$, $`r_k`$ | the rank of an item, from 1; the rating of the item at rank $`k`$ |

Unjudged items add nothing to a sum over ranks."""
_RULES = """\
## Rules of every metric

They hold unless the metric's section says otherwise.

- **Evaluated users:** {Evaluated}; see [who is evaluated](#who-is-evaluated).
- **Missing list:** {Missing}. Such users stay in the average.
- **Ties:** {Ties}: at random with a seed of dataset, split and fold, by item code, or as in LibRec.
- **Under 1R:** {one_relevant}. Metrics that need all judgments of a list are refused there, and so
  are condensed lists.
- **Direction:** more is better. Here and in tables, an arrow (↓) marks the other metrics."""


@dataclass(frozen=True)
class Card:
    """The definition of one metric, in Markdown, with its formula in LaTeX.

    There is one line for each of the metric's own parameters. The fields are Denominator,
    Evaluated, Missing, Ties and Source.
    """

    name: str
    summary: str
    formula: str
    notes: tuple[str, ...]
    parameters: tuple[str, ...]
    fields: dict[str, str]
    one_relevant: str
    less_is_better: bool
    other_names: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the card as a section of Markdown."""
        lines = [
            f"- **{title}:** {self.fields[field]}"
            for field, title in _TITLES.items()
            if self.fields[field] not in {RULES.get(field), *IN_THE_FORMULA}
        ]
        if self.one_relevant != UNDER_1R[False]:
            lines.append(f"- **Under 1R:** {self.one_relevant}")
        if self.other_names:
            lines.append(f"- **Other names:** {', '.join(self.other_names)}")
        lines += [f"- {parameter}" for parameter in self.parameters]
        formula = f"```math\n{self.formula}\n```"
        summary = f"{self.summary} (↓)" if self.less_is_better else self.summary
        head = [f"### `{self.name}`", summary, formula, *self.notes]
        return "\n\n".join([*head, "\n".join(lines)])


_OF_LISTS = """\
They measure the first items of lists, judged or not. They need a cut-off, and a protocol with one
list per user and all candidates, such as AR AI-AN. A user without a list counts as 0 unless the
metric's section says otherwise, and gives no attention to items. $`L_u^k`$ is the list of user u,
cut at rank k, and $`I`$ or n are the candidates: the items that the protocol lets systems
recommend. $`a_{ui}`$ is the attention of item i in the list of user u (0 behind rank k),
$`r_{ui}`$ is 1 for a relevant test item of the user, else 0, and $`R_u`$ the number of these.

`discount` is the attention of rank r: 1 for `none`, $`1 / \\log_2(1 + r)`$ for `log`, and
$`\\phi^{r-1}`$ for `rbp`, with `phi` between 0 and 1. With `corrected=true` the value is scaled
between the smallest and the largest value that full lists can have (Rampisela et al. 2024,
"Evaluation measures of individual item fairness for recommender systems"). The metrics from IAA to
AIF have the forms of Rampisela et al. (2024), "Can we trust recommender system fairness
evaluation?".

Some are metrics of all lists together, such as the coverage of the catalogue. For intervals and
tests, each user then has a pseudo-value of the jackknife (Efron and Tibshirani 1993, section 11.5):
```math
\\tilde T_u = T + (n - 1) \\Big(\\frac{1}{n} \\sum_v T_{-v} - T_{-u}\\Big)
```
where $`T_{-u}`$ is the metric without the list of user $`u`$. Their mean is the metric $`T`$.

Intervals of metrics with bounds, such as Gini and coverage, are computed for the log-odds of the
value (for its logarithm if there is only a lower bound) and transformed back (Miller 1974, "The
jackknife - a review", Biometrika 61(1)). There is none where the value is at a bound, or leaving
out any one user changes it equally. Where the differences of two systems are equal for all users,
there is no p-value."""


_OF_RATINGS = """\
They need systems whose scores are ratings
([library.md](library.md#lists-recommendations-and-models)). They have no cut-off, and do not depend
on the protocol, which must have one list per user. Where a system has no score, the mean of the
training ratings counts as its prediction."""


def card_of(kind: type[BaseMetric]) -> Card:
    """Return the card of a metric from its class's docstring and dataclass fields.

    A docstring without the formula (``.. math::``), the field ``:Denominator:`` or the field
    ``:Source:``, or with an unknown field, is refused.
    """
    head, sections = _sections(kind)
    formula, notes, found = "", [], {}
    for block in re.split(r"\n{2,}", head):
        if block.startswith(".. math::"):
            lines = block.removeprefix(".. math::").splitlines()
            formula = "\n".join(line.strip() for line in lines if line.strip())
        elif block.startswith(":") and re.match(r":[A-Z]\w*: ", block):
            pairs = re.findall(r"^:(\w+): (.+?)(?=^:\w+: |\Z)", block, flags=re.M | re.S)
            found = {field: _markdown(text) for field, text in pairs}
        else:
            notes.append(_markdown(block))
    missing = [f":{field}:" for field in _TITLES if field not in {**RULES, **found}]
    missing += [] if formula else [".. math::"]
    if missing or not set(found) <= set(_TITLES):
        raise ValueError(
            f"The docstring of {kind.__name__} does not make a card: it lacks "
            f"{', '.join(missing) or 'nothing'} and has the fields {', '.join(found) or 'none'} "
            f"of {', '.join(_TITLES)}."
        )
    common = [field.name for field in fields(Metric)]
    return Card(
        name=kind.name,
        summary=notes[0],
        formula=formula,
        notes=tuple(notes[1:]),
        parameters=tuple(_parameters(kind, sections, leave_out=common)),
        fields={**RULES, **found},
        one_relevant=UNDER_1R[issubclass(kind, Metric) and kind().refused_under_1r],
        less_is_better=kind.less_is_better,
        other_names=vars(kind).get("other_names", ()),
    )


def document() -> str:
    """Return ``docs/metrics.md``: the cards of all metrics and averages."""
    of_ranks, of_lists, of_ratings = (
        [card_of(metric_class(name)).text() for name in names]
        for names in (METRICS, LIST_METRICS, RATING_METRICS)
    )
    common = "\n".join(f"- {line}" for line in _parameters(Metric, _sections(Metric)[1]))
    parts = [
        _INTRODUCTION,
        f"## Parameters of every metric\n\n{common}",
        _RULES.format(one_relevant=UNDER_1R[False], **RULES),
        "## The metrics",
        *of_ranks,
        f"## Metrics of whole lists\n\n{_OF_LISTS}",
        *of_lists,
        f"## Metrics of predicted ratings\n\n{_OF_RATINGS}",
        *of_ratings,
        f"## Gains\n\nWhat a judged item adds; unjudged items add nothing.\n\n{_words(gains)}",
        f"## Losses\n\nWhat an item judged non-relevant costs.\n\n{_words(losses)}",
        f"## Who is evaluated\n\n{_words(evaluated_lists)}",
        "## Averages\n\nThey have labels as metrics do, such as `geometric(floor=0.001)`.",
        *(_average(kind) for kind in AVERAGES.values()),
    ]
    return "\n\n".join(parts) + "\n"


def _average(kind: type) -> str:
    head, sections = _sections(kind)
    paragraphs = []
    for block in re.split(r"\n{2,}", head):
        formula = block.removeprefix(".. math::")
        paragraphs.append(
            _markdown(block) if formula == block else f"```math\n{formula.strip()}\n```"
        )
    lines = "\n".join(f"- {line}" for line in _parameters(kind, sections))
    return "\n\n".join([f"### `{kind.__dict__['name']}`", *paragraphs, *([lines] if lines else [])])


def _parameters(kind: type, sections: dict[str, str], leave_out: Sequence[str] = ()) -> list[str]:
    """Return one line per parameter: name, default, allowed words and meaning.

    Of whole lists, one last line has the defaults of those that are explained elsewhere.
    """
    meanings = _meanings(sections.get("Parameters", ""))
    lines = []
    elsewhere: dict[str, list[str]] = {}
    for field in fields(kind):
        if field.name in leave_out:
            continue
        meaning = _markdown(meanings.get(field.name, ""))
        other = re.fullmatch(r"As that of (\w+)\.", meaning)
        if issubclass(kind, ListMetric) and (other or _SAID_ABOVE.fullmatch(meaning)):
            where = f" as for {other[1]}" if other and field.name not in ("discount", "phi") else ""
            elsewhere.setdefault(where, []).append(f"`{field.name}={_default(field.default)}`")
            continue
        hint = type_hints(kind)[field.name]
        words = [str(word) for word in get_args(hint)] if get_origin(hint) is Literal else []
        words = [word for word in words if word != field.default and "](#" not in meaning]
        others = "".join(f", `{word}`" for word in words)
        line = f"`{field.name}`: `{_default(field.default)}`{others}."
        lines.append(f"{line} {meaning}".strip())
    grouped = [", ".join(names) + where for where, names in elsewhere.items()]
    return [*lines, "; ".join(grouped)] if grouped else lines


def _default(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(value).lower()


def _sections(described: type | Callable) -> tuple[str, dict[str, str]]:
    """Split a docstring into its first part and the sections with underlined titles."""
    head, *rest = re.split(
        r"\n*^(\w+)\n-+\n", inspect.cleandoc(described.__doc__ or ""), flags=re.M
    )
    return head, dict(zip(rest[::2], rest[1::2], strict=True))


def _meanings(section: str) -> dict[str, str]:
    """Return the descriptions of parameters, still in the docstring's markup."""
    described = re.split(r"^(\w+) : .*\n?", section, flags=re.M)[1:]
    return {
        name: inspect.cleandoc(text)
        for name, text in zip(described[::2], described[1::2], strict=True)
    }


def _words(function: Callable) -> str:
    """Return the allowed words of a parameter, which a function's docstring lists."""
    for meaning in _meanings(_sections(function)[1]["Parameters"]).values():
        if meaning.startswith("- "):
            words, *after = re.split(r"\n{2,}", meaning)
            lines = [f"- {_markdown(item)}" for item in re.split(r"^- ", words, flags=re.M)[1:]]
            return "\n\n".join(["\n".join(lines), *map(_markdown, after)])
    raise ValueError(f"The docstring of {function.__name__} does not contain a list of words.")


def _markdown(text: str) -> str:
    """Turn a paragraph of a docstring into one line of Markdown that GitHub renders."""
    line = " ".join(text.split())
    line = re.sub(r":math:`([^`]*)`", r"$`\1`$", line)
    line = re.sub(r":[a-z]+:`([^`]*)`", lambda role: _LINKS.get(role[1], f"`{role[1]}`"), line)
    return re.sub(r"``([^`]*)``", r"`\1`", line)
