"""Cross-validation beside an unbiased test, with popularity turned against relevance."""

from __future__ import annotations

from receval.ratings import Ratings
from receval.simulation.anti_popular_familiarity import (
    ItemFamiliarity,
    with_anti_popular_familiarity,
)
from receval.splits.missing_at_random import split_with_unbiased_test
from receval.splits.split import GeneratorFor, Metadatum, Split


def split_with_anti_popular_familiarity(
    ratings: Ratings, rng_for: GeneratorFor, *, relevant_from: float, folds: int
) -> Split:
    """Draw again which judgments are known, then put every judgment into one of k folds at random.

    The least liked items become the best known ones
    (:mod:`receval.simulation.anti_popular_familiarity`). Judgments that are then known train where
    they are not in the fold and test where they are; all judgments of the fold, known or not, are
    its unbiased test. No judgment changes its value.

    Parameters
    ----------
    ratings : Ratings
        A random sample of judgments with the column ``known``, as CM100k.
    rng_for : callable
        Gives the generators of the redrawn familiarity and of the partition, each of which all
        folds share. The partition does not depend on the redraw.
    relevant_from : float
        Ratings at or above it are positive.
    folds : int
        Number k of folds.

    Returns
    -------
    Split
        Facts, before and after the redraw: ``known`` judgments, ``never_known`` items,
        ``relevant_share_of_known`` judgments, and ``known_relevant_correlation``, Spearman's
        correlation over items of the number of known judgments and the share of positive ones.
        Those before it have the suffix ``_before``. A share or correlation that is not defined is
        NaN.

    Raises
    ------
    ValueError
        If the ratings do not say which of them are known.

    Notes
    -----
    menamaldonado2021, section 8.5 and figure 16.
    """
    redrawn = with_anti_popular_familiarity(ratings, relevant_from, rng_for("familiarity"))
    metadata: dict[str, Metadatum] = {}
    for suffix, table in (("_before", ratings), ("", redrawn)):
        counts = ItemFamiliarity.of(table, relevant_from)
        metadata[f"known{suffix}"] = int(counts.known.sum())
        metadata[f"never_known{suffix}"] = counts.never_known
        metadata[f"relevant_share_of_known{suffix}"] = counts.relevant_share_of_known
        metadata[f"known_relevant_correlation{suffix}"] = counts.correlation
    split = split_with_unbiased_test(redrawn, rng_for, unbiased_rows="fold", folds=folds)
    return Split(split.codes, metadata)
