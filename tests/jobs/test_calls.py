# SPDX-License-Identifier: MIT
"""A rule's named files and parameters become the arguments of the function that it names."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from snakemake.iocontainers import InputFiles, Namedlist, OutputFiles, Params

from reproduction.workflow.jobs.run_job import Call

FUNCTION = "receval.somewhere:do"


def listed(kind: type[Namedlist], *unnamed: str, **named: str | list[str]) -> Any:
    """Fill one of Snakemake's lists as Snakemake does for a job."""
    files = kind(toclone=unnamed)
    for name, value in named.items():
        start = len(files)
        files.extend([value] if isinstance(value, str) else value)
        files._set_name(name, start, end=None if isinstance(value, str) else len(files))
    return files


def inputs(*unnamed: str, **named: str | list[str]) -> Any:
    return listed(InputFiles, *unnamed, **named)


def outputs(*unnamed: str, **named: str | list[str]) -> Any:
    return listed(OutputFiles, *unnamed, **named)


def call_of(read: Any = None, made: Any = None, **params: Any) -> Call:
    """Return the call of a rule; the body adds the parameter ``more``."""
    more = params.pop("more", {})
    files = (inputs() if read is None else read, outputs() if made is None else made)
    return Call.of_rule(FUNCTION, *files, Params(fromdict=params), more)


def test_every_name_of_a_rule_is_one_argument_that_another_process_can_read() -> None:
    call = call_of(
        inputs(split="work/split.npz", ratings=["work/ratings.parquet", "work/users.parquet"]),
        outputs(ranks="work/ranks.npz"),
        **{"seed": 7, "names": ("ml-1m", "folds"), "parameters": {"k": [1, 2]}, "code": "abc"},
        more={"network": False},
    )
    assert call == Call(
        FUNCTION,
        {
            "split": Path("work/split.npz"),
            "ratings": (Path("work/ratings.parquet"), Path("work/users.parquet")),
            "ranks": Path("work/ranks.npz"),
            "seed": 7,
            "names": ("ml-1m", "folds"),
            "parameters": {"k": [1, 2]},
            "network": False,
        },
    )
    assert pickle.loads(pickle.dumps(call)) == call
    files = (call.arguments["split"], *call.arguments["ratings"], call.arguments["ranks"])
    assert {type(file) for file in files} == {type(Path())}
    assert type(call.arguments["ratings"]) is tuple


@pytest.mark.each("files", [[], ["work/a.npz"], ["work/a.npz", "work/b.npz"]])
def test_a_list_stays_a_list_however_many_files_it_has(files: list[str]) -> None:
    # A single file under a function's name is one path, a list of one file is none.
    assert call_of(inputs(splits=files)).arguments == {"splits": tuple(map(Path, files))}


@pytest.mark.each(
    ("read", "made", "sentence"),
    [
        (inputs("work/a.npz"), outputs(), "has 1 files without a name under input"),
        (inputs("a", "b", split="c"), outputs(), "has 2 files without a name under input"),
        (inputs("a", splits=["b", "c"]), outputs(), "has 1 files without a name under input"),
        (inputs(split="a"), outputs("work/b.npz"), "has 1 files without a name under output"),
    ],
)
def test_a_file_without_a_name_is_refused(read: Any, made: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=rf"calls {FUNCTION} {sentence}. Name each file after"):
        call_of(read, made)


@pytest.mark.each(
    ("given", "place"),
    [
        ({"read": inputs(values="a"), "made": outputs(values="b")}, "output"),
        ({"read": inputs(values="a"), "values": 1}, "params"),
        ({"made": outputs(values="a"), "values": 1}, "params"),
        ({"read": inputs(values="a"), "more": {"values": 1}}, "the rule's body"),
        ({"values": 1, "seed": 2, "more": {"values": 1}}, "the rule's body"),
    ],
)
def test_a_name_that_stands_for_two_things_is_refused(given: dict[str, Any], place: str) -> None:
    with pytest.raises(
        ValueError, match=f"calls {FUNCTION} has values both under {place} and above"
    ):
        call_of(**given)


def test_the_digest_of_the_code_may_have_the_name_of_a_file() -> None:
    assert call_of(inputs(code="a"), code="abc").arguments == {"code": Path("a")}


def test_a_call_imports_and_calls_the_function(tmp_path: Path) -> None:
    target = tmp_path / "numbers.json"
    module = "reproduction.workflow.provenance.versions"
    Call(f"{module}:write_json", {"path": target, "record": {"seed": 1}}).make()
    assert target.is_file()
    with pytest.raises(AttributeError, match="nothing_such"):
        Call(f"{module}:nothing_such", {}).make()
