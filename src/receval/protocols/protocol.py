# SPDX-License-Identifier: MIT
"""Protocols: which items a system must rank for a user, and the names that papers use."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal, Self, get_args

from receval.checked_arguments import check_fields, checked_arguments
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
    r"""One way to form the candidates (the *target set* of Bellogín et al. 2017) of every user.

    With :math:`C` the base candidates, :math:`PR_{test}(u)` the relevant test items of a user and
    :math:`R_{train}(u)` the items of the user's training ratings (Bellogín et al. 2017, section 3.1
    and table 3):

    ==============  ==========================================================================
    ``AI``          :math:`C` = all items of the dataset
    ``TI``          :math:`C` = items with at least one test rating
    ``train``       :math:`C` = items with at least one training rating, and no candidates at
                    all for users without one (Mena-Maldonado et al. 2021)
    ``rated``       :math:`C` = items with at least one training or test rating: ``AI`` of the
                    ratings that were selected before the split (Cañamares et al. 2020, decision A1)
    ``AN``          :math:`N_u = C \setminus PR_{test}(u) \setminus R_{train}(u)`
    ``NN``          :math:`N_u` = a random sample of that set, of a fixed size
    ``AR``          one list per user: :math:`T_u = PR_{test}(u) \cup N_u`
    ``1R``          one list per relevant test rating: :math:`T_u^r = \{i_r\} \cup N_u`
    ``P1R``         1R within popularity percentiles: :math:`N_u` is drawn from the percentile of
                    the relevant item, and values are averaged by percentile first (section 6.1)
    ==============  ==========================================================================

    Test items judged non-relevant belong to the set that :math:`N_u` is drawn from. ``AR AI-AN``
    is the AllItems protocol of Valcarce et al. (2018). One sample :math:`N_u` serves all lists of a
    user, as the lemma of Bellogín et al. (2017, section 3.4) assumes. UAR, AI-UAR and U1R (section
    6.2) are AR TI, AR AI and 1R TI on a split of the kind ``uniform-test``.

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
        all others in the given order (:mod:`receval.protocols.evaluation`).
    sampled_by : {"uniform", "popularity"}
        How sampled candidates are drawn: all with the same probability, or in proportion to their
        number of training ratings (:mod:`receval.protocols.candidates`).
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
                    f"The protocol's {name} is {quoted(value)}. It must be one of "
                    f"{', '.join(accepted)}."
                )
        check_fields(self)
        if self.sampled is not None and self.sampled < 1:
            raise ValueError(
                f"The protocol samples {self.sampled} candidates. It must sample at least 1, or "
                "None to rank all candidates."
            )
        if self.ties == "librec" and (self.relevant == "1R" or self.sampled is not None):
            raise ValueError(
                f"The protocol {self.name} cannot have LibRec's order of ties, which comes from a "
                "heap of all candidates. Choose AR without sampling, or set ties to random or "
                "index."
            )
        if self.ties == "librec" and self.non_computable != "none":
            raise ValueError(
                "LibRec's order of ties comes from one heap of all candidates, so items without a "
                "score cannot be placed by another rule. Set non_computable to none, or choose "
                "other ties."
            )
        if self.percentiles is not None and self.relevant != "1R":
            raise ValueError(
                "Popularity percentiles require 1R, because the target set of an AR list would "
                "span all percentiles (Bellogín et al. 2017, section 6.1)."
            )
        if self.percentiles is not None and not 2 <= self.percentiles <= _MOST_PERCENTILES:
            raise ValueError(
                f"The protocol has {self.percentiles} popularity percentiles. It must have 2 to "
                f"{_MOST_PERCENTILES}, or None for plain 1R."
            )
        if self.sampled_by != "uniform" and self.sampled is None:
            raise ValueError(
                f"The protocol {self.name} ranks all candidates, so none are drawn by popularity. "
                "Set the number of sampled candidates, as in 1R TI-NN by=popularity sampled=99."
            )
        if not 0 <= self.power < float("inf"):
            raise ValueError(
                f"The power of popularity is {self.power:g}. It must be a finite number of 0 or "
                "more."
            )
        if self.power != 1 and self.sampled_by == "uniform":
            raise ValueError(
                f"The power {self.power:g} applies to popularity, but all candidates are drawn "
                "with the same probability. Set by=popularity, too."
            )
        if self.head_removed is not None and not 0 < self.head_removed < 1:
            raise ValueError(
                f"The protocol removes the share {self.head_removed:g} of the items. The share "
                "must be between 0 and 1, or None to remove no items."
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
                f"The protocol {self.name} needs a relevance threshold. Without one, it is not "
                "known which test items are relevant and must not be drawn as non-relevant."
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


# Protocols are read from the names that papers use, such as `AR TI-AN`.

_CANDIDATES = {name.lower(): name for name in get_args(BaseCandidates)}
_NAME = re.compile(r"(?i)(U?)(AR|1R|P1R)\s+(AI|TI|train|rated)(?:[-\s](AN|NN))?")
_OPTION = re.compile(r"(\w+)\s*=\s*([\w.]+)")
_INTEGERS = ("sampled", "percentiles")
_NUMBERS = ("threshold", "head_removed", "power")
_WORDS = ("ties", "non_computable", "sampled_by")
_SHORT = {"by": "sampled_by"}

_NAMES = [
    f"{relevant} {candidates}-{others}"
    for relevant in ("AR", "1R", "P1R")
    for candidates in get_args(BaseCandidates)
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
        raise ValueError(f"In the protocol {quoted(name)}, a parameter is not a number.") from None
    if (others == "NN") != ("sampled" in values) and (others or "sampled" in values):
        wanted = (
            "add the number of sampled candidates, as in NN sampled=99"
            if others == "NN"
            else "sampled needs NN, because AN ranks all candidates"
        )
        raise ValueError(f"The protocol {quoted(name)} is not clear: {wanted}.")
    if relevant == "P1R":
        values.setdefault("percentiles", 10)
    return Protocol(
        "AR" if relevant == "AR" else "1R",
        _CANDIDATES[match[3].lower()],
        **values,  # type: ignore[arg-type]
    )


def name_in_calls(protocol: Protocol) -> str:
    """Return the name that :func:`parse_protocol` needs for the same protocol, less its threshold.

    Examples
    --------
    >>> name_in_calls(Protocol("1R", "TI", sampled=9, ties="index", percentiles=3))
    'P1R TI-NN sampled=9 percentiles=3 ties=index'
    """
    told = protocol.name
    for parameter, usual in (("sampled", None), ("percentiles", 10), ("ties", "random")):
        value = getattr(protocol, parameter)
        told += "" if value in (None, usual) else f" {parameter}={value}"
    return told


def _refused(name: str, match: re.Match[str] | None, unknown: list[str]) -> str:
    if match is not None and match[1]:
        return (
            f"{quoted(name)}: UAR and U1R are {name.strip()[1:]} on a split of the kind "
            "uniform-test. Choose that split, and give the protocol without U."
        )
    if unknown:
        known = ", ".join((*_INTEGERS, *_NUMBERS, *_WORDS, *_SHORT))
        return f"A protocol has no parameter {quoted(unknown[0])}. Its parameters are {known}."
    near = get_close_matches(name.upper(), [own.upper() for own in _NAMES], n=2, cutoff=0.4)
    spelt = [own for own in _NAMES if own.upper() in near] or ["AR TI-AN", "1R TI-NN sampled=99"]
    return (
        f"There is no protocol {quoted(name)}. Did you mean {' or '.join(spelt[:2])}? A name is "
        "AR, 1R or P1R, followed by AI, TI, train or rated, and then -AN or -NN with sampled=."
    )
