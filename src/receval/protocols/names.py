# SPDX-License-Identifier: MIT
"""Read protocols from the names that papers use, such as `AR TI-AN`."""

from __future__ import annotations

import re
from difflib import get_close_matches

from receval.checked_arguments import checked_arguments
from receval.protocols.protocol import Protocol
from receval.storage.messages import quoted

CANDIDATES = {"ai": "AI", "ti": "TI", "train": "train", "rated": "rated"}

_NAME = re.compile(r"(?i)(U?)(AR|1R|P1R)\s+(AI|TI|train|rated)(?:[-\s](AN|NN))?")
_OPTION = re.compile(r"(\w+)\s*=\s*([\w.]+)")
_INTEGERS = ("sampled", "percentiles")
_NUMBERS = ("threshold", "head_removed", "power")
_WORDS = ("ties", "non_computable", "sampled_by")
_SHORT = {"by": "sampled_by"}

_NAMES = [
    f"{relevant} {candidates}-{others}"
    for relevant in ("AR", "1R", "P1R")
    for candidates in CANDIDATES.values()
    for others in ("AN", "NN sampled=99")
]


@checked_arguments
def parse_protocol(name: str) -> Protocol:
    """Return the protocol of a name such as ``AR TI-AN`` or ``1R TI-NN sampled=99``.

    Parameters
    ----------
    name : str
        A name as in :attr:`.Protocol.name`, in any case: the relevant items (AR, 1R, P1R), the base
        candidates (AI, TI, train, rated), AN for all others or NN for a sample. Parameters of
        :class:`.Protocol` may follow as ``parameter=value``, with ``by`` for ``sampled_by``, as in
        ``1R TI-NN by=popularity sampled=99``. P1R has ten percentiles by default.

    Raises
    ------
    ValueError
        The name is not valid; the message suggests similar ones.

    Examples
    --------
    >>> parse_protocol("1r ti-nn sampled=99")
    Protocol(relevant='1R', candidates='TI', sampled=99, ...)
    >>> parse_protocol("AR TI").name, parse_protocol("P1R TI-NN sampled=9").percentiles
    ('AR TI-AN', 10)
    >>> parse_protocol("1R TI-NN by=popularity power=0.75 sampled=99").name
    '1R TI-NN by=popularity power=0.75'
    """
    match = _NAME.match(name.strip())
    rest = name.strip()[match.end() :].strip(" ,") if match else ""
    options = {_SHORT.get(option, option): value for option, value in _OPTION.findall(rest)}
    unread = _OPTION.sub("", rest).strip(" ,")
    unknown = [option for option in options if option not in (*_INTEGERS, *_NUMBERS, *_WORDS)]
    if match is None or unread or unknown or match[1]:
        raise ValueError(_refused(name, match, unknown))
    relevant, others = match[2].upper(), (match[4] or "").upper()
    try:
        values: dict[str, object] = {
            option: int(value)
            if option in _INTEGERS
            else float(value)
            if option in _NUMBERS
            else value
            for option, value in options.items()
        }
    except ValueError:
        raise ValueError(f"In the protocol {quoted(name)} a parameter is no number.") from None
    if (others == "NN") != ("sampled" in values) and (others or "sampled" in values):
        wanted = (
            "say how many are sampled: NN sampled=99" if others == "NN" else "NN samples, AN not"
        )
        raise ValueError(f"The protocol {quoted(name)} is not clear: {wanted}.")
    if relevant == "P1R":
        values.setdefault("percentiles", 10)
    return Protocol(
        "AR" if relevant == "AR" else "1R",
        CANDIDATES[match[3].lower()],  # type: ignore[arg-type]
        **values,  # type: ignore[arg-type]
    )


def _refused(name: str, match: re.Match[str] | None, unknown: list[str]) -> str:
    if match is not None and match[1]:
        return (
            f"{quoted(name)}: UAR and U1R are {name.strip()[1:]} on a split of the kind "
            "uniform-test: choose that split, and the protocol without U."
        )
    if unknown:
        known = ", ".join((*_INTEGERS, *_NUMBERS, *_WORDS, *_SHORT))
        return f"A protocol has no {quoted(unknown[0])}; its parameters are {known}."
    near = get_close_matches(name.upper(), [own.upper() for own in _NAMES], n=2, cutoff=0.4)
    spelt = [own for own in _NAMES if own.upper() in near] or ["AR TI-AN", "1R TI-NN sampled=99"]
    return (
        f"There is no protocol {quoted(name)}; did you mean {' or '.join(spelt[:2])}? A name is "
        "AR, 1R or P1R, then AI, TI, train or rated, then -AN or -NN with sampled=."
    )
