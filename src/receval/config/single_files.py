"""Reading one file of the configuration by itself, where the rest of it is not needed."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from receval.config.reading import read_yaml, sentences
from receval.datasets.spec import DatasetSpec
from receval.drift.spec import DriftConfig
from receval.simulation.spec import TwinSpec
from receval.spec_types import Identifier


def load_datasets(path: Path) -> dict[str, DatasetSpec]:
    """Read the registry of datasets.

    Parameters
    ----------
    path : Path
        A YAML file that maps dataset ids to the fields of :class:`DatasetSpec`.

    Returns
    -------
    dict of str to DatasetSpec
        In the order of the file.

    Raises
    ------
    ValueError
        If the file is not valid YAML or an entry is not a valid dataset; the message has one
        sentence per problem, which names the dataset and the key.
    """
    content = read_yaml(path)
    try:
        return TypeAdapter(dict[Identifier, DatasetSpec]).validate_python(content)
    except ValidationError as error:
        sentences = [
            _sentence([str(part) for part in problem["loc"]], problem["type"], problem["msg"])
            for problem in error.errors()
        ]
        raise ValueError("\n".join([f"{path} cannot be used:", *sentences])) from error


def _sentence(location: list[str], kind: str, message: str) -> str:
    if not location:
        return f"  The file must map dataset ids to their entries: {message}."
    dataset, key = location[0], ".".join(location[1:])
    if location[1:] == ["[key]"]:
        return f"  {dataset!r} cannot be the id of a dataset: ids are like ml-1m."
    if kind == "extra_forbidden":
        return f"  Dataset {dataset}: there is no key {key}; remove it or correct its spelling."
    if kind == "missing":
        return f"  Dataset {dataset}: the key {key} is missing."
    problem = message.removeprefix("Value error, ")
    place = f"the key {key}: " if key else ""
    return f"  Dataset {dataset}: {place}{problem[:1].lower()}{problem[1:]}."


def load_twins(path: Path) -> dict[str, TwinSpec]:
    """Read the file of twins.

    Parameters
    ----------
    path : Path
        A YAML file that maps dataset ids to the fields of :class:`TwinSpec`.

    Returns
    -------
    dict of str to TwinSpec
        In the order of the file.

    Raises
    ------
    ValueError
        If the file is missing or not valid YAML, or an entry is not a valid twin; the message
        names the file and each offending field.
    """
    try:
        return TypeAdapter(dict[str, TwinSpec]).validate_python(read_yaml(path))
    except ValidationError as error:
        raise ValueError("\n".join([f"{path} cannot be used:", *sentences(error)])) from error


def load_drift_config(path: Path) -> DriftConfig:
    """Read and check ``config/drift.yaml``.

    Raises
    ------
    ValueError
        If the file is not YAML or says something else than it may; the message names the keys.
    """
    try:
        return DriftConfig.model_validate(read_yaml(path))
    except ValidationError as error:
        problems = [f"{path} does not describe tolerances:", *sentences(error)]
        raise ValueError("\n".join(problems)) from error
