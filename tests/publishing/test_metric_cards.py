# SPDX-License-Identifier: MIT
"""Every metric has its definition card, and docs/metrics.md has them all."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pytest
from metrics.forms import COMMON, choices

from receval.metrics.averages import AVERAGES
from receval.metrics.metric import Metric
from receval.metrics.registry import METRICS, metric_class, parse
from reproduction.publishing.metric_cards import IN_THE_FORMULA, RULES, card_of, document

TEXT = document()


def section(title: str) -> str:
    _, _, rest = TEXT.partition(f"\n### `{title}`\n")
    assert rest, title
    return re.split(r"^##", rest, flags=re.MULTILINE)[0]


@pytest.mark.each("name", METRICS)
def test_every_metric_has_formula_denominator_users_missing_lists_ties_and_source(
    name: str,
) -> None:
    card = card_of(metric_class(name))
    assert card.name == name
    assert card.summary.endswith(".")
    assert "=" in card.formula
    own = section(name)
    assert f"```math\n{card.formula}\n```" in own
    titles = {"Denominator": "Denominator", "Evaluated": "Evaluated users", "Source": "Source"}
    titles |= {"Missing": "Missing list", "Ties": "Ties"}
    assert card.fields.keys() == titles.keys()
    for field, title in titles.items():
        is_said = re.search(rf"^- \*\*{title}:\*\* \S", own, flags=re.MULTILINE) is not None
        assert is_said == (card.fields[field] not in {RULES.get(field), *IN_THE_FORMULA}), title
    assert card.fields["Source"] != card.fields["Denominator"]
    assert ("**Under 1R:** refused" in own) == parse(name).refused_under_1r


def test_the_rules_that_cards_leave_out_stand_above_them() -> None:
    rules = TEXT.partition("\n## Rules of every metric\n")[2].partition("\n## ")[0]
    assert all(rule in rules for rule in RULES.values())


@pytest.mark.each("name", METRICS)
def test_a_card_has_every_parameter_with_its_default_and_its_words(name: str) -> None:
    kind, own = metric_class(name), section(name)
    for parameter, words in choices(kind).items():
        (line,) = re.findall(rf"^- `{parameter}`: (.*)$", own, flags=re.MULTILINE)
        default = next(field.default for field in fields(kind) if field.name == parameter)
        shown = f"{default:g}" if isinstance(default, float) else default
        assert re.match(rf"`{re.escape(str(shown))}`[,.]", line)
        if isinstance(words[0], str):
            listed = line.partition(". ")[0]
            # A section of the page may list them, for several metrics.
            if "](#" not in line:
                assert set(re.findall(r"`([\w-]+)`", listed)) == set(words)
            assert line.partition(". ")[2], f"{parameter} is not explained"


def test_what_a_missing_list_scores_is_what_the_card_says() -> None:
    for kind in map(metric_class, METRICS):
        # That it is so, test_hand_worked.py and test_weighted_means.py show.
        told = "left out" if kind.missing != kind.missing else f"{kind.missing:g}"
        assert card_of(kind).fields["Missing"].startswith(told), kind


def test_gains_losses_averages_and_common_parameters_are_explained() -> None:
    for title, words in (
        ("Gains", choices(metric_class("nDCG"))["gain"]),
        ("Losses", choices(metric_class("nDCL"))["loss"]),
        ("Who is evaluated", ("all", "tested", "relevant", "covered", "relevant-covered")),
        ("Parameters of every metric", COMMON),
    ):
        _, _, rest = TEXT.partition(f"\n## {title}\n")
        listed = re.findall(r"^- `([\w-]+)`: \S", rest.partition("\n## ")[0], flags=re.MULTILINE)
        assert sorted(listed) == sorted(words)
    for name, kind in AVERAGES.items():
        own = section(name)
        assert all(f"- `{field.name}`: `" in own for field in fields(kind))


def test_no_markup_of_docstrings_is_left() -> None:
    text = re.sub(r"^\|[-|]+\|$", "", TEXT, flags=re.MULTILINE).replace("```", "")
    assert not re.findall(r":\w+:`|``(?!`)(?<!```)[^`]|\.\. math|----", text)


@pytest.mark.each(
    ("docstring", "words"),
    [
        ("What.\n\n:Denominator: one\n:Source: here", "lacks .. math::"),
        ("What.\n\n.. math:: x = 1\n\n:Source: here", "lacks :Denominator:"),
        ("What.\n\n.. math:: x = 1\n\n:Denominator: one", "lacks :Source:"),
        ("W.\n\n.. math:: x = 1\n\n:Denominator: one\n:Source: a\n:Tie: b", "Tie of Denominator"),
    ],
)
def test_a_docstring_that_makes_no_card_is_refused(docstring: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        card_of(described(docstring))


def test_fields_of_the_docstring_go_before_the_common_rules() -> None:
    card = card_of(
        described(
            "What.\n\n.. math:: x =\n    1\n\n:Denominator: one\n  more\n:Source: a\n:Ties: b"
        )
    )
    assert card.formula == "x =\n1"
    assert card.fields == RULES | {"Denominator": "one more", "Source": "a", "Ties": "b"}


def test_a_card_may_say_all_that_there_are_rules_for_behind_the_value_of_a_missing_list() -> None:
    said = {title: title.lower() for title in ("Denominator", "Source", *RULES)}
    fields_of = "\n".join(f":{title}: {words}" for title, words in said.items())
    found = card_of(described(f"What.\n\n.. math:: x = 1\n\n{fields_of}")).fields
    assert found == said | {"Missing": "0, missing"}


def described(docstring: str) -> type[Metric]:
    @dataclass(frozen=True, kw_only=True)
    class Nameless(Metric):
        __doc__ = docstring
        name: ClassVar[str] = "Nameless"

        def per_list(self, lists, cutoffs):
            return np.zeros((len(cutoffs), lists.n_lists))

    return Nameless
