# SPDX-License-Identifier: MIT
"""Models of ``config/datasets.yaml``: the sources, files and expected counts of each dataset."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from pydantic import (
    AfterValidator,
    Field,
    WithJsonSchema,
    model_validator,
)

from receval.spec_types import Count, Duplicates, Identifier, Model, NonEmptyText
from receval.storage.messages import escaped

# Web addresses of files, and where redirects lead.

_LONGEST = 500
# File stores redirect to signed addresses, which are long.
_LONGEST_REDIRECT = 8_000
_HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{0,5})?")


def check_address(address: str, longest: int = _LONGEST) -> str:
    """Return an address if a request can be sent there.

    Examples
    --------
    >>> check_address("https://example.org/ratings.zip")
    'https://example.org/ratings.zip'
    >>> check_address("ftp://example.org/ratings.zip")
    Traceback (most recent call last):
    ...
    ValueError: the address 'ftp://example.org/ratings.zip' begins with neither http:// nor https://
    """
    problem = _problem(address, longest)
    if problem:
        raise ValueError(f"the address '{escaped(address)}' {problem}")
    return address


def _problem(address: str, longest: int) -> str:
    """Return what is wrong with an address; empty if it is valid."""
    if len(address) > longest:
        return f"has {len(address):,} characters; at most {longest:,} are allowed"
    if not re.fullmatch("[!-~]+", address):
        return "has characters other than printable ASCII. Write these percent-encoded"
    try:
        parts = urlsplit(address)
        # Reading the port checks it.
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return f"cannot be read ({escaped(str(error))})"
    if parts.scheme not in {"http", "https"}:
        return "begins with neither http:// nor https://"
    # DNS cannot look up names with longer labels.
    lengths = [len(label) for label in host.removesuffix(".").split(".")]
    if not (_HOST_AND_PORT.fullmatch(parts.netloc) and min(lengths) and max(lengths) < 64):
        return "has no valid host, such as example.org"
    if port == 0 or len(host) > 253:
        return "has no valid host and port"
    return ""


def redirected(address: str, location: str) -> str:
    """Return the address that a redirect leads to, by the server's ``Location``.

    It must not lead from https to http, where others could replace the file.

    Examples
    --------
    >>> redirected("https://example.org/a/old.zip", "new.zip")
    'https://example.org/a/new.zip'
    """
    if len(location) > _LONGEST_REDIRECT:
        raise ValueError(
            f"the address '{escaped(location)}' is too long: it has {len(location):,} characters"
        )
    try:
        # Some servers send raw bytes, which http.client reads as Latin-1.
        joined = urljoin(address, quote(location, safe=string.punctuation, encoding="latin-1"))
    except ValueError as error:
        message = f"the address '{escaped(location)}' cannot be read ({escaped(str(error))})"
        raise ValueError(message) from error
    target = check_address(urldefrag(joined).url, _LONGEST_REDIRECT)
    if urlsplit(address).scheme == "https" and urlsplit(target).scheme != "https":
        raise ValueError(
            f"the address '{escaped(target)}' uses http, but the one before it uses https"
        )
    return target


# Descriptions of datasets.

Range = tuple[Count, Count]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Md5 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
# The pattern is for the schema and for editors; the check gives better messages.
Url = Annotated[
    str,
    AfterValidator(check_address),
    WithJsonSchema({"type": "string", "pattern": r"^https?://\S+$"}),
]
PublishedCount = Literal[
    "users", "items", "ratings", "relevant.users", "relevant.items", "relevant.ratings"
]


def _inside_a_folder(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"{name!r} is not a file name relative to the dataset's folder")
    return name


RelativeName = Annotated[str, AfterValidator(_inside_a_folder)]


class RatingScale(Model):
    """The values a rating can take: ``minimum``, ``minimum + step``, ..., ``maximum``."""

    minimum: float
    maximum: float
    step: float = Field(gt=0)

    @model_validator(mode="after")
    def _steps_reach_the_maximum(self) -> Self:
        steps = (self.maximum - self.minimum) / self.step
        if steps < 0 or steps % 1:
            raise ValueError(
                f"steps of {self.step:g} from {self.minimum:g} do not reach the maximum "
                f"{self.maximum:g}"
            )
        return self


class FileSpec(Model):
    """One file of a variant.

    - ``name``: Path relative to the dataset's folder. A file of the same base name one folder
      deeper is accepted too, as unpacking an archive leaves it.
    - ``sha256``, ``md5``: Published checksums. With neither, the checksum is recorded at the first
      download.
    - ``size``: Bytes; distinguishes variants with the same file name, and limits downloads.
    - ``size_limit``: Bytes at which a download of unknown size is stopped.
    - ``unpacked_limit``: Bytes at which the unpacking of an archive is stopped, for each layer
      separately; None gives a limit that ratings of the file's size cannot exceed.
    - ``urls``: Mirrors in the order in which they are tried; none if the file cannot be downloaded.
    """

    name: RelativeName
    sha256: Sha256 | None = None
    md5: Md5 | None = None
    size: Annotated[int, Field(gt=0)] | None = None
    size_limit: Annotated[int, Field(gt=0)] = 1 << 31
    unpacked_limit: Annotated[int, Field(gt=0)] | None = None
    urls: tuple[Url, ...] = ()

    @property
    def verifiable(self) -> bool:
        """Whether a checksum is published."""
        return self.sha256 is not None or self.md5 is not None

    @property
    def most_bytes(self) -> int:
        """The maximum bytes of the file."""
        return self.size_limit if self.size is None else self.size


class AuxiliaryFileSpec(Model):
    """An optional file beside the raw data, such as the partition that a paper's authors used."""

    name: RelativeName
    sha256: Sha256
    content: NonEmptyText


