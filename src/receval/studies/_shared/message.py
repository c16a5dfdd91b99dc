"""What a figure says: how it is read, what is to be seen in it, and whether it is."""

from __future__ import annotations

from dataclasses import dataclass


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
