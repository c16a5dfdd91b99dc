# SPDX-License-Identifier: MIT
"""Protocols by name: what is written is read, and what is not clear is refused in words."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from receval.protocols.protocol import Protocol, parse_protocol
from reproduction.config.systems import ProtocolSpec

CANDIDATES = ("AI", "TI", "train", "rated")


@pytest.mark.each("relevant", ["AR", "1R", "P1R"])
@pytest.mark.each("written", [str, str.lower, str.upper, "  {}  ".format])
def test_a_name_is_read_in_any_letters(relevant: str, written: Any) -> None:
    percentiles = 10 if relevant == "P1R" else None
    for candidates, sampled in product(CANDIDATES, (None, 1, 99)):
        others = "AN" if sampled is None else "NN"
        expected = Protocol(
            "AR" if relevant == "AR" else "1R", candidates, sampled, percentiles=percentiles
        )
        name = written(f"{relevant} {candidates}-{others}")
        size = "" if sampled is None else f" sampled={sampled}"
        assert parse_protocol(name + size) == expected
        if sampled is None:
            assert parse_protocol(written(f"{relevant} {candidates}")) == expected


OPTIONS: dict[str, dict[str, Any]] = {
    "AR AI-AN": {"head_removed": 0.1, "ties": "index", "non_computable": "random"},
    "AR train-AN": {"ties": "librec"},
    "1R rated-NN": {"sampled": 7, "threshold": 3.5, "non_computable": "average"},
    "P1R TI-NN": {"sampled": 9, "percentiles": 3, "sampled_by": "popularity", "power": 0.75},
}


@pytest.mark.each("name", OPTIONS)
def test_parameters_behind_a_name_are_those_of_the_protocol(name: str) -> None:
    relevant, candidates, _ = name.replace("-", " ").split()
    options = OPTIONS[name]
    expected = Protocol("AR" if relevant == "AR" else "1R", candidates, **options)  # type: ignore[arg-type]
    words = [f"{option}={value}" for option, value in options.items()]
    for separator in (" ", ", "):
        assert parse_protocol(separator.join([name, *words])) == expected
    short = " ".join([name, *words]).replace("sampled_by", "by")
    assert parse_protocol(short) == expected


@pytest.mark.each(
    ("protocol", "name", "key"),
    [
        (Protocol(), "AR AI-AN", "ar-ai-an"),
        (Protocol("1R", "TI", 99, 4.5), "1R TI-NN", "1r-ti-nn99-from4.5"),
        (Protocol("1R", "AI", percentiles=5), "P1R AI-AN", "1r-ai-an-percentiles5"),
        (Protocol(head_removed=0.125), "AR AI-AN -12.5% head", "ar-ai-an-headless12.5"),
        (Protocol(non_computable="random"), "AR AI-AN, NC by random", "ar-ai-an-ncrandom"),
        (Protocol(ties="index"), "AR AI-AN", "ar-ai-an-tiesindex"),
        (
            Protocol("1R", "TI", 3, sampled_by="popularity"),
            "1R TI-NN by=popularity",
            "1r-ti-nn3-bypopularity",
        ),
        (
            Protocol("1R", "TI", 9, percentiles=3, sampled_by="popularity", power=0.75),
            "P1R TI-NN by=popularity power=0.75",
            "1r-ti-nn9-percentiles3-bypopularity0.75",
        ),
        (
            Protocol("1R", sampled=1, sampled_by="popularity", power=0.0),
            "1R AI-NN by=popularity power=0",
            "1r-ai-nn1-bypopularity0",
        ),
    ],
)
def test_names_and_keys_have_what_is_not_as_usual(protocol: Protocol, name: str, key: str) -> None:
    assert (protocol.name, protocol.key) == (name, key)


@pytest.mark.each(
    ("name", "message"),
    [
        ("AR TT-AN", r"Did you mean AR AI-AN or AR TI-AN\?"),
        ("1R T-NN", r"Did you mean 1R TI-AN or P1R TI-AN\?"),
        ("AR TI-AN rubbish", r"Did you mean AR TI-AN or AR train-AN\?"),
        ("qqqqqqqqq", r"Did you mean AR TI-AN or 1R TI-NN sampled=99\?"),
        ("", r"Did you mean AR TI-AN or 1R TI-NN sampled=99\?"),
        ("U1R TI", r"^'U1R TI': UAR and U1R are 1R TI on a split of the kind uniform-test"),
        ("AR TI sampled=5", "not clear: sampled needs NN"),
        ("AR TI-AN sampled=5", "not clear: sampled needs NN"),
        ("AR TI-NN", "add the number of sampled candidates, as in NN sampled=99"),
        ("1R TI-NN sampled=x", "a parameter is not a number"),
        ("1R TI-AN power=x", "a parameter is not a number"),
        (
            "1R TI-NN smpled=3",
            "has no parameter 'smpled'. Its parameters are sampled, .*, sampled_by, by",
        ),
        ("AR TI-AN by=popularity", "ranks all candidates, so none are drawn by popularity"),
        ("1R TI-NN sampled=9 by=fame", "must be one of uniform, popularity"),
        ("1R TI-NN sampled=9 power=0.5", "Set by=popularity, too"),
        ("1R TI-NN sampled=0", "must sample at least 1"),
    ],
)
def test_what_is_no_protocol_is_refused_with_what_may_be_meant(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_protocol(name)


def test_several_sizes_of_a_configuration_are_protocols_of_their_own() -> None:
    spec = ProtocolSpec(relevant="1R", sampled=(5, 9), sampled_by="popularity", power=0.5)
    assert spec.protocols(4) == [
        Protocol("1R", sampled=size, threshold=4, sampled_by="popularity", power=0.5)
        for size in (5, 9)
    ]
    assert ProtocolSpec().protocols(4) == [Protocol()]
    assert ProtocolSpec(relevant="1R", sampled=5).protocols(4) == [Protocol("1R", "AI", 5, 4)]


@pytest.mark.each(
    ("accepted", "refused"),
    [
        ({"sampled": 1}, {"sampled": 0}),
        ({"relevant": "1R", "percentiles": 2}, {"relevant": "1R", "percentiles": 1}),
        ({"head_removed": 1e-9}, {"head_removed": 0}),
        ({"head_removed": 0.999}, {"head_removed": 1}),
        (
            {"sampled": 1, "sampled_by": "popularity", "power": 0},
            {"sampled": 1, "sampled_by": "popularity", "power": -1e-9},
        ),
        ({"sampled": (1,)}, {"sampled": ()}),
    ],
)
def test_numbers_of_a_configuration_have_these_bounds(
    accepted: dict[str, Any], refused: dict[str, Any]
) -> None:
    ProtocolSpec(**accepted)
    with pytest.raises(ValueError, match="validation error"):
        ProtocolSpec(**refused)
