# SPDX-License-Identifier: MIT
"""Registry of the dialects."""

from __future__ import annotations

from difflib import get_close_matches

from receval.checked_arguments import checked_arguments
from receval.metrics.dialects.dialect import Dialect, plain_tool_name
from receval.metrics.dialects.recommender_tools import (
    CORNAC,
    ELLIOT,
    LENSKIT,
    LENSKIT_0_14,
    LIBREC_2,
    LIBREC_3,
    RANKSYS,
    RECBOLE,
    RECOMMENDERS,
    RECPACK,
    RECTOOLS,
    REPLAY,
    WARPREC,
)
from receval.metrics.dialects.retrieval_tools import IR_MEASURES, RANX, REC_EVAL, TREC_EVAL
from receval.storage.messages import quoted

DIALECTS = {
    one.name: one
    for one in (
        RECBOLE,
        ELLIOT,
        LENSKIT,
        LENSKIT_0_14,
        CORNAC,
        RECPACK,
        RECTOOLS,
        REPLAY,
        WARPREC,
        RANX,
        TREC_EVAL,
        IR_MEASURES,
        RANKSYS,
        LIBREC_2,
        LIBREC_3,
        RECOMMENDERS,
        REC_EVAL,
    )
}
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
