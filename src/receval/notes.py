# SPDX-License-Identifier: MIT
"""Notes on what may be misleading about data and results, each with a code to look up.

Notes are collected when data are read and values computed. Commands and reports show them above the
tables, the gravest first; ``--strict`` turns all but information into errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Gravity = Literal["misleading", "doubtful", "information"]

GRAVITIES: dict[Gravity, str] = {
    "misleading": "the numbers do not mean what their names say",
    "doubtful": "the numbers may not mean what their names say, or may say little",
    "information": "how the numbers came about",
}
"""The degrees of gravity, the gravest first."""

MOST_SHOWN = 6
"""The most notes above the tables; the others are at the end of the report."""


@dataclass(frozen=True)
class NoteKind:
    """The gravity, reason and remedy that all notes with the same code share.

    The reason says why it matters, and the remedy what to do about it, in a sentence or two each.
    """

    gravity: Gravity
    reason: str
    remedy: str


NOTES: dict[str, NoteKind] = {
    "few-identifiers-known": NoteKind(
        "misleading",
        "Fewer than half of the users or items of one table are in the other. The values describe "
        "only those in both.",
        "Use the same identifiers in both. Look for leading zeros, white space, capital letters, "
        "and numbers that were written as floats.",
    ),
    "differing-identifiers": NoteKind(
        "misleading",
        "Some identifiers of one table would be in the other if they were written alike, as with "
        "the same capital letters.",
        "Write all identifiers alike, or ignore the note if they are really different.",
    ),
    "exchanged-columns": NoteKind(
        "misleading",
        "A run or the training data fit the test data much better if users are taken for items and "
        "items for users, so two columns are probably exchanged.",
        "Say which column has users and which has items (such as --run-user and --run-item).",
    ),
    "differing-scales": NoteKind(
        "misleading",
        "Ratings of several files are compared with one threshold, and systems learn from them "
        "together. More than half of the ratings of one are above all of another, or only one has "
        "negative ratings.",
        "Write all ratings on one scale, or ignore the note if the scales are the same.",
    ),
    "items-without-features": NoteKind(
        "information",
        "Metrics of a feature, and groups of items, leave out items that have no value of it.",
        "Complete the features, unless these items really have no value.",
    ),
    "no-interval": NoteKind(
        "doubtful",
        "Intervals of a metric of all users at once tell how much single users change it. Where "
        "they do not, or where the value cannot rise or fall any more, they say nothing.",
        "Read the value without an interval, or take a metric that has a value per user.",
    ),
    "users-without-group": NoteKind(
        "information",
        "Users who have no value of a feature are in none of its groups.",
        "Complete the features of users, unless these users really have no value.",
    ),
    "no-groups": NoteKind(
        "information",
        "Some metrics of lists have values only by group of listed items, and some have none. A "
        "loaded result lacks what metrics of all users at once are computed from.",
        "Ask for groups of listed items (lists=True). Group users before saving.",
    ),
    "groups-of-lists": NoteKind(
        "information",
        "A metric of all users at once is computed from the users of each group alone.",
        "Compare metrics of lists in groups of about equal size: more lists cover more items, and "
        "more evenly.",
    ),
    "group-without-value": NoteKind(
        "information",
        "R2 divides by the variance of test ratings, and PooledAUC by the numbers of relevant and "
        "other ones. Where such a number is 0 in a group, on any fold, the group has no value.",
        "Choose another metric or threshold, or larger groups.",
    ),
    "wrapped-identifiers": NoteKind(
        "doubtful",
        "White space and quotes around identifiers are part of them, as where a comma and a space "
        "separate cells. Other tables rarely have them.",
        "Write the table without them.",
    ),
    "near-identifiers": NoteKind(
        "doubtful",
        "Identifiers that differ only in white space, capital letters, invisible signs, leading "
        "zeros or a trailing .0 usually name one user or item, but are treated as different ones.",
        "Clean the identifiers, or ignore the note if they are really different.",
    ),
    "mixed-identifiers": NoteKind(
        "doubtful",
        "Some identifiers of a table have a prefix or quotes, and the others are numbers alone. "
        "Tables or files that were joined may name the same users or items in two ways.",
        "Write all identifiers in one way, or ignore the note if they are really different.",
    ),
    "missing-identifiers": NoteKind(
        "doubtful",
        "Names such as NA and NULL, which programs write where there is none, are treated as one "
        "user or item.",
        "Leave rows without a user or an item out, or ignore the note if these are names.",
    ),
    "row-of-totals": NoteKind(
        "doubtful",
        "A row of totals or averages, as at the end of a spreadsheet, counts as a user with a "
        "rating.",
        "Leave the row out, or ignore the note if this is a name.",
    ),
    "spreadsheet-identifiers": NoteKind(
        "misleading",
        "Spreadsheets round long numbers, and turn some identifiers into days, formulas or errors. "
        "Different users or items may then have become the same.",
        "Write the table again from its source, without opening it in a spreadsheet, or import "
        "these columns as text.",
    ),
    "missing-ratings": NoteKind(
        "doubtful",
        "A value far from the scale of the others, such as -1 or 99, or the most frequent 0, often "
        "stands for a missing rating, but changes which ratings are relevant.",
        "Leave these rows out, or set the lowest relevant rating (--relevant).",
    ),
    "parts-of-a-split": NoteKind(
        "doubtful",
        "A column such as split or fold divides rows into training and test data, which are not "
        "one table: systems would learn from what they are tested on.",
        "Name the column (--part), or ignore the note if all rows are one table.",
    ),
    "several-tags": NoteKind(
        "doubtful",
        "All rows of a TREC run have the same tag. Several runs in one file are measured as one.",
        "Write a file for each run, or ignore the note if the tag says something else.",
    ),
    "no-rating-column": NoteKind(
        "doubtful",
        "No column has a known name for ratings, so every row counts as a rating of 1.",
        "Name the column of ratings (--rating), or state that there is none (--rating -).",
    ),
    "unlikely-ratings": NoteKind(
        "doubtful",
        "A column without a name was taken for ratings, as it is the first with numbers. Scales "
        "have few values, and most counts are small. These are many, and half are above a quarter "
        "of their range.",
        "Say what each column is (--columns), or set the lowest relevant rating (--relevant).",
    ),
    "no-score-column": NoteKind(
        "doubtful",
        "No column of a run has a known name for scores or ranks, so the order of the rows is that "
        "of the lists.",
        "Name the column of scores (--run-score) or ranks (--run-rank), or state that there is "
        "neither (--run-score -).",
    ),
    "fractional-counts": NoteKind(
        "doubtful",
        "Counts are whole numbers. A point in them may separate thousands, and was read as a "
        "decimal mark.",
        "Write counts without marks between thousands, or ignore the note.",
    ),
    "run-as-test-data": NoteKind(
        "misleading",
        "Scores and ranks are those of a run. As test data, all its items count as relevant.",
        "Check that test data and runs were not exchanged, or name the column of ratings "
        "(--rating).",
    ),
    "judgments-or-ratings": NoteKind(
        "doubtful",
        "Judgments are relevant from 1 on, ratings above the middle of their scale. A mapping of "
        "users to items with values may hold either.",
        "Set the lowest relevant value (--relevant).",
    ),
    "constant-ratings": NoteKind(
        "doubtful",
        "All ratings are equal, so either every rated item is relevant or none is.",
        "Check that the right column was read (--rating).",
    ),
    "early-times": NoteKind(
        "doubtful",
        "The times are long ago, so they probably have another unit, do not count from 1970, or "
        "say something else, such as when an item appeared.",
        "Set the unit of the times (--time-unit), write dates, or name another column "
        "(--timestamp).",
    ),
    "late-times": NoteKind(
        "doubtful",
        "Times after 2099 cannot be those of ratings, so they probably have another unit or are "
        "wrong. Splits by time would test on them.",
        "Set the unit of the times (--time-unit), or correct them.",
    ),
    "empty-lists": NoteKind(
        "doubtful",
        "The lists of some users are empty. If they have test ratings, these users "
        "count as 0 in most metrics (docs/metrics.md: missing lists).",
        "Find out why their lists are empty.",
    ),
    "no-scores": NoteKind(
        "misleading",
        "No score is finite, so only the rule for equal scores orders the lists.",
        "Check that the right column was read (--run-score) and that the system did not diverge.",
    ),
    "items-without-scores": NoteKind(
        "doubtful",
        "Items whose score is NaN are not recommended.",
        "Check whether the system diverged, or leave these rows out.",
    ),
    "ranks-against-scores": NoteKind(
        "misleading",
        "The ranks and the scores of a run disagree. The scores may be distances or losses, or the "
        "ranks may count from the worst item.",
        "Choose which of the two orders the lists (--run-order), or leave the other column out.",
    ),
    "ranks-as-scores": NoteKind(
        "misleading",
        "Scores that count the items of each user are probably ranks, of which the lowest is the "
        "best, so the lists are upside down.",
        "Give the items of each user in a list, the best first, or their real scores; of a table, "
        "name the column of ranks (--run-rank).",
    ),
    "rising-scores": NoteKind(
        "misleading",
        "The scores of a run rise from the first row of each list to the last, as distances do, so "
        "the lists may be upside down.",
        "Write distances with a minus, or do not read scores (--run-score -) to keep this order.",
    ),
    "equal-scores": NoteKind(
        "doubtful",
        "All items of a run have the same score, so the rule for equal scores decides their order.",
        "Check that the right column was read (--run-score), or use ranks (--run-rank).",
    ),
    "order-of-equal-scores": NoteKind(
        "information",
        "Tools order items with equal scores by different rules, and values depend on the rule.",
        "Give runs without equal scores, or choose the rule (--ties).",
    ),
    "dialect": NoteKind(
        "information",
        "The values of the chosen tool differ in something that its definitions do not say.",
        "See docs/dialects.md.",
    ),
    "negative-ratings": NoteKind(
        "information",
        "Ratings below 0 have gain 0, as in trec_eval, so that values stay between 0 and 1. Items "
        "with negative grades in TREC's judgments count as unjudged; items with negative ratings "
        "count as disliked.",
        "Shift the ratings if different ratings below 0 should have different gains.",
    ),
    "users-without-lists": NoteKind(
        "doubtful",
        "Users without a list in a run count as 0 in most metrics (docs/metrics.md: missing "
        "lists), unless they are left out of the average.",
        "Average only users with lists (--users covered), or complete the run.",
    ),
    "lists-of-all-candidates": NoteKind(
        "information",
        "Protocols with one relevant item per list, or with sampled candidates, rank parts of what "
        "a system recommends. The kept lists are the whole, so their ranks are not those measured.",
        "Do nothing, unless you want to see what was measured. Choose AR AI-AN then.",
    ),
    "users-without-recommendations": NoteKind(
        "doubtful",
        "A metric of whole lists counts users without any recommended item as 0.",
        "Average only users with lists (--users covered), or look at UserCoverage beside it.",
    ),
    "ratings-not-predicted": NoteKind(
        "information",
        "A system without a score for a test rating gets the mean of the training ratings as its "
        "prediction, so that systems are compared on the same ratings.",
        "Look at the share of such ratings: if it is large, errors say little of the system.",
    ),
    "untested-users": NoteKind(
        "information",
        "Lists of users without test ratings cannot be measured.",
        "Do nothing, unless these users should have test ratings.",
    ),
    "unknown-items": NoteKind(
        "doubtful",
        "Items of a run that are not in the ratings of a split are no candidates. They are taken "
        "out of its lists, and the items below them move up.",
        "Check that the run was made for these ratings, and that the identifiers are the same.",
    ),
    "shown-not-clicked": NoteKind(
        "information",
        "Many systems count every training row as positive, even one for an item that was shown "
        "but not clicked.",
        "Leave out the rows without a click if systems should not learn from them.",
    ),
    "other-data": NoteKind(
        "doubtful",
        "A command was repeated on files that have changed, so values may differ.",
        "Check which file has changed, or ignore the note if the change was intended.",
    ),
    "trained-pairs": NoteKind(
        "doubtful",
        "Items that a user has rated in the training data are not candidates, so a test rating of "
        "one of them can never be found.",
        "Check how test and training data were split.",
    ),
    "few-users": NoteKind(
        "doubtful",
        "Averages over a small share of the users may say nothing about the others.",
        "Choose a split that tests more users, or give more ratings.",
    ),
    "evaluated-in-blocks": NoteKind(
        "information",
        "Only sums over users are in memory, so what needs the values of each user is refused.",
        "Read the values of some users from the folder of the blocks, or evaluate their lists.",
    ),
    "users-left-out": NoteKind(
        "information",
        "The averages leave out users who have no list that counts.",
        "Choose another split, protocol or --users to include them.",
    ),
    "fewer-candidates": NoteKind(
        "doubtful",
        "There are fewer items than the protocol samples, so lists are shorter and values higher.",
        "Sample fewer items, or rank all of them (AN).",
    ),
    "users-without-scores": NoteKind(
        "doubtful",
        "Users for whom a system has no finite score have no list, and count as 0 in most metrics "
        "(docs/metrics.md: missing lists).",
        "Check whether the system diverged or did not know these users.",
    ),
    "extreme-threshold": NoteKind(
        "doubtful",
        "Almost all ratings are relevant, or almost none, so values depend on a few ratings.",
        "Set the lowest rating that counts as relevant (--relevant).",
    ),
    "selection": NoteKind(
        "information",
        "A selection of ratings also changes the users, the items and the candidates.",
        "Set unselected_items='candidates' (--unselected-items candidates) to rank all items.",
    ),
    "tied-times": NoteKind(
        "doubtful",
        "Several ratings have the same time, so chance decides which of them comes last.",
        "Give finer times, choose another split, or try several seeds.",
    ),
    "no-times": NoteKind(
        "information",
        "Splits by time need timestamps, but there are none.",
        "Name the column of timestamps if there is one (--timestamp).",
    ),
    "split-impossible": NoteKind(
        "information",
        "A kind of split cannot be made from these data; the note says why.",
        "Do nothing, or change what the note names.",
    ),
    "sample-of-users": NoteKind(
        "information",
        "Slow measurements used a random sample of the users.",
        "Do nothing: sizes and splits cover all users.",
    ),
    "unbiased-left-out": NoteKind(
        "information",
        "Unbiased judgments of users or items without ratings cannot be used.",
        "Check that both files have the same identifiers.",
    ),
    "unbiased-also-rated": NoteKind(
        "misleading",
        "Far more unbiased judgments are of pairs that also have a rating than if their items were "
        "drawn at random. They may be a part of the ratings.",
        "Give judgments of items that were drawn for users.",
    ),
    "design-left-out": NoteKind(
        "information",
        "An experiment needs more items or ratings than these data have.",
        "Do nothing: the experiment is left out.",
    ),
    "no-figure": NoteKind(
        "information",
        "A figure cannot be drawn from these data; the tables and the CSV files have its numbers.",
        "The note says why; shorter names of systems often help.",
    ),
    "no-table": NoteKind(
        "information",
        "A table cannot be written in Markdown or LaTeX; the page and the CSV files have it.",
        "The note says why; other names of systems often help.",
    ),
    "too-few-users": NoteKind(
        "doubtful",
        "With so few users no difference can be significant, however large it is.",
        "Test more users, or compare fewer systems in one call.",
    ),
    "tuned-systems": NoteKind(
        "information",
        "The parameters of these systems were chosen on a validation part of the training ratings.",
        "Do nothing: the report has all trials.",
    ),
    "untuned-systems": NoteKind(
        "doubtful",
        "A tuned system may lead an untuned one because of the tuning alone.",
        "Tune all systems with the same number of trials (rv.tune, receval tune), or say in the "
        "text where the parameters of the others are from.",
    ),
    "unequal-trials": NoteKind(
        "doubtful",
        "The more settings are tried, the better is the best of them.",
        "Tune all systems with the same budget, in one call.",
    ),
    "tuned-elsewhere": NoteKind(
        "doubtful",
        "On another split, other ratings train, so the parameters may have been chosen on what is "
        "tested here, and values are too high.",
        "Tune on the split that you evaluate on, with the same seed.",
    ),
    "tuned-over-folds": NoteKind(
        "information",
        "With several folds, one choice of parameters uses the training ratings of all of them.",
        "Tune and evaluate on a split with one fold if this matters.",
    ),
    "failed-trials": NoteKind(
        "doubtful",
        "A setting that fails is not compared with the others, so that the best may be missed.",
        "Look at the reason, and leave out values that cannot work.",
    ),
    "cannot-tell": NoteKind(
        "information",
        "In some universes every order has the same value, or there are too few users for a test. "
        "They say nothing about the systems and are not counted as draws.",
        "Do nothing: shares refer to the other universes. With a higher threshold (--relevant), "
        "the order of condensed lists can matter.",
    ),
    "decision-left-out": NoteKind(
        "information",
        "A level of a decision makes no difference on these data, or cannot be computed.",
        "Do nothing: the other levels are compared.",
    ),
}
"""All kinds of notes by their codes."""


class Note(str):
    """A note: a sentence, and the code of its kind, a key of :data:`NOTES`.

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
        """Return the arguments from which copies and pickles are made."""
        return self.code, str(self)

    @property
    def kind(self) -> NoteKind:
        """The kind of the note, by its code."""
        return NOTES[self.code]

    def as_dict(self) -> dict[str, Any]:
        """Return the note for JSON."""
        return {"code": self.code, "gravity": self.kind.gravity, "text": str(self)}


def gravest_first(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Sort notes by gravity, without repeats.

    Examples
    --------
    >>> gravest_first([Note("no-times", "No times."), Note("no-scores", "No scores.")])
    ('No scores.', 'No times.')
    """
    order = list(GRAVITIES)
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: order.index(note.kind.gravity)))


def refuse_doubts(notes: Sequence[Note]) -> None:
    """Raise an error if a note is more than information, as ``--strict`` does.

    Examples
    --------
    >>> refuse_doubts([Note("no-times", "There are no times.")])
    >>> refuse_doubts([Note("no-scores", "No score is a number.")])
    Traceback (most recent call last):
    ValueError: No score is a number. (no-scores, refused in strict mode; see docs/warnings.md.)
    """
    doubts = [note for note in gravest_first(notes) if note.kind.gravity != "information"]
    if doubts:
        further = f" {len(doubts) - 1} more note{'s' * (len(doubts) > 2)}." if doubts[1:] else ""
        raise ValueError(
            f"{doubts[0]} ({doubts[0].code}, refused in strict mode; see "
            f"docs/warnings.md.){further}"
        )
