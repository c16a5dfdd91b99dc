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


class Named(list):
    """As Snakemake's lists of files: all paths in one list, some of them under a name."""

    def __init__(self, *unnamed: str, **named: str | list[str]) -> None:
        super().__init__(unnamed)
        self._named = named
        for value in named.values():
            self.extend([value] if isinstance(value, str) else value)

    def items(self) -> Any:
        return self._named.items()


def of_snakemake(kind: type[Namedlist], *unnamed: str, **named: str | list[str]) -> Any:
    """Fill one of Snakemake's own lists as Snakemake does for a job."""
    files = kind(toclone=unnamed)
    for name, value in named.items():
        start = len(files)
        files.extend([value] if isinstance(value, str) else value)
        files._set_name(name, start, end=None if isinstance(value, str) else len(files))
    return files


def stand_ins(inputs: Named, outputs: Named, params: dict[str, Any]) -> tuple[Any, ...]:
    return inputs, outputs, params


def snakemake_s_own(inputs: Named, outputs: Named, params: dict[str, Any]) -> tuple[Any, ...]:
    def unnamed(files: Named) -> list[str]:
        held = sum(1 if isinstance(value, str) else len(value) for _, value in files.items())
        return list(files)[: len(files) - held]

    return (
        of_snakemake(InputFiles, *unnamed(inputs), **dict(inputs.items())),
        of_snakemake(OutputFiles, *unnamed(outputs), **dict(outputs.items())),
        Params(fromdict=params),
    )


@pytest.fixture(params=[stand_ins, snakemake_s_own])
def call_of(request: pytest.FixtureRequest) -> Any:
    """Return a rule's call, from stand-ins or from what Snakemake hands over."""

    def call(
        inputs: Named | None = None,
        outputs: Named | None = None,
        params: dict[str, Any] | None = None,
        **more: Any,
    ) -> Call:
        files = [Named() if given is None else given for given in (inputs, outputs)]
        return Call.of_rule(FUNCTION, *request.param(*files, params or {}), more)

    return call


def test_every_name_of_a_rule_is_one_argument(call_of: Any) -> None:
    call = call_of(
        Named(split="work/split.npz", ratings=["work/ratings.parquet", "work/users.parquet"]),
        Named(ranks="work/ranks.npz"),
        {"seed": 7, "names": ("ml-1m", "folds"), "parameters": {"k": [1, 2]}, "code": "abc"},
        network=False,
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


@pytest.mark.parametrize("files", [[], ["work/a.npz"], ["work/a.npz", "work/b.npz"]])
def test_a_list_stays_a_list_however_many_files_it_has(call_of: Any, files: list[str]) -> None:
    # A single file under a function's name is one path, a list of one file is none.
    assert call_of(Named(splits=files)).arguments == {"splits": tuple(map(Path, files))}


def test_arguments_are_plain_values_that_another_process_can_read(call_of: Any) -> None:
    call = call_of(Named(one="a", several=["b", "c"]), Named(target="d"), {"seed": 1})
    assert pickle.loads(pickle.dumps(call)) == call
    files = [call.arguments["one"], *call.arguments["several"], call.arguments["target"]]
    assert {type(file) for file in files} == {type(Path())}
    assert type(call.arguments["several"]) is tuple


@pytest.mark.parametrize(
    ("inputs", "outputs", "sentence"),
    [
        (Named("work/a.npz"), Named(), "has 1 files without a name under input"),
        (Named("a", "b", split="c"), Named(), "has 2 files without a name under input"),
        (Named("a", splits=["b", "c"]), Named(), "has 1 files without a name under input"),
        (Named(split="a"), Named("work/b.npz"), "has 1 files without a name under output"),
    ],
)
def test_a_file_without_a_name_is_refused(
    call_of: Any, inputs: Named, outputs: Named, sentence: str
) -> None:
    with pytest.raises(ValueError, match=rf"calls {FUNCTION} {sentence}: name each after"):
        call_of(inputs, outputs)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"inputs": Named(values="a"), "outputs": Named(values="b")}, "output"),
        ({"inputs": Named(values="a"), "params": {"values": 1}}, "params"),
        ({"outputs": Named(values="a"), "params": {"values": 1}}, "params"),
        ({"inputs": Named(values="a"), "values": 1}, "the rule's body"),
        ({"params": {"values": 1, "seed": 2}, "values": 1}, "the rule's body"),
    ],
)
def test_a_name_that_stands_for_two_things_is_refused(
    call_of: Any, given: dict[str, Any], place: str
) -> None:
    with pytest.raises(ValueError, match=f"calls {FUNCTION} has values under {place} and above it"):
        call_of(**given)


def test_the_digest_of_the_code_may_have_the_name_of_a_file(call_of: Any) -> None:
    assert call_of(Named(code="a"), params={"code": "abc"}).arguments == {"code": Path("a")}


def test_a_call_imports_and_calls_the_function(tmp_path: Path) -> None:
    target = tmp_path / "numbers.json"
    call = Call(
        "reproduction.workflow.provenance.versions:write_json",
        {"path": target, "record": {"seed": 1}},
    )
    call.make()
    assert target.is_file()
    with pytest.raises(AttributeError, match="nothing_such"):
        Call("reproduction.workflow.provenance.versions:nothing_such", {}).make()
