# SPDX-License-Identifier: MIT
"""Registry of the dialects."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from receval.checked_arguments import checked_arguments
from receval.metrics.dialects.dialect import Dialect
from receval.storage.messages import quoted

DIALECTS = {
    "recbole": "receval.metrics.dialects.recommender_tools:RECBOLE",
    "elliot": "receval.metrics.dialects.recommender_tools:ELLIOT",
    "lenskit": "receval.metrics.dialects.recommender_tools:LENSKIT",
    "lenskit-0.14": "receval.metrics.dialects.recommender_tools:LENSKIT_0_14",
    "cornac": "receval.metrics.dialects.recommender_tools:CORNAC",
    "recpack": "receval.metrics.dialects.recommender_tools:RECPACK",
    "warprec": "receval.metrics.dialects.recommender_tools:WARPREC",
    "ranx": "receval.metrics.dialects.retrieval_tools:RANX",
    "trec_eval": "receval.metrics.dialects.retrieval_tools:TREC_EVAL",
    "ir_measures": "receval.metrics.dialects.retrieval_tools:IR_MEASURES",
    "ranksys": "receval.metrics.dialects.recommender_tools:RANKSYS",
    "librec-2.0": "receval.metrics.dialects.recommender_tools:LIBREC_2",
    "librec-3.0": "receval.metrics.dialects.recommender_tools:LIBREC_3",
    "recommenders": "receval.metrics.dialects.recommender_tools:RECOMMENDERS",
    "valcarce2018": "receval.metrics.dialects.retrieval_tools:REC_EVAL",
}
"""Dialects by name, each imported when needed."""

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
    by_plain = {_plain(own): own for own in DIALECTS} | _OTHER_NAMES
    own = by_plain.get(_plain(name))
    if own is None:
        near = get_close_matches(_plain(name), list(by_plain), n=3, cutoff=0.6)
        likely = dict.fromkeys(by_plain[one] for one in near)
        mean = f"did you mean {' or '.join(likely)}? There are" if likely else "there are"
        raise ValueError(f"There is no dialect {quoted(name)}; {mean} {', '.join(DIALECTS)}.")
    module, _, symbol = DIALECTS[own].partition(":")
    found: Dialect = getattr(import_module(module), symbol)
    return found


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
