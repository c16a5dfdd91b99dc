# SPDX-License-Identifier: MIT
"""Descriptions of datasets and of folders of results as Croissant 1.1, for search engines.

A dataset is described by ``config/datasets.yaml`` alone: where it is, its licence and its counts.
Nothing of its ratings is read. Results are described by their files and checksums, and the tables
of all claims by their columns, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from receval.storage.files import sha256_of
from reproduction.datasets.spec import DatasetSpec, FileSpec

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataBiases": "cr:dataBiases",
    "dataCollection": "cr:dataCollection",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "personalSensitiveInformation": "cr:personalSensitiveInformation",
    "recordSet": "cr:recordSet",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that the specification gives."""

_FORMATS = {
    ".zip": "application/zip",
    ".gz": "application/gzip",
    ".tar": "application/x-tar",
    ".csv": "text/csv",
}
_TYPES = {"i": "sc:Integer", "u": "sc:Integer", "f": "sc:Float", "b": "sc:Boolean"}


def croissant_of_dataset(
    name: str, spec: DatasetSpec, citation: Mapping[str, Any], home: str
) -> dict[str, Any]:
    """Return the description of a dataset, with those of its files that can be downloaded.

    A file without a published checksum may change, and makes it a live dataset. What every run
    generates is part of the repository, which ``citation`` and ``home`` describe.
    """
    if spec.access == "generated":
        return {
            **_dataset(name, spec.title, _counted(spec)),
            **_of_repository(citation, home),
            "license": spec.licence,
        }
    files = [file for variant in spec.variants for file in variant.files if file.urls]
    # Variants of different sizes may have files of the same name.
    files = list({file.name: file for file in reversed(files)}.values())[::-1]
    year = re.findall(r"\b(?:19|20)\d\d\b", spec.citation)
    authors = re.split(r"(?<=[a-z)])\. ", spec.citation, maxsplit=1)[0].rstrip(".")
    return {
        **_dataset(name, spec.title, _counted(spec)),
        "url": spec.page,
        "license": spec.licence,
        "citeAs": spec.citation,
        "creator": {"@type": "Organization", "name": authors},
        **({"datePublished": year[-1]} if year else {}),
        **({"isLiveDataset": True} if not all(file.verifiable for file in files) else {}),
        "distribution": [_distributed(file) for file in files],
    }


def _dataset(name: str, title: str, description: str) -> dict[str, Any]:
    """Return what every description begins with."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "@id": name,
        "conformsTo": CONFORMS_TO,
        "name": title,
        "description": description,
    }


def _of_repository(citation: Mapping[str, Any], home: str) -> dict[str, Any]:
    """Return what holds of everything that this repository publishes."""
    (author,) = citation["authors"]
    return {
        "url": home,
        "version": citation["version"],
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "datePublished": str(citation["date-released"]),
        "creator": {"@type": "Organization", "name": author["name"]},
        "citeAs": f"{author['name']}. {citation['title']} {citation['version']}.",
    }


def _counted(spec: DatasetSpec) -> str:
    """Return how many ratings there are, their scale, and how a person gets them."""
    expected = spec.expected
    counts = {"ratings": expected.ratings, "users": expected.users, "items": expected.items}
    known = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count is not None)
    scale = spec.scale and f"from {spec.scale.minimum:g} to {spec.scale.maximum:g}"
    sentences = [
        f"{spec.title}: {known}." if known else f"{spec.title}.",
        f"Ratings are {scale} in steps of {spec.scale.step:g}." if spec.scale else "",
        spec.instructions,
    ]
    return " ".join(filter(None, sentences))


def _distributed(file: FileSpec) -> dict[str, Any]:
    checksums = {"sha256": file.sha256, "md5": file.md5}
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.urls[0],
        "encodingFormat": _FORMATS.get(Path(file.name).suffix, "text/plain"),
        **({"contentSize": f"{file.size} B"} if file.size else {}),
        **{name: checksum for name, checksum in checksums.items() if checksum},
    }


def croissant_of_results(
    folder: Path, written_from: str, citation: Mapping[str, Any], home: str
) -> dict[str, Any]:
    """Return the description of the tables below a folder of accepted results.

    Parameters
    ----------
    folder
        The results of an edition, such as ``results/full``.
    written_from
        The way to the folder from where the description lies.
    citation
        The content of CITATION.cff.
    home
        Web address of the repository.
    """
    edition = folder.name
    tables = sorted(folder.rglob("*.csv"))
    made_from = {
        "full": "from the real datasets",
        "demo": "from synthetic data, which say nothing about the papers",
    }[edition]
    title = f"Results of {citation['title']}, {edition} edition"
    about = f"Tables behind the figures and verdicts of receval, made {made_from}."
    names = [path.relative_to(folder).as_posix() for path in tables]
    return {
        **_dataset(f"results-{edition}", title, about),
        **_of_repository(citation, home),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": f"{written_from}/{name}",
                "encodingFormat": "text/csv",
                "sha256": sha256_of(path),
            }
            for name, path in zip(names, tables, strict=True)
        ],
        # The tables of single figures are listed, and their columns are not.
        "recordSet": [
            _record_set(name, _columns(path))
            for name, path in zip(names, tables, strict=True)
            if "/" not in name
        ],
    }


def _columns(path: Path) -> Sequence[tuple[str, str]]:
    """Return the names and the types of the columns of a table."""
    import pandas as pd

    table = pd.read_csv(path, low_memory=False)
    return [(str(name), _TYPES.get(kind.kind, "sc:Text")) for name, kind in table.dtypes.items()]


def _record_set(name: str, columns: Sequence[tuple[str, str]]) -> dict[str, Any]:
    stem = name.removesuffix(".csv")
    return {
        "@type": "cr:RecordSet",
        "@id": stem,
        "name": stem,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{stem}/{column}",
                "name": column,
                "dataType": kind,
                "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
            }
            for column, kind in columns
        ],
    }
