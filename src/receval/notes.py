# SPDX-License-Identifier: MIT
"""Notes: sentences beside numbers that say what may mislead, each of a kind that can be looked up.

Whatever reads data or computes values collects notes. Commands and reports show them above the
tables, the gravest first; ``--strict`` makes errors of those that are more than information.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Gravity = Literal["misleading", "doubtful", "information"]

GRAVITIES: dict[Gravity, str] = {
    "misleading": "numbers do not mean what their names say",
    "doubtful": "numbers may not mean what their names say, or tell little",
    "information": "how the numbers came about",
}
"""How grave notes are, the gravest first."""

MOST_SHOWN = 6
"""Notes above the tables; the others are at the end of the report."""


@dataclass(frozen=True)
class NoteKind:
    """What all notes of a code have in common.

    Attributes
    ----------
    gravity : {"misleading", "doubtful", "information"}
    reason : str
        Why it matters, in a sentence or two.
    remedy : str
        What to do about it, in a sentence or two.
    """

    gravity: Gravity
    reason: str
    remedy: str


NOTES: dict[str, NoteKind] = {
    "few-identifiers-known": NoteKind(
        "misleading",
        "Users or items that the other side does not know cannot be right: the values are those of "
        "the few that both know.",
        "Give both sides the same identifiers: look for zeros in front, white space, capitals, "
        "and numbers that were written as floats.",
    ),
    "near-identifiers": NoteKind(
        "doubtful",
        "Identifiers that differ in white space, capitals or a fraction of 0 alone are mostly "
        "those of one user or item; here they are taken for different ones.",
        "Clean the identifiers, or ignore the note if they are different ones.",
    ),
    "no-rating-column": NoteKind(
        "doubtful",
        "No column has a name that tables usually give to ratings, so that every row counts 1.",
        "Say which column has the ratings (--rating), or that none has (--rating -).",
    ),
    "constant-ratings": NoteKind(
        "doubtful",
        "All ratings are the same: either every pair is relevant or none is.",
        "Look whether the right column was read (--rating).",
    ),
    "early-times": NoteKind(
        "doubtful",
        "As seconds, the times are of the years after 1970: they probably have another unit.",
        "Say the unit of times (--time-unit).",
    ),
    "empty-lists": NoteKind(
        "doubtful",
        "Users whose list is empty have no rows in the table that is read.",
        "Look why the lists are empty; such users count 0 where they are tested.",
    ),
    "no-scores": NoteKind(
        "misleading",
        "Without finite scores nothing is ordered: what is measured is the order of equal scores.",
        "Look whether the right column was read (--run-score), and whether the system diverged.",
    ),
    "items-without-scores": NoteKind(
        "doubtful",
        "Items whose score is NaN are not recommended.",
        "Look whether the system diverged, or leave these rows out.",
    ),
    "ranks-against-scores": NoteKind(
        "misleading",
        "Where a run's ranks and scores disagree, one of them is not what it seems: a distance, a "
        "loss, or ranks that were counted from the worst.",
        "Say which orders the lists (--run-order), or leave the other column out.",
    ),
    "equal-scores": NoteKind(
        "doubtful",
        "Where all items of a run have one score, only the rule for equal scores is measured.",
        "Look whether the right column was read (--run-score), or use ranks (--run-rank).",
    ),
    "order-of-equal-scores": NoteKind(
        "information",
        "Tools order equal scores by rules of their own, and values depend on the rule.",
        "Give runs without equal scores, or choose the rule (--ties).",
    ),
    "dialect": NoteKind(
        "information",
        "The tool whose definitions were chosen does more, or less, than its definitions say.",
        "See docs/dialects.md.",
    ),
    "negative-ratings": NoteKind(
        "information",
        "A gain below 0 would make values above 1 or below 0 possible; as in trec_eval, there is "
        "none. Items of negative grades in TREC's judgments count as not judged, too; those of "
        "negative ratings are disliked.",
        "Shift the ratings if those below 0 should be told apart.",
    ),
    "users-without-lists": NoteKind(
        "doubtful",
        "Users for whom a run has no list count 0, unless they are not averaged.",
        "Average those who have lists (--users covered), or complete the run.",
    ),
    "untested-users": NoteKind(
        "information",
        "Lists of users without test ratings cannot be measured.",
        "Nothing, unless these users should be tested.",
    ),
    "shown-not-clicked": NoteKind(
        "information",
        "To many systems every training pair is positive, even one of an item that was shown and "
        "not clicked.",
        "Leave out the rows without a click if no system should learn from them.",
    ),
    "other-data": NoteKind(
        "doubtful",
        "A command that is repeated on other ratings gives other values.",
        "Look which file has changed, or ignore the note if it should have.",
    ),
    "trained-pairs": NoteKind(
        "doubtful",
        "What a user has trained on is no candidate: such a test pair could never be found.",
        "Look how test and training data were split.",
    ),
    "few-users": NoteKind(
        "doubtful",
        "Averages over few of all users may say nothing of the others.",
        "Choose a split that tests more users, or give more ratings.",
    ),
    "users-left-out": NoteKind(
        "information",
        "Averages are over those users alone who have a list that counts.",
        "Choose another split, protocol or --users if they should be averaged.",
    ),
    "fewer-candidates": NoteKind(
        "doubtful",
        "Where there are fewer items than a protocol samples, lists are shorter than it says, and "
        "values higher.",
        "Sample fewer items, or rank all (AN).",
    ),
    "users-without-scores": NoteKind(
        "doubtful",
        "Users for whom a system has no finite score have no list, and count 0.",
        "Look whether the system diverged, or knows nothing of these users.",
    ),
    "extreme-threshold": NoteKind(
        "doubtful",
        "Where nearly all or nearly no ratings are relevant, values depend on a few of them alone.",
        "Say from which rating on users like an item (--relevant).",
    ),
    "selection": NoteKind(
        "information",
        "A selection changes how many users, items and ratings there are, and what competes.",
        "Give unselected_items='candidates' if all items should compete.",
    ),
    "tied-times": NoteKind(
        "doubtful",
        "Time does not say which of several ratings with the same time comes last: chance does.",
        "Give finer times, split another way, or try several seeds.",
    ),
    "no-times": NoteKind(
        "information",
        "Without times nothing can be split by them.",
        "Read a column of times if there is one (--timestamp).",
    ),
    "split-impossible": NoteKind(
        "information",
        "The data does not allow a kind of split.",
        "The note says why.",
    ),
    "sample-of-users": NoteKind(
        "information",
        "What takes long was measured on some of the users, drawn at random.",
        "Nothing: sizes and splits are of all users.",
    ),
    "unbiased-left-out": NoteKind(
        "information",
        "Unbiased judgments of users or items that no rating names cannot be used.",
        "Look whether both files have the same identifiers.",
    ),
    "design-left-out": NoteKind(
        "information",
        "An experiment needs more items or ratings than there are.",
        "Nothing; it is shown where there are more.",
    ),
    "no-figure": NoteKind(
        "information",
        "A figure that cannot be drawn of these data is left out; tables and data have all of it.",
        "The note says why; shorter names of systems often help.",
    ),
    "no-table": NoteKind(
        "information",
        "A table that cannot be set in Markdown or in LaTeX is left out there; the page and the "
        "data have all of it.",
        "The note says why; other names of systems often help.",
    ),
    "too-few-users": NoteKind(
        "doubtful",
        "With so few users no difference can be significant, however large it is: that none is "
        "found says nothing.",
        "Test more users, or compare fewer systems in one call.",
    ),
    "cannot-tell": NoteKind(
        "information",
        "Where every order has the same value, or users are too few for a test, a universe says "
        "nothing of the systems: to count it as a draw would make them look alike.",
        "Nothing: shares are of the universes that can tell. A higher threshold (--relevant) makes "
        "orders of condensed lists count.",
    ),
    "decision-left-out": NoteKind(
        "information",
        "A level of a decision makes no difference on these data, or cannot be computed.",
        "Nothing; the other levels are compared.",
    ),
}
"""All kinds of notes by their codes."""


class Note(str):
    """A note: a sentence, and the code of its kind.

    Attributes
    ----------
    code : str
        A key of :data:`NOTES`.

    Raises
    ------
    KeyError
        There is no such kind.

    Examples
    --------
    >>> note = Note("no-times", "There are no times.")
    >>> note, note.code, note.kind.gravity
    ('There are no times.', 'no-times', 'information')
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, text: str) -> Note:
        """Return a note of a kind."""
        NOTES[code]
        note = super().__new__(cls, text)
        note.code = code
        return note

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Return what copies and pickles are made of."""
        return self.code, str(self)

    @property
    def kind(self) -> NoteKind:
        """What all notes of its code have in common."""
        return NOTES[self.code]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"code": self.code, "gravity": self.kind.gravity, "text": str(self)}


def gravest_first(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes by their gravity, each once.

    Examples
    --------
    >>> gravest_first([Note("no-times", "No times."), Note("no-scores", "No scores.")])
    ('No scores.', 'No times.')
    """
    order = list(GRAVITIES)
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: order.index(note.kind.gravity)))


def refuse_doubts(notes: Sequence[Note]) -> None:
    """Refuse results whose notes are more than information, as ``--strict`` does.

    Raises
    ------
    ValueError
        A note is misleading or doubtful; the message has the gravest of them.

    Examples
    --------
    >>> refuse_doubts([Note("no-times", "There are no times.")])
    >>> refuse_doubts([Note("no-scores", "No score is a number.")])
    Traceback (most recent call last):
    ValueError: No score is a number. (no-scores, refused as strict; see docs/warnings.md.)
    """
    doubts = [note for note in gravest_first(notes) if note.kind.gravity != "information"]
    if doubts:
        further = f" {len(doubts) - 1} further notes." if doubts[1:] else ""
        raise ValueError(
            f"{doubts[0]} ({doubts[0].code}, refused as strict; see docs/warnings.md.){further}"
        )