class VariantSpec(Model):
    """One accepted form of a dataset's raw files: either listed files or all that fit a pattern.

    - ``name``: Short name, printed in plans and summaries.
    - ``parser``: ``module:function`` that turns the files, in this order, into ratings.
    - ``files``: The files, all needed.
    - ``pattern``: Instead of files: a glob pattern relative to the dataset's folder.
    - ``timestamps``: Whether its ratings have timestamps, which temporal splits need.
    """

    name: Identifier
    parser: Annotated[str, Field(pattern=r"^\w+(\.\w+)*:\w+$")]
    files: tuple[FileSpec, ...] = ()
    pattern: RelativeName | None = None
    # Excluded because only plans use it; jobs see it in the files.
    timestamps: bool = Field(default=True, exclude=True)

    @model_validator(mode="after")
    def _has_files_or_a_pattern(self) -> Self:
        if bool(self.files) == (self.pattern is not None):
            raise ValueError(f"the variant {self.name} needs either files or a pattern")
        return self

    @property
    def downloadable(self) -> bool:
        """Whether every file has an address."""
        return bool(self.files) and all(file.urls for file in self.files)


class PartCounts(Model):
    """Counts of a part of a dataset's ratings; None where nothing is expected."""

    ratings: Count | None = None
    users: Count | None = None
    items: Count | None = None
    values: dict[float, Count] = Field(default={})


class ExpectedCounts(PartCounts):
    """The counts of a correct parse.

    - ``rows``: Rows of the raw files, before repeats are merged and rows are left out.
    - ``per_user``, ``per_item``: Lowest and highest number of ratings per user and per item.
    - ``known``, ``unknown``: The ratings of items that users chose or knew, and of items drawn for
      them.
    - ``files``: Counts of single raw files, before rows are left out, by the part they hold.
    """

    rows: Count | None = None
    per_user: Range | None = None
    per_item: Range | None = None
    known: PartCounts | None = None
    unknown: PartCounts | None = None
    files: dict[str, PartCounts] = Field(default={})


class DatasetSpec(Model):
    """The description of one dataset.

    - ``title``, ``short_title``: Full name, and the name that papers print.
    - ``licence``, ``citation``, ``page``: Terms of use, the paper to cite, the owners' page.
    - ``access``: Whether the data can be downloaded automatically, must be requested, or is
      generated by every edition (``config/twins.yaml``).
    - ``instructions``: How a person gets the data: what to request and which files to keep.
    - ``scale``: None where values have no fixed scale (plays, relevance grades).
    - ``relevance_threshold``: The lowest value that counts as relevant; for plays, the lowest
      number of plays.
    - ``events``: True where a row is one event (a play) and pairs may repeat.
    - ``duplicates``: How to treat a pair that is rated more than once, if rows are not events:
      :func:`receval.data.repeats.merge_repeats`.
    - ``expected``: Checked after parsing; a difference is an error.
    - ``published``: Published counts that depend on unpublished choices. The summary compares them,
      and differences are not errors.
    - ``variants``: In order of preference.
    - ``auxiliary_files``: Optional files beside any variant.
    """

    title: NonEmptyText
    short_title: NonEmptyText
    licence: NonEmptyText
    citation: NonEmptyText
    page: Url
    access: Literal["automatic", "manual", "generated"]
    instructions: NonEmptyText
    scale: RatingScale | None
    relevance_threshold: float
    events: bool = False
    duplicates: Duplicates = "error"
    expected: ExpectedCounts = ExpectedCounts()
    published: dict[PublishedCount, tuple[Count, ...]] = Field(default={})
    variants: Annotated[tuple[VariantSpec, ...], Field(min_length=1)]
    auxiliary_files: tuple[AuxiliaryFileSpec, ...] = ()

    def variant_of(self, files: Sequence[str]) -> VariantSpec:
        """Return the first variant that consists of files with these names, in this order."""
        for variant in self.variants:
            if [file.name for file in variant.files] == list(files):
                return variant
        raise ValueError(
            f"No variant of {self.title} consists of {', '.join(files)}. Its variants are "
            f"{', '.join(variant.name for variant in self.variants)}."
        )

    @model_validator(mode="after")
    def _sums_have_no_scale(self) -> Self:
        if self.duplicates == "sum" and self.scale is not None:
            raise ValueError(
                "duplicates is sum, but sums of ratings are not on a scale. Set scale: null, or "
                "choose which of the ratings to keep"
            )
        return self

    @model_validator(mode="after")
    def _variants_can_be_told_apart(self) -> Self:
        names = [variant.name for variant in self.variants]
        if len(set(names)) < len(names):
            raise ValueError(f"the names of the variants {', '.join(names)} must differ")
        sizes: dict[str, list[int | None]] = {}
        for variant in self.variants:
            for file in variant.files:
                sizes.setdefault(file.name, []).append(file.size)
        for name, found in sizes.items():
            if len(found) > 1 and (None in found or len(set(found)) < len(found)):
                raise ValueError(
                    f"several variants have a file {name}. Give each file a different size, so "
                    "that the variants can be told apart without reading them"
                )
        if self.access == "automatic" and not any(e.downloadable for e in self.variants):
            raise ValueError("access is automatic, but no variant has an address for all its files")
        if self.access == "generated" and (len(self.variants) > 1 or self.auxiliary_files):
            raise ValueError(
                "access is generated, so the dataset must have exactly one variant and no "
                "auxiliary files"
            )
        return self
