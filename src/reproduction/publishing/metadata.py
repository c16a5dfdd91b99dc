# SPDX-License-Identifier: MIT
"""What the repository is, for other machines: Zenodo, CodeMeta, RO-Crate and Croissant.

``receval repo metadata`` writes all of it from CITATION.cff, pyproject.toml,
``config/datasets.yaml`` and the accepted results. With ``--run`` it packs a run of the workflow as
a Workflow Run RO-Crate instead: the workflow, its configuration and artifacts with checksums.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from receval.storage.files import sha256_of, write_atomically
from reproduction.config.reading import load_datasets, read_yaml
from reproduction.config.settings import EDITIONS
from reproduction.datasets.spec import DatasetSpec, FileSpec

CRATE = "ro-crate-metadata.json"
"""Name of the description of a crate; the folder that it lies in is the crate."""

_CRATE_PROFILE = "https://w3id.org/ro/crate/1.1"
_WORKFLOW_PROFILE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
_RUN_PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
)
_COMPUTATIONAL_WORKFLOW = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
_LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
_AUTHORS = "#authors"
_MAIN = "Snakefile"

_PARTS = {
    "README.md": "What the repository has, and how it is used",
    "CITATION.cff": "How it is cited",
    "LICENSE": "Licence of code and results",
    "codemeta.json": "Description as CodeMeta",
    "config/": "Configuration: datasets, systems, studies and claims",
    "workflow/": "Rules of the workflow",
    "src/": "The library, and the functions that rules call",
    "envs/receval.yaml": "Environment in which to start Snakemake",
    "Containerfile": "Image with this environment",
    "requirements.lock": "Versions and digests of all packages",
    "metadata/": "Descriptions of datasets and results as Croissant",
    "results/": "Accepted results of both editions",
}
"""What the crate of the repository lists."""

_FORMATS = {
    ".cff": "application/yaml",
    ".md": "text/markdown",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""Media types that Python does not know on every machine."""

PAGES_OF_SOFTWARE = {
    "implicit": "https://benfred.github.io/implicit/",
    "matplotlib": "https://matplotlib.org",
    "numba": "https://numba.pydata.org",
    "numpy": "https://numpy.org",
    "pandas": "https://pandas.pydata.org",
    "pyarrow": "https://arrow.apache.org",
    "python": "https://www.python.org",
    "scikit-learn": "https://scikit-learn.org",
    "scipy": "https://scipy.org",
    "snakemake": "https://snakemake.github.io",
}
"""Of everything whose version a run records."""

Entity = dict[str, Any]


def descriptions(root: Path = Path()) -> dict[str, str]:
    """Return the content of every file that describes the repository, by its path."""
    citation = read_yaml(root / "CITATION.cff")
    project = _project(root)
    datasets = load_datasets(root / "config" / "datasets.yaml")
    home = project["urls"]["Source"]
    described = {
        ".zenodo.json": zenodo(citation),
        "codemeta.json": codemeta(citation, project),
        CRATE: workflow_crate(citation, home),
        **{
            f"metadata/datasets/{name}.json": croissant_of_dataset(name, spec, citation, home)
            for name, spec in datasets.items()
        },
        **{
            f"metadata/results/{edition}.json": croissant_of_results(
                root / "results" / edition, f"../../results/{edition}", citation, home
            )
            for edition in EDITIONS
        },
    }
    return {file: description_text(content) for file, content in described.items()}


def _project(root: Path) -> dict[str, Any]:
    """Return the table of the package in pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def description_text(content: Mapping[str, Any]) -> str:
    """Return a description as the text of its file."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _rebuilt(citation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the papers that the workflow rebuilds; others have a scope."""
    return [work for work in citation["references"] if "scope" not in work]


def full_title(citation: Mapping[str, Any]) -> str:
    """Return the name of the software with what it is, as references and archives give it."""
    return f"{citation['title']}: {citation['abstract'].rstrip('.')}"


