# SPDX-License-Identifier: MIT
"""What a figure says: how it is read, what is to be seen in it, and whether it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

DATASETS = {
    "ml-1m": "ML-1M",
    "netflix": "Netflix",
    "librarything": "LibraryThing",
    "beeradvocate": "BeerAdvocate",
    "yahoo-r3": "Yahoo! R3",
    "cm100k": "CM100k",
    "lastfm-1k": "Last.fm",
    "trec-qrels": "TREC",
    "dated-twin": "Generated ratings",
}
"""How sentences name the datasets, and the twins that stand for them: as figures do."""


@dataclass(frozen=True)
class Message:
    """The message of a figure, from its results alone.

    A study's module ``messages`` has a function for each figure, in ``MESSAGES`` by the names of
    the artifacts, that takes the results table and returns its message. Numbers in the sentences
    are taken from the table.

    Attributes
    ----------
    reading : str
        A sentence on how to read the figure: what a mark is, and where better is.
    finding : str
        A sentence on what it shows.
    claim : str
        What the paper's figure shows, in a sentence without numbers: printed in the place of the
        finding where the results do not show it.
    holds : bool
        Whether the results show it: checked by the function, not said by hand. Other data, such as
        twins, need not show what the paper found.
    partly : str
        A sentence on which part of the claim the results show and which they do not, printed after
        the claim in place of "These results do not show it." where the claim does not hold as a
        whole.
    beside : str
        A sentence on where the finding differs from the paper's, printed after it unless the data
        are twins, which nobody compares with the paper.
    """

    reading: str
    finding: str
    holds: bool
    claim: str = ""
    partly: str = ""
    beside: str = ""


def in_a_row(words: Iterable[str]) -> str:
    """Join words, or parts of a sentence.

    Raises
    ------
    ValueError
        There are none.

    Examples
    --------
    >>> in_a_row(["P"]), in_a_row(["P", "F1"]), in_a_row(["P", "F1", "nDCG"])
    ('P', 'P and F1', 'P, F1 and nDCG')
    """
    parts = list(words)
    if not parts:
        raise ValueError("There are no words to be joined: leave the part of the sentence out.")
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end.

    Examples
    --------
    >>> sentence("on ML-1M it holds")
    'On ML-1M it holds.'
    """
    return f"{text[:1].upper()}{text[1:]}."
