# SPDX-License-Identifier: MIT
"""The settings with which the command repeats an evaluation that the library has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from receval.data.reading import ReadingReport
from receval.metrics.aliases import any_metric
from receval.protocols.protocol import parse_protocol
from receval.recommenders.base import Recommender
from receval.storage.saved_folders import receval_version

_WORDS = {None: "none", True: "true", False: "false"}


def command_settings(
    settings: Mapping[str, Any], reading: Sequence[ReadingReport]
) -> dict[str, Any] | None:
    """Return the content of a ``settings.json`` for ``receval evaluate --settings``.

    None is returned if the command cannot repeat the call: ratings were not read from a file, the
    split was given or has parameters that a command line cannot have (a selection, several shares),
    there are features of items, a system is no class of :mod:`receval`, or a protocol or metric has
    no name of its own.
    """
    if "split" not in settings or "item_features" in settings or not reading:
        return None
    report = reading[0]
    split = _split_in_words(settings["split"])
    systems = [_system_in_words(name, own) for name, own in settings["systems"].items()]
    sources = [*settings.get("runs", {}).items()]
    files = [report.source, *(own for _, runs in sources for own in runs)]
    if (
        split is None
        or None in systems
        or any(len(runs) > 1 for _, runs in sources)
        or not all(Path(own).is_file() for own in files)
        or not _have_names(settings)
    ):
        return None
    given = {name: _as_option(own) for name, own in report.given.items()}
    arguments: dict[str, Any] = {"ratings": report.source, **given, "split": split}
    arguments |= {"system": systems} if systems else {}
    if sources:
        arguments["runs"] = [f"{name}={runs[0]}" for name, runs in sources]
        arguments["depth"] = settings["depth"]
    arguments |= {
        "protocol": list(settings["protocols"]),
        "metric": list(settings["metrics"]),
        "relevant": float(settings["relevant"]),
        "users": settings["users"],
        "seed": settings["seed"],
    }
    if "rating_scores" in settings:
        arguments["rating_scores"] = list(settings["rating_scores"])
    if "dialect" in settings:
        arguments["dialect"] = settings["dialect"]
    return {"receval": receval_version(), "command": "evaluate", "arguments": arguments}


def _split_in_words(parameters: Mapping[str, Any]) -> str | None:
    """Return a kind of split with the parameters that differ from their defaults."""
    # Imported here, because pydantic takes long to load and few calls need it.
    from receval.splits.kinds import SplitSpec

    for model in get_args(SplitSpec):
        fields = model.model_fields
        if get_args(fields["kind"].annotation) != (parameters["kind"],):
            continue
        changed = {
            name: parameters[name]
            for name, own in fields.items()
            if name != "kind" and name in parameters and parameters[name] != own.default
        }
        if parameters["kind"] == "predefined" or not all(
            isinstance(own, int | float | str) and "," not in str(own) for own in changed.values()
        ):
            return None
        written = ",".join(f"{name}={own}" for name, own in changed.items())
        return f"{parameters['kind']}:{written}" if written else str(parameters["kind"])
    return None


def _system_in_words(name: str, told: Mapping[str, Any]) -> str | None:
    """Return a system as ``NAME=Class:parameter=value,...``."""
    library = import_module("receval")
    kind = getattr(library, told["class"], None) if told["class"] in library.__all__ else None
    is_ours = isinstance(kind, type) and issubclass(kind, Recommender) and "module" not in told
    parameters = told.get("parameters", {})
    simple = all(own is None or isinstance(own, int | float | str) for own in parameters.values())
    if not is_ours or not simple or any(sign in name for sign in ":="):
        return None
    written = ",".join(
        f"{parameter}={_WORDS[own] if own is None or own is True or own is False else own}"
        for parameter, own in parameters.items()
    )
    return f"{name}={told['class']}" + f":{written}" * bool(written)


def _have_names(settings: Mapping[str, Any]) -> bool:
    """Tell whether the names of protocols and metrics give them again."""
    try:
        protocols = [parse_protocol(name) for name in settings["protocols"]]
        metrics = settings["metrics"]
        own = metrics if "dialect" in settings else [any_metric(name).label for name in metrics]
    except ValueError:
        return False
    sampled = ["" if own.sampled is None else f" sampled={own.sampled}" for own in protocols]
    names = [own.name + size for own, size in zip(protocols, sampled, strict=True)]
    return names == list(settings["protocols"]) and own == list(metrics)


def _as_option(value: Any) -> Any:
    return ",".join(value) if isinstance(value, tuple | list) else value