def zenodo(citation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description that Zenodo archives a release under."""
    return {
        "title": full_title(citation),
        "upload_type": citation["type"],
        "description": citation["abstract"],
        "version": citation["version"],
        "license": citation["license"],
        "access_right": "open",
        "language": "eng",
        "creators": [{"name": author["name"]} for author in citation["authors"]],
        "keywords": citation["keywords"],
        "related_identifiers": [
            {
                "identifier": work["doi"],
                "scheme": "doi",
                "relation": "references",
                "resource_type": {
                    "article": "publication-article",
                    "conference-paper": "publication-conferencepaper",
                }[work["type"]],
            }
            for work in _rebuilt(citation)
        ],
    }


def codemeta(citation: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of the software as CodeMeta 3.0."""
    urls = project["urls"]
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": citation["title"],
        "description": citation["abstract"],
        "version": citation["version"],
        "datePublished": str(citation["date-released"]),
        "license": _license(citation),
        "author": [{"@type": "Organization", "name": one["name"]} for one in citation["authors"]],
        "keywords": citation["keywords"],
        "codeRepository": urls["Source"],
        "issueTracker": urls["Issues"],
        "releaseNotes": urls["Changelog"],
        "softwareHelp": {"@type": "WebPage", "url": urls["Documentation"]},
        "programmingLanguage": {
            "@type": "ComputerLanguage",
            "name": "Python",
            "version": project["requires-python"],
        },
        "operatingSystem": "Linux",
        "developmentStatus": "active",
        "softwareRequirements": project["dependencies"],
        "referencePublication": [
            {"@type": "ScholarlyArticle", "name": work["title"], "@id": _doi(work)}
            for work in _rebuilt(citation)
        ],
    }


def _license(citation: Mapping[str, Any]) -> str:
    return f"https://spdx.org/licenses/{citation['license']}"


def _doi(work: Mapping[str, Any]) -> str:
    return f"https://doi.org/{work['doi']}"


def workflow_crate(citation: Mapping[str, Any], home: str) -> dict[str, Any]:
    """Return the description of the repository as a Workflow RO-Crate."""
    parts: list[Entity] = [
        {
            "@id": name,
            "@type": "Dataset" if name.endswith("/") else "File",
            "name": text,
            **({} if name.endswith("/") else {"encodingFormat": _format_of(name)}),
            **({"about": {"@id": "./"}} if name == "README.md" else {}),
        }
        for name, text in _PARTS.items()
    ]
    root = _root(citation, parts, (_MAIN,)) | {"url": home}
    entities = [root, _main_workflow(citation), *parts, *_things_named(citation, home)]
    return _crate(entities, (_WORKFLOW_PROFILE,))


def _format_of(name: str) -> str:
    """Return the media type of a file; without a known suffix, that of plain text."""
    return _FORMATS.get(Path(name).suffix) or guess_type(name)[0] or "text/plain"


