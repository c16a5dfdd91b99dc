# SPDX-License-Identifier: MIT
"""Check arguments of public functions against their annotations, before anything is computed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache, wraps
from numbers import Integral, Real
from textwrap import shorten
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from receval.lazy_names import offered_name

P = ParamSpec("P")
R = TypeVar("R")

_NUMBERS: dict[Any, tuple[type, str]] = {
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
}

_NUMPY_BOOLS = ("numpy", "bool"), ("numpy", "bool_")
"""By name, because numpy must not be loaded before its instructions are chosen."""


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to refuse arguments that its annotations do not allow.

    Choices (``Literal``), numbers, truth values, strings, classes and their unions are checked. NaN
    and True are not numbers. Containers, such as sequences, are not checked. Unknown choices and
    NaN are a ValueError, wrong types a TypeError. A call that does not fit is told the arguments.

    Further arguments (``**options``) are those of a ``TypedDict`` (``Unpack[Options]``), or of
    another function or class (``Annotated[Any, other]``), and unknown ones are refused here.

    Examples
    --------
    >>> @checked_arguments
    ... def order(ties: Literal["index", "random"], seed: int = 1) -> str:
    ...     return ties
    >>> order("average")
    Traceback (most recent call last):
    ValueError: ties is 'average'; it must be 'index' or 'random'.
    >>> order("index", seed=1.5)
    Traceback (most recent call last):
    TypeError: seed is 1.5; it must be a whole number.
    >>> order("index", order=1)
    Traceback (most recent call last):
    TypeError: order() got an unexpected keyword argument 'order'. Its arguments are (ties, seed).
    """
    signature = inspect.signature(function)
    annotations = cache(lambda: get_type_hints(function))
    whole = cache(lambda: _with_options(function, signature))

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            whole().bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(_told_arguments(function, whole(), str(error))) from None
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            wanted = annotations().get(name)
            if wanted is not None and signature.parameters[name].kind not in _OF_SEVERAL:
                _check(name, value, wanted)
        return function(*args, **kwargs)

    return checked


def check_fields(instance: Any, *names: str) -> None:
    """Check the fields of a dataclass, by default all, as :func:`checked_arguments` does arguments.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Sample:
    ...     size: int
    ...
    ...     def __post_init__(self) -> None:
    ...         check_fields(self)
    >>> Sample(2.5)
    Traceback (most recent call last):
    TypeError: size is 2.5; it must be a whole number.
    """
    # For mypy, an unknown class may have a metaclass that is not hashable.
    annotations = annotations_of(type(instance))  # type: ignore[arg-type]
    for name in names or [own.name for own in fields(instance)]:
        _check(name, getattr(instance, name), annotations[name])


@cache
def annotations_of(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields."""
    return get_type_hints(kind)


def _with_options(function: Callable[..., Any], signature: inspect.Signature) -> inspect.Signature:
    """Return a signature with the names of its further arguments, where an annotation has them."""
    own = dict(signature.parameters)
    for name, wanted in get_type_hints(function, include_extras=True).items():
        is_annotated = get_origin(wanted) is Annotated
        if is_annotated or get_origin(wanted) is Unpack:
            del own[name]
            for other in get_args(wanted)[is_annotated:]:
                for one in [other] if isinstance(other, str) else get_type_hints(other):
                    if one != "return":
                        option = inspect.Parameter(
                            one, inspect.Parameter.KEYWORD_ONLY, default=None
                        )
                        own.setdefault(one, option)
    return signature.replace(parameters=list(own.values()))


def _told_arguments(function: Callable[..., Any], signature: inspect.Signature, why: str) -> str:
    """Return the sentence for a call that does not fit."""
    empty = inspect.Parameter.empty
    plain = [own.replace(annotation=empty, default=empty) for own in signature.parameters.values()]
    names = str(inspect.Signature([own for own in plain if own.name != "self"]))
    told = f"Its arguments are {shorten(names, 300)}" if names != "()" else "It has no arguments"
    verb = "" if why.startswith("got") else "is " if why.startswith("missing") else "got "
    name = offered_name(function.__module__, function.__name__)
    return f"{name}() {verb}{why}. {told}."


_OF_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _check(name: str, value: Any, wanted: Any) -> None:
    """Refuse a value that none of the alternatives of an annotation allows."""
    # Most values are of the wanted class; only a float has to be looked at again, for NaN.
    if type(value) is wanted and wanted is not float:
        return
    alternatives = _alternatives(wanted)
    if any(_allows(one, value) for one in alternatives):
        return
    *before, last = dict.fromkeys(words for one in alternatives for words in _in_words(one))
    told = f"{', '.join(before)} or {last}" if before else last
    shown = (
        repr(value)[:60]
        if isinstance(value, str | Real | NoneType)
        else f"a {type(value).__name__}"
    )
    is_choice = isinstance(value, str) and any(get_origin(one) is Literal for one in alternatives)
    is_wrong_value = is_choice or (isinstance(value, Real) and value != value)
    raise (ValueError if is_wrong_value else TypeError)(f"{name} is {shown}; it must be {told}.")


@cache
def _alternatives(wanted: Any) -> tuple[Any, ...]:
    if get_origin(wanted) not in (Union, UnionType):
        return (wanted,)
    return tuple(each for one in get_args(wanted) for each in _alternatives(one))


def _allows(wanted: Any, value: Any) -> bool:
    """Tell whether an annotation allows a value; if that is unclear, return True."""
    if get_origin(wanted) is Literal:
        return any(type(value) is type(one) and value == one for one in get_args(wanted))
    if wanted in _NUMBERS:
        is_nan = value != value if isinstance(value, Real) else False
        return isinstance(value, _NUMBERS[wanted][0]) and not isinstance(value, bool) and not is_nan
    if wanted is bool:
        return (
            isinstance(value, bool)
            or (type(value).__module__, type(value).__name__) in _NUMPY_BOOLS
        )
    if get_origin(wanted) is Mapping:
        return isinstance(value, Mapping)
    if not isinstance(wanted, type) or get_origin(wanted) is not None:
        return True
    try:
        return isinstance(value, wanted)
    except TypeError:
        return True  # A protocol that cannot be checked.


def _in_words(wanted: Any) -> Iterator[str]:
    if get_origin(wanted) is Literal:
        yield from map(repr, get_args(wanted))
    elif get_origin(wanted) is Mapping:
        yield "a mapping of names"
    elif wanted in _NUMBERS:
        yield _NUMBERS[wanted][1]
    elif wanted is bool:
        yield "True or False"
    elif wanted is str:
        yield "a string"
    elif wanted in (None, NoneType):
        yield "None"
    else:
        name = getattr(wanted, "__name__", str(wanted))
        yield f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
