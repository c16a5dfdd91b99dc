# SPDX-License-Identifier: MIT
"""Registry of the dialects: what tools mean by the names of their metrics (``tools.toml``)."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from receval.checked_arguments import checked_arguments
from receval.metrics.dialects.dialect import Dialect, ToolMetric, plain_tool_name
from receval.storage.messages import quoted


def _entry(name: str, described: str | dict[str, Any]) -> ToolMetric:
    """Return a metric of a tool from its label alone, or from a table of fields."""
    if isinstance(described, str):
        return ToolMetric(name, described)
    aliases = tuple(described.pop("aliases", ()))
    return ToolMetric(name, aliases=aliases, **described)


def _dialects() -> dict[str, Dialect]:
    """Return all dialects by name, read from ``tools.toml`` beside this module."""
    tools = tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))
    for tool in tools.values():
        tool["entries"] = tuple(_entry(*metric) for metric in tool.pop("metrics").items())
        tool["refused"] = {name: why for why, *names in tool.get("refused", ()) for name in names}
        tool |= {field: tuple(tool.get(field, ())) for field in ("sources", "caveats")}
    return {name: Dialect(name=name, **tool) for name, tool in tools.items()}


DIALECTS = _dialects()
"""Dialects by name, in the order of messages and pages."""

_OTHER_NAMES = {
    "pytreceval": "trec_eval",
    "treceval": "trec_eval",
    "irmeasures": "ir_measures",
    "lenskit2025": "lenskit",
    "lenskit014": "lenskit-0.14",
    "librec2": "librec-2.0",
    "librec": "librec-2.0",
    "librec3": "librec-3.0",
    "librec20": "librec-2.0",
    "librec30": "librec-3.0",
    "microsoft": "recommenders",
}


@checked_arguments
def dialect(name: str | Dialect) -> Dialect:
    """Return a dialect by its name.

    Parameters
    ----------
    name : str or Dialect
        Such as ``recbole``; case and punctuation do not matter. A dialect is returned unchanged.

    Raises
    ------
    ValueError
        There is no such dialect; the message suggests similar names.

    Examples
    --------
    >>> dialect("RecBole").metric("ndcg@10").label
    'nDCG(gain=binary)@10'
    >>> dialect("elliott")
    Traceback (most recent call last):
    ValueError: There is no dialect 'elliott'; did you mean elliot? There are recbole, elliot, ...
    """
    if isinstance(name, Dialect):
        return name
    by_plain = {plain_tool_name(own): own for own in DIALECTS} | _OTHER_NAMES
    own = by_plain.get(plain_tool_name(name))
    if own is None:
        near = get_close_matches(plain_tool_name(name), list(by_plain), n=3, cutoff=0.6)
        likely = dict.fromkeys(by_plain[one] for one in near)
        mean = f"did you mean {' or '.join(likely)}? There are" if likely else "there are"
        raise ValueError(f"There is no dialect {quoted(name)}; {mean} {', '.join(DIALECTS)}.")
    return DIALECTS[own]