def _crate(
    entities: Iterable[Entity], profiles: Sequence[str], more_context: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a crate: the description of its description, and its entities."""
    context = f"{_CRATE_PROFILE}/context"
    about = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": _named((_CRATE_PROFILE, *profiles)),
        "about": {"@id": "./"},
    }
    return {
        "@context": [context, *more_context] if more_context else context,
        "@graph": [about, *entities],
    }


def _named(names: Iterable[str]) -> list[dict[str, str]] | dict[str, str]:
    """Return references to entities; one stands alone, as crates ask for."""
    found = [{"@id": name} for name in names]
    return found[0] if len(found) == 1 else found


def _root(
    citation: Mapping[str, Any], parts: Iterable[Entity], first: Iterable[str] = ()
) -> Entity:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": citation["title"],
        "description": citation["abstract"],
        "version": citation["version"],
        "datePublished": str(citation["date-released"]),
        "license": {"@id": _license(citation)},
        "author": {"@id": _AUTHORS},
        "publisher": {"@id": _AUTHORS},
        "keywords": ", ".join(citation["keywords"]),
        "citation": _named(_doi(work) for work in _rebuilt(citation)),
        "mainEntity": {"@id": _MAIN},
        "hasPart": _named((*first, *(part["@id"] for part in parts))),
    }


def _main_workflow(citation: Mapping[str, Any]) -> Entity:
    return {
        "@id": _MAIN,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "Five papers on the offline evaluation of recommender systems, rebuilt",
        "description": "Makes every figure, table and verdict from raw ratings.",
        "encodingFormat": "text/plain",
        "conformsTo": {"@id": _COMPUTATIONAL_WORKFLOW},
        "programmingLanguage": {"@id": _LANGUAGE},
        "creator": {"@id": _AUTHORS},
        "dateCreated": str(citation["date-released"]),
        "license": {"@id": _license(citation)},
        "version": citation["version"],
    }


def _things_named(citation: Mapping[str, Any], home: str) -> list[Entity]:
    """Return what entities of every crate refer to."""
    (author,) = citation["authors"]
    return [
        {"@id": _AUTHORS, "@type": "Organization", "name": author["name"], "url": home},
        {"@id": _license(citation), "@type": "CreativeWork", "name": citation["license"]},
        {
            "@id": _LANGUAGE,
            "@type": "ComputerLanguage",
            "name": "Snakemake",
            "identifier": {"@id": "https://doi.org/10.1093/bioinformatics/bts480"},
            "url": {"@id": "https://snakemake.readthedocs.io"},
        },
        *(
            {"@id": _doi(work), "@type": "ScholarlyArticle", "name": work["title"]}
            for work in _rebuilt(citation)
        ),
    ]


# The run of an edition.


def pack_run(edition: str, root: Path = Path()) -> Path:
    """Copy what a run was made from and what it made into a crate, and return its folder.

    It is ``work/<edition>/crate``, made anew. Ratings are described and are not copied.
    """
    work = root / "work" / edition
    record = work / "run.json"
    studies = sorted((work / "artifacts").glob("*/provenance.json"))
    if not (record.is_file() and studies):
        raise ValueError(
            f"work/{edition} has no record of a finished run (run.json, and a provenance.json for "
            f"each study). Run the workflow first: snakemake --cores all --config "
            f"edition={edition}."
        )
    crate = work / "crate"
    shutil.rmtree(crate, ignore_errors=True)
    crate.mkdir()
    for name in (_MAIN, "README.md", "LICENSE", "CITATION.cff", "requirements.lock"):
        shutil.copyfile(root / name, crate / name)
    for name in ("config", "workflow"):
        shutil.copytree(root / name, crate / name)
    shutil.copytree(work / "artifacts", crate / "artifacts")
    shutil.copyfile(record, crate / "run.json")
    last = max(path.stat().st_mtime for path in studies)
    description = run_crate(
        crate,
        read_yaml(root / "CITATION.cff"),
        _project(root)["urls"]["Source"],
        load_datasets(root / "config" / "datasets.yaml"),
        (record.stat().st_mtime, last),
    )
    write_atomically(crate / CRATE, description_text(description))
    return crate


def run_crate(
    crate: Path,
    citation: Mapping[str, Any],
    home: str,
    datasets: Mapping[str, DatasetSpec],
    times: tuple[float, float],
) -> dict[str, Any]:
    """Return the description of a packed run as a Workflow Run RO-Crate.

    The times are when the run began and ended, in seconds since 1970.
    """
    run = json.loads((crate / "run.json").read_text(encoding="utf-8"))
    records = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(crate.glob("artifacts/*/provenance.json"))
    }
    prepared = {
        name: one for record in records.values() for name, one in record["datasets"].items()
    }
    files = [path for path in sorted(crate.rglob("*")) if path.is_file() and path.name != CRATE]
    made = [path for path in files if path.is_relative_to(crate / "artifacts")]
    parts: list[Entity] = [
        {
            "@id": path.relative_to(crate).as_posix(),
            "@type": "File",
            "name": path.name,
            "encodingFormat": _format_of(path.name),
            **({"about": {"@id": "./"}} if path == crate / "README.md" else {}),
            "contentSize": str(path.stat().st_size),
            "sha256": sha256_of(path),
        }
        for path in files
        if path.relative_to(crate).as_posix() != _MAIN
    ]
    ratings: list[Entity] = [
        {
            "@id": f"#dataset-{name}",
            "@type": "Dataset",
            "name": datasets[name].title,
            "url": datasets[name].page,
            "license": datasets[name].licence,
            "hasPart": _named(f"#raw-{name}-{file['name']}" for file in one["raw_files"]),
        }
        for name, one in sorted(prepared.items())
    ]
    # They are not in the crate, so they are no files of it.
    raw: list[Entity] = [
        {
            "@id": f"#raw-{name}-{file['name']}",
            "@type": "DigitalDocument",
            "name": file["name"],
            "sha256": file["sha256"],
        }
        for name, one in sorted(prepared.items())
        for file in one["raw_files"]
    ]
    given: list[Entity] = [
        {"@id": f"#given-{key}", "@type": "PropertyValue", "name": key, "value": json.dumps(value)}
        for key, value in sorted(run["given"].items())
    ]
    software: list[Entity] = [
        {
            "@id": f"{PAGES_OF_SOFTWARE[name]}#{version}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
            "url": PAGES_OF_SOFTWARE[name],
        }
        for name, version in run["versions"].items()
    ]
    began, ended = (datetime.fromtimestamp(round(when), tz=UTC).isoformat() for when in times)
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "Run of the workflow",
        "description": "Made the artifacts of all studies from raw ratings.",
        "instrument": {"@id": _MAIN},
        "agent": {"@id": "#user"},
        "object": _named(one["@id"] for one in (*ratings, *given)),
        "result": _named(path.relative_to(crate).as_posix() for path in made),
        "startTime": began,
        "endTime": ended,
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    root = _root(citation, parts, (_MAIN,)) | {
        "conformsTo": _named((*_RUN_PROFILES, _WORKFLOW_PROFILE)),
        "mentions": {"@id": "#run"},
        "datePublished": ended,
    }
    # Runs of copies without Git have none; a version of Python's form has it behind a plus sign.
    commit = run.get("commit", "").replace("-", ".")
    workflow = _main_workflow(citation) | {
        "version": f"{citation['version']}+{commit}" if commit else citation["version"],
        "codeRepository": home,
        "url": f"{home}/blob/{commit.removesuffix('.dirty') or 'main'}/{_MAIN}",
        "softwareRequirements": _named(s["@id"] for s in software),
    }
    profiles = [
        {"@id": name, "@type": "CreativeWork", "name": title, "version": name.rpartition("/")[2]}
        for name, title in zip(
            (*_RUN_PROFILES, _WORKFLOW_PROFILE),
            ("Process Run Crate", "Workflow Run Crate", "Workflow RO-Crate"),
            strict=True,
        )
    ]
    user = {"@id": "#user", "@type": "Person", "name": "Who ran the workflow"}
    entities = (root, workflow, action, user, *parts, *ratings, *raw, *given, *software, *profiles)
    return _crate(
        (*entities, *_things_named(citation, home)),
        (_WORKFLOW_PROFILE,),
        ("https://w3id.org/ro/terms/workflow-run/context",),
    )


# Descriptions of datasets and of folders of results as Croissant 1.1, for search engines.

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"

CONTEXT: dict[str, Any] = json.loads(
    Path(__file__).with_name("croissant_context.json").read_text("utf-8")
)
"""The context that the specification gives."""

_MEDIA_TYPES = {
    ".zip": "application/zip",
    ".gz": "application/gzip",
    ".tar": "application/x-tar",
    ".csv": "text/csv",
}
_DATA_TYPES = {"i": "sc:Integer", "u": "sc:Integer", "f": "sc:Float", "b": "sc:Boolean"}


def croissant_of_dataset(
    name: str, spec: DatasetSpec, citation: Mapping[str, Any], home: str
) -> dict[str, Any]:
    """Return the description of a dataset, with those of its files that can be downloaded.

    Files without a published checksum are left out: Croissant has them only in datasets that change
    all the time. What every run generates is part of the repository, which ``citation`` and
    ``home`` describe.
    """
    if spec.access == "generated":
        return {
            **_dataset(name, spec.title, _counted(spec)),
            **_of_repository(citation, home),
            "license": spec.licence,
        }
    files = [file for variant in spec.variants for file in variant.files]
    files = [file for file in files if file.urls and file.verifiable]
    # Variants of different sizes may have files of the same name.
    files = list({file.name: file for file in reversed(files)}.values())[::-1]
    year = re.findall(r"\b(?:19|20)\d\d\b", spec.citation)
    authors = re.split(r"(?<=[a-z)])\. ", spec.citation, maxsplit=1)[0].rstrip(".")
    return {
        **_dataset(name, spec.title, _counted(spec)),
        "url": spec.page,
        "license": {"@type": "sc:CreativeWork", "name": spec.licence, "url": spec.page},
        "citeAs": spec.citation,
        "creator": [
            {"@type": "Person", "name": author}
            for author in authors.removesuffix(" (editors)").split(", ")
        ],
        **({"datePublished": year[-1]} if year else {}),
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
        "encodingFormat": _MEDIA_TYPES.get(Path(file.name).suffix, "text/plain"),
        **({"contentSize": f"{file.size} B"} if file.size else {}),
        **{name: checksum for name, checksum in checksums.items() if checksum},
    }


def croissant_of_results(
    folder: Path, written_from: str, citation: Mapping[str, Any], home: str
) -> dict[str, Any]:
    """Return the description of the tables below a folder, ``written_from`` where it lies."""
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
    return [
        (str(name), _DATA_TYPES.get(kind.kind, "sc:Text")) for name, kind in table.dtypes.items()
    ]


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
