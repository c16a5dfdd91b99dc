# SPDX-License-Identifier: MIT
"""Public functions refuse values and types that their annotations do not allow, in a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

import receval
from receval.checked_arguments import checked_arguments
from receval.metrics.metric import Metric
from receval.metrics.registry import METRICS, metric_class

WRONG = {int: 2.5, float: "many", bool: "no", str: 7}
"""A value of a wrong type for each type that is checked."""


def functions() -> Iterator[tuple[str, Any]]:
    """Yield what the package offers, and the methods of its results."""
    for name in receval.__all__:
        offered = getattr(receval, name)
        if inspect.isfunction(offered):
            yield name, offered
        elif name == "EvaluationResult":
            methods = inspect.getmembers(offered, inspect.isfunction)
            yield from ((f"{name}.{own}", f) for own, f in methods if not own.startswith("_"))


def alternatives(wanted: Any) -> tuple[Any, ...]:
    return get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)


def wrong_arguments() -> Iterator[tuple[str, str, Any]]:
    """Yield a function, one of its parameters, and a value that it must refuse."""
    for name, function in functions():
        for parameter, wanted in get_type_hints(function).items():
            kinds = alternatives(wanted)
            kind = inspect.signature(function).parameters.get(parameter)
            if kind is None or kind.kind in (kind.VAR_KEYWORD, kind.VAR_POSITIONAL):
                continue
            if all(one in WRONG or get_origin(one) is Literal for one in kinds):
                strings = [one for one in kinds if get_origin(one) is Literal]
                yield name, parameter, "average" if strings else WRONG[kinds[0]]


def an_example(wanted: Any) -> Any:
    """Return what an annotation allows."""
    first = alternatives(wanted)[0]
    if first is str:
        return "x"
    if get_origin(first) is Mapping:
        return {}
    return object.__new__(first) if inspect.isclass(first) and not get_origin(first) else None


def needed(function: Any) -> dict[str, Any]:
    """Return what a function needs; what comes before an argument must not be at fault."""
    wanted = get_type_hints(function)
    return {
        name: an_example(wanted.get(name))
        for name, own in inspect.signature(function).parameters.items()
        if own.default is own.empty and own.kind not in (own.VAR_KEYWORD, own.VAR_POSITIONAL)
    }


CASES = [pytest.param(*case, id=f"{case[0]} {case[1]}") for case in wrong_arguments()]


@pytest.mark.each(("name", "parameter", "value"), CASES)
def test_every_public_argument_of_a_checked_type_refuses_others(
    name: str, parameter: str, value: Any
) -> None:
    function = dict(functions())[name]
    with pytest.raises((TypeError, ValueError), match=rf"^{parameter} is .*; it must be "):
        function(**(needed(function) | {parameter: value}))


def test_the_walk_meets_the_options_of_all_evaluations() -> None:
    met = {(case.values[0], case.values[1]) for case in CASES}
    compared = ("EvaluationResult.compare", "samples")
    assert {("evaluate", "users"), ("evaluate_runs", "ties"), ("split", "seed"), compared} <= met


@checked_arguments
def taking(
    number: int = 1, share: float = 1, is_so: bool = True, choice: Literal["a", 2] = "a"
) -> None: ...


@pytest.mark.each(
    "given", [{"number": True}, {"number": 2.0}, {"is_so": 1}, {"choice": 2.0}], ids=str
)
def test_near_types_are_no_types(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="it must be"):
        taking(**given)


def test_numbers_of_numpy_are_numbers() -> None:
    import numpy as np

    taking(number=np.int64(3), share=np.float32(0.5), is_so=np.bool_(True), choice=2)


def wrong_parameters() -> Iterator[Any]:
    """Yield a class that people make objects of, one of its parameters, and a wrong value."""
    offered = [getattr(receval, name) for name in receval.__all__]
    classes = [own for own in offered if inspect.isclass(own) and not inspect.isabstract(own)]
    kinds = {receval.Protocol, *map(metric_class, METRICS)}
    kinds |= {own for own in classes if issubclass(own, receval.Recommender)}
    for kind in sorted(kinds, key=lambda own: own.__name__):
        hints = get_type_hints(kind.__init__)
        for name, parameter in inspect.signature(kind).parameters.items():
            options = alternatives(hints.get(name))
            is_choice = any(get_origin(one) is Literal for one in options)
            # Numbers of metrics have bounds, which these check themselves.
            is_bound = issubclass(kind, Metric) and options[0] is float
            if (
                not is_bound
                and parameter.kind != parameter.VAR_KEYWORD
                and (is_choice or options[0] in WRONG)
            ):
                wrong = "sometimes" if is_choice or options[0] is str else WRONG[options[0]]
                yield pytest.param(kind, name, wrong, id=f"{kind.__name__} {name}")


@pytest.mark.each(("kind", "name", "value"), [*wrong_parameters()])
def test_every_parameter_of_protocols_metrics_and_systems_refuses_wrong_values(
    kind: type, name: str, value: Any
) -> None:
    needed = {"relevant": "AR", "candidates": "AI"} if kind is receval.Protocol else {}
    with pytest.raises((TypeError, ValueError), match=name):
        kind(**(needed | {name: value}))


@pytest.mark.each(
    "args, options, told",
    [
        (("Pop",), {"baseline": "Pop"}, "compare() got an unexpected keyword argument 'baseline'"),
        (("Pop", "Random"), {}, "compare() got too many positional arguments"),
        ((), {"test": "t"}, "compare() is missing a required argument: 'first'"),
    ],
)
def test_a_call_that_does_not_fit_is_told_the_arguments(
    args: tuple[Any, ...], options: dict[str, Any], told: str
) -> None:
    @checked_arguments
    def compare(first: str, *, test: str = "t") -> str:
        return first + test

    with pytest.raises(TypeError) as raised:
        compare(*args, **options)
    assert str(raised.value) == f"{told}. Its arguments are (first, *, test)."


def test_a_call_that_does_not_fit_is_told_the_name_by_which_it_was_called() -> None:
    for name, function in functions():
        told = rf"^{name.rpartition('.')[2]}\(\) got an unexpected keyword argument 'no_argument'"
        if name != "split":  # Its further arguments depend on the kind.
            with pytest.raises(TypeError, match=told):
                function(**needed(function), no_argument=1)
