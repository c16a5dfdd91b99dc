# SPDX-License-Identifier: MIT
"""Print and read labels of the form ``name(parameter=value,...)``."""

from __future__ import annotations

import types
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin

from receval.checked_arguments import annotations_of
from receval.storage.messages import quoted

_PRINTED_NAMES = {
    "RBPresidual": "RBP residual",
    "tau": "Kendall's tau",
    "FilledRanks": "Filled ranks",
    "UserCoverage": "User coverage",
}
"""Names that tables print instead of those in labels."""


def printed_parameters(value: Any, leave_out: tuple[str, ...] = ()) -> str:
    """Return the non-default parameters of a dataclass in brackets, or an empty string."""
    shown = [
        f"{field.name}={_printed(getattr(value, field.name))}"
        for field in sorted(fields(value), key=lambda field: field.name)
        if field.name not in leave_out and getattr(value, field.name) != field.default
    ]
    return f"({','.join(shown)})" if shown else ""


def first_default(value: Any) -> str:
    """Return the first parameter of a metric that a label may have, with its default value."""
    return next(
        (
            f"{field.name}={_printed(field.default)}"
            for field in fields(value)
            if isinstance(field.default, str | float | bool) and field.default != ""
        ),
        "",
    )


def _printed(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        # 2 and 2.0 are equal, so they must have the same label.
        return repr(float(value)).removesuffix(".0")
    return str(value)


def check_choices(value: Any) -> None:
    """Check the parameters that accept only certain words."""
    for parameter, hint in annotations_of(value.__class__).items():
        if get_origin(hint) is Literal and getattr(value, parameter) not in get_args(hint):
            given = quoted(getattr(value, parameter))
            raise ValueError(
                f"The {parameter} of {value.name} is {given}; it must be one of "
                f"{', '.join(map(str, get_args(hint)))}."
            )


def read_parameters(
    kind: type, text: str, label: str, leave_out: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the parameters of a dataclass from the text between a label's brackets.

    The text is ``parameter=value,...``; the whole label is for error messages. Parameters to leave
    out appear elsewhere in the label.
    """
    hints = annotations_of(kind)
    accepted = [field.name for field in fields(kind) if field.name not in leave_out]
    values: dict[str, Any] = {}
    for word in filter(None, text.split(",")):
        parameter, equals, written = (part.strip() for part in word.partition("="))
        if not equals or parameter not in accepted or parameter in values:
            raise ValueError(
                f"In {quoted(label)}, {quoted(word.strip())} must be a parameter of "
                f"{vars(kind)['name']}, given once as parameter=value. Its parameters: "
                f"{', '.join(accepted) or 'none'}."
            )
        values[parameter] = _value(hints[parameter], written, parameter, label)
    return values


_WANTED = {bool: "true or false", int: "a whole number", float: "a number"}


def _value(hint: Any, written: str, parameter: str, label: str) -> Any:
    types_of = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    kind = next((one for one in types_of if one in _WANTED), None)
    if kind is None:
        return written
    try:
        if kind is bool:
            return {"true": True, "false": False}[written]
        return kind(written)
    except (KeyError, ValueError):
        raise ValueError(
            f"In {quoted(label)}, {parameter} must be {_WANTED[kind]}, not {quoted(written)}."
        ) from None


def metric_name(label: str) -> str:
    """Return the name of a metric with its cut-off, without its other parameters."""
    name, _, rest = label.partition("(")
    name, _, cutoff = f"{name}{rest.partition(')')[2]}".partition("@")
    return _PRINTED_NAMES.get(name, name) + (f"@{cutoff}" if cutoff else "")
