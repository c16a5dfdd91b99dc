# SPDX-License-Identifier: MIT
"""Protocols: which items a system must rank for a user."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from receval.checked_arguments import check_fields
from receval.storage.messages import quoted

RelevantSelection = Literal["AR", "1R"]
BaseCandidates = Literal["AI", "TI", "train", "rated"]
TieOrder = Literal["random", "index", "librec"]
SampledBy = Literal["uniform", "popularity"]
NonComputable = Literal["none", "random", "popularity", "average"]

# Percentiles of judged items are stored in 16 bits.
_MOST_PERCENTILES = 2**15 - 1


@dataclass(frozen=True)
class Protocol:
    r"""One way to form the candidates (the *target set* of bellogin2017) of every user.

    With :math:`C` the base candidates, :math:`PR_{test}(u)` the relevant test items of a user and
    :math:`R_{train}(u)` the items of the user's training ratings (bellogin2017, section 3.1 and
    table 3):

    ==============  ==========================================================================
    ``AI``          :math:`C` = all items of the dataset
    ``TI``          :math:`C` = items with at least one test rating
    ``train``       :math:`C` = items with at least one training rating, and no candidates at
                    all for users without one (menamaldonado2021)
    ``rated``       :math:`C` = items with at least one training or test rating: ``AI`` of the
                    ratings that were selected before the split (canamares2020, decision A1)
    ``AN``          :math:`N_u = C \setminus PR_{test}(u) \setminus R_{train}(u)`
    ``NN``          :math:`N_u` = a random sample of that set, of a fixed size
    ``AR``          one list per user: :math:`T_u = PR_{test}(u) \cup N_u`
    ``1R``          one list per relevant test rating: :math:`T_u^r = \{i_r\} \cup N_u`
    ``P1R``         1R within popularity percentiles: :math:`N_u` is drawn from the percentile of
                    the relevant item, and values are averaged by percentile first (section 6.1)
    ==============  ==========================================================================

    Test items judged non-relevant belong to the set that :math:`N_u` is drawn from. ``AR AI-AN``
    is the AllItems protocol of valcarce2018. One sample :math:`N_u` serves all lists of a user,
    as the lemma of bellogin2017 (section 3.4) assumes. UAR, AI-UAR and U1R (section 6.2) are
    AR TI, AR AI and 1R TI on a split of the kind ``uniform-test``.

    Parameters
    ----------
    relevant : {"AR", "1R"}
        All relevant test items in one list, or one list for each.
    candidates : {"AI", "TI", "train", "rated"}
        The base candidates :math:`C`.
    sampled : int, optional
        :math:`|N_u|`; None ranks all non-relevant candidates (AN). Samples are nested: a smaller
        one is the beginning of a larger one. A user with fewer candidates gets all of them.
    threshold : float, optional
        Ratings at or above it are relevant. Needed if the candidates depend on relevance, that is
        for 1R and for sampled candidates. It can also be given when the judged items are ranked
        (:func:`receval.protocols.evaluation.rank_judged`).
    ties : {"random", "index", "librec"}
        Order of items with equal scores. "random": one pseudo-random order of the items, seeded by
        dataset, split and fold. "index": the order of item codes. "librec": the order of LibRec
        2.0.0, which inserts the candidates into a binary min-heap in the order in which the train
        file first mentions them; equal scores have the order of the heap's array, which depends on
        all scores of the list.
    percentiles : int, optional
        :math:`m`, the number of popularity percentiles of P1R. Only for 1R, because the target set
        of an AR list would span all of them.
    head_removed : float, optional
        Share of the items, the most popular ones, to remove from the candidates and the test.
    non_computable : {"none", "random", "popularity", "average"}
        Whether candidates whose score the system cannot compute are not ranked, or are ranked below
        all others in the given order (:mod:`receval.protocols.shared_by_passes`).
    sampled_by : {"uniform", "popularity"}
        How sampled candidates are drawn: all with the same probability, or in proportion to their
        number of training ratings (:mod:`receval.protocols.weighted_samples`).
    power : float
        Exponent of that number of ratings: 0 makes all items equally likely, 1 is proportional.

    Raises
    ------
    ValueError
        A value is not one of those above, or values cannot be combined.

    Examples
    --------
    >>> protocol = Protocol("1R", "TI", sampled=99).with_threshold(5)
    >>> protocol.name, protocol.key
    ('1R TI-NN', '1r-ti-nn99-from5')
    """

    relevant: RelevantSelection = "AR"
    candidates: BaseCandidates = "AI"
    sampled: int | None = None
    threshold: float | None = None
    ties: TieOrder = "random"
    percentiles: int | None = None
    head_removed: float | None = None
    non_computable: NonComputable = "none"
    sampled_by: SampledBy = "uniform"
    power: float = 1.0

    def __post_init__(self) -> None:
        for name, value, accepted in (
            ("relevant", self.relevant, get_args(RelevantSelection)),
            ("candidates", self.candidates, get_args(BaseCandidates)),
            ("ties", self.ties, get_args(TieOrder)),
            ("non_computable", self.non_computable, get_args(NonComputable)),
            ("sampled_by", self.sampled_by, get_args(SampledBy)),
        ):
            if value not in accepted:
                raise ValueError(
                    f"The protocol's {name} is {quoted(value)}; it must be one of "
                    f"{', '.join(accepted)}."
                )
        check_fields(self)
        if self.sampled is not None and self.sampled < 1:
            raise ValueError(
                f"The protocol samples {self.sampled} candidates; it must sample at least 1, "
                "or None to rank all of them."
            )
        if self.ties == "librec" and (self.relevant == "1R" or self.sampled is not None):
            raise ValueError(
                f"The protocol {self.name} cannot have LibRec's order of ties, which is that of a "
                "heap of all candidates: choose AR without sampling, or the ties random or index."
            )
        if self.ties == "librec" and self.non_computable != "none":
            raise ValueError(
                "LibRec's order of ties is that of one heap of all candidates, so no other order "
                "can take in those without a score: choose non_computable none, or other ties."
            )
        if self.percentiles is not None and self.relevant != "1R":
            raise ValueError(
                "Popularity percentiles go with 1R: the target set of an AR list would span all "
                "of them (bellogin2017, section 6.1)."
            )
        if self.percentiles is not None and not 2 <= self.percentiles <= _MOST_PERCENTILES:
            raise ValueError(
                f"The protocol has {self.percentiles} popularity percentiles; it must have 2 to "
                f"{_MOST_PERCENTILES}, or None for plain 1R."
            )
        if self.sampled_by != "uniform" and self.sampled is None:
            raise ValueError(
                f"The protocol {self.name} ranks all candidates, so none is drawn by popularity: "
                "say how many are sampled, as in 1R TI-NN by=popularity sampled=99."
            )
        if not 0 <= self.power < float("inf"):
            raise ValueError(
                f"The power of popularity is {self.power:g}; it must be a number from 0 on."
            )
        if self.power != 1 and self.sampled_by == "uniform":
            raise ValueError(
                f"The power {self.power:g} is one of popularity, but candidates are drawn with the "
                "same chance: say by=popularity, too."
            )
        if self.head_removed is not None and not 0 < self.head_removed < 1:
            raise ValueError(
                f"The protocol removes the share {self.head_removed:g} of the items; the share "
                "must lie between 0 and 1, or be None to remove none."
            )

    @property
    def needs_threshold(self) -> bool:
        """Whether the candidates depend on relevance."""
        return self.relevant == "1R" or self.sampled is not None

    def with_threshold(self, threshold: float | None) -> Self:
        """Return the protocol with a threshold, if it needs one and has none.

        Raises
        ------
        ValueError
            The protocol needs a threshold, and none is given.
        """
        if not self.needs_threshold or self.threshold is not None:
            return self
        if threshold is None:
            raise ValueError(
                f"The protocol {self.name} needs a relevance threshold: without one it is not "
                "known which test items are relevant and so must not be drawn as non-relevant."
            )
        return replace(self, threshold=threshold)

    @property
    def name(self) -> str:
        """The name as the papers write it, such as ``1R TI-NN``."""
        relevant = self.relevant if self.percentiles is None else "P1R"
        name = f"{relevant} {self.candidates}-{'AN' if self.sampled is None else 'NN'}"
        if self.head_removed is not None:
            name += f" -{100 * self.head_removed:g}% head"
        if self.non_computable != "none":
            name += f", NC by {self.non_computable}"
        if self.sampled_by != "uniform":
            name += f" by={self.sampled_by}"
        if self.power != 1:
            name += f" power={self.power:g}"
        return name

    @property
    def key(self) -> str:
        """A unique identifier for files, such as ``1r-ti-nn99-from5``."""
        words = [self.relevant, self.candidates, "an" if self.sampled is None else "nn"]
        if self.sampled is not None:
            words[-1] += str(self.sampled)
        if self.threshold is not None:
            words.append(f"from{self.threshold:g}")
        if self.ties != "random":
            words.append(f"ties{self.ties}")
        if self.percentiles is not None:
            words.append(f"percentiles{self.percentiles}")
        if self.head_removed is not None:
            words.append(f"headless{100 * self.head_removed:g}")
        if self.non_computable != "none":
            words.append(f"nc{self.non_computable}")
        if self.sampled_by != "uniform":
            words.append(f"by{self.sampled_by}{'' if self.power == 1 else f'{self.power:g}'}")
        return "-".join(words).lower()
