# SPDX-License-Identifier: MIT
"""The files of the configuration laid over each other, before they are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduction.config.reading import read_yaml

FILES = (
    "datasets",
    "twins",
    "splits",
    "systems",
    "display",
    "searches",
    "simulations",
    "drift",
    "replications",
)
"""Without suffix; each is the key of the same name."""


def content_of_edition(folder: Path, edition: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the merged configuration of one edition as plain values, unchecked."""
    content: dict[str, Any] = {name: read_yaml(folder / f"{name}.yaml") for name in FILES}
    content["studies"] = {
        path.stem: read_yaml(path) for path in sorted((folder / "studies").glob("*.yaml"))
    }
    content = merged(content, read_yaml(folder / "config.yaml"))
    if edition == "demo":
        content = merged(content, read_yaml(folder / "demo.yaml"))
    content = merged(content, given)
    content["edition"] = edition
    content["studies"] = _of_edition(content["studies"], edition)
    studies = content["studies"].values() if isinstance(content["studies"], Mapping) else ()
    for study in studies:
        if isinstance(study, dict) and "artifacts" in study:
            study["artifacts"] = _of_edition(study["artifacts"], edition)
    return content


def _of_edition(specs: Any, edition: str) -> Any:
    """Return those of some studies, or artifacts, that an edition has.

    What has another form than it should stays, for the models to refuse it in their words.
    """
    if not isinstance(specs, Mapping):
        return specs
    return {name: spec for name, spec in specs.items() if edition in _editions(spec, edition)}


def _editions(spec: Any, edition: str) -> Sequence[object]:
    """Return the editions that have a study or an artifact: every one, unless it names some."""
    editions = spec.get("editions") if isinstance(spec, Mapping) else None
    return editions if isinstance(editions, list | tuple) else (edition,)


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with changes laid over it, key by key at every depth."""
    result = dict(base)
    for key, value in changes.items():
        there = result.get(key)
        if isinstance(there, Mapping) and isinstance(value, Mapping):
            result[key] = merged(there, value)
        else:
            result[key] = value
    return result
