# SPDX-License-Identifier: MIT
"""Save the result of an evaluation in a folder with the settings that repeat it, and load it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from receval.data.reading import ReadingReport, loaded_report, saved_report
from receval.evaluation.by_user import ValuesByUser, ValuesOfItemGroups, WeightedMeansOfFolds
from receval.evaluation.tuning_record import TuningRecord
from receval.metrics.aliases import any_metric
from receval.metrics.metric import Directions
from receval.notes import Note
from receval.protocols.protocol import name_in_calls, parse_protocol
from receval.recommenders.base import Recommender
from receval.storage.archives import Archive, write_archive
from receval.storage.files import write_atomically
from receval.storage.saved_folders import (
    loaded_fields,
    receval_version,
    refuse_other_files,
    write_description,
)
from receval.top_lists import TopLists

VALUES_FILE = "values.npz"
SETTINGS_FILE = "settings.json"

SAVED = (
    "systems", "metrics", "values", "user_ids", "settings", "notes", "words", "reading",
    "less_is_better", "list_metrics", "top_lists", "item_ids", "tuning",
    "of_ranks", "of_all_users", "bounds", "traits", "item_groups", "list_groups",
    "of_list_groups",
)  # fmt: skip
"""The fields of a result that are saved; all others must have a default."""

_PARTS = ("sums", "weights", "users")
_OF_MEANS = ("values", "weights")
_OF_LISTS = ("users", "items", "scores")
_GROUPED = ("item_groups", "list_groups")


def save_result(own: Mapping[str, Any], folder: Path) -> None:
    """Write the fields of a result, by name, into a folder; equal results give equal bytes."""
    refuse_other_files(folder, "result", [VALUES_FILE, SETTINGS_FILE])
    arrays: dict[str, Any] = {"user_ids": own["user_ids"]}
    for number, values in enumerate(own["values"].values()):
        arrays |= {f"{part}{number}": getattr(values, part) for part in _PARTS}
    means: list[tuple[str | int | bool, ...]] = []
    for protocol, values in own["values"].items():
        for metric, mean in values.weighted_means.items():
            kind = _mean_arrays(mean, f"means{len(means)}", arrays)
            means.append((protocol, metric, *kind))
    if own["item_ids"] is not None:
        arrays["item_ids"] = own["item_ids"]
    kept: list[tuple[str, str, list[str]]] = []
    for protocol, by_system in own["top_lists"].items():
        for system, folds in by_system.items():
            for fold, lists in enumerate(folds):
                prefix = f"lists{len(kept)}/{fold}"
                arrays |= {f"{prefix}/{part}": getattr(lists, part) for part in _OF_LISTS}
            kept.append((protocol, system, [str(lists.scores.dtype) for lists in folds]))
    of_groups: list[tuple[str | int | bool, ...]] = []
    groups = {name: _grouped_arrays(own[name], name, arrays, of_groups) for name in _GROUPED}
    arrays |= {f"traits{number}": one for number, one in enumerate(own["traits"].values())}
    write_archive(folder / VALUES_FILE, arrays)
    settings = command_settings(own["settings"], own["reading"])
    if settings is None:
        (folder / SETTINGS_FILE).unlink(missing_ok=True)
    else:
        text = json.dumps(settings, indent=2, ensure_ascii=False)
        write_atomically(folder / SETTINGS_FILE, text + "\n")
    content = {
        "systems": own["systems"],
        "metrics": own["metrics"],
        "protocols": list(own["values"]),
        "settings": own["settings"],
        "notes": [(note.code, str(note)) for note in own["notes"]],
        "words": own["words"],
        "reading": [saved_report(report) for report in own["reading"]],
        "less_is_better": own["less_is_better"],
        "best_values": getattr(own["less_is_better"], "best_values", {}),
        "list_metrics": own["list_metrics"],
        "of_ranks": own["of_ranks"],
        "of_all_users": own["of_all_users"],
        # JSON has no infinite numbers.
        "bounds": {
            name: [one if np.isfinite(one) else None for one in ends]
            for name, ends in own["bounds"].items()
        },
        "traits": list(own["traits"]),
        **groups,
        "of_list_groups": own["of_list_groups"],
        "weighted_means": means,
        "weighted_means_of_groups": of_groups,
        "has_item_ids": own["item_ids"] is not None,
        "lists": kept,
        "tuning": {name: asdict(record) for name, record in own["tuning"].items()},
    }
    write_description(folder, "result", content, [VALUES_FILE])


def _mean_arrays(
    mean: WeightedMeansOfFolds, prefix: str, arrays: dict[str, Any]
) -> tuple[bool, ...]:
    """Add the arrays of a weighted mean, and return what it is."""
    for kind, own in (("", mean), ("base/", mean.base)):
        if own is not None:
            arrays |= {f"{prefix}/{kind}{part}": getattr(own, part) for part in _OF_MEANS}
    return (mean.is_root,) if mean.base is None else (mean.is_root, True)


def _loaded_mean(
    archive: Archive, prefix: str, is_root: bool, has_base: bool = False
) -> WeightedMeansOfFolds:
    of_users, weights, *base = (
        archive.array(f"{prefix}/{kind}{part}", np.float64, (None, None, None))
        for kind in ("", *(["base/"] if has_base else []))
        for part in _OF_MEANS
    )
    base_mean = WeightedMeansOfFolds(base[0], base[1]) if base else None
    return WeightedMeansOfFolds(of_users, weights, is_root, base_mean)


def _grouped_arrays(
    values: ValuesOfItemGroups,
    name: str,
    arrays: dict[str, Any],
    means: list[tuple[str | int | bool, ...]],
) -> list[tuple[str, str, str]]:
    """Add the arrays of values of groups of items, and return whose they are, in their order."""
    groups: list[tuple[str, str, str]] = []
    for feature, by_group in values.items():
        for group, by_protocol in by_group.items():
            for protocol, own in by_protocol.items():
                prefix = f"{name}{len(groups)}"
                arrays |= {f"{prefix}/{part}": getattr(own, part) for part in _PARTS}
                for metric, mean in own.weighted_means.items():
                    kind = _mean_arrays(mean, f"{prefix}/{metric}", arrays)
                    means.append((prefix, metric, *kind))
                groups.append((feature, group, protocol))
    return groups


def _loaded_groups(
    archive: Archive,
    name: str,
    groups: Sequence[tuple[str, str, str]],
    means: Sequence[tuple[Any, ...]],
) -> ValuesOfItemGroups:
    found: dict[str, dict[str, dict[str, ValuesByUser]]] = {}
    for number, (feature, group, protocol) in enumerate(groups):
        prefix = f"{name}{number}"
        of_group = {
            metric: _loaded_mean(archive, f"{prefix}/{metric}", *kind)
            for own, metric, *kind in means
            if own == prefix
        }
        values = replace(_values(archive, f"{prefix}/{{}}"), weighted_means=of_group)
        found.setdefault(feature, {}).setdefault(group, {})[protocol] = values
    return found


def loaded_result_fields(folder: Path) -> dict[str, Any]:
    """Return the fields of a result that :func:`save_result` wrote, by name."""
    return loaded_fields(folder, "result", partial(_result_fields, folder))


def _result_fields(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    with Archive(folder / VALUES_FILE) as archive:
        user_ids = archive.array("user_ids", str, (None,))
        values = {
            protocol: _values(archive, "{}" + str(number))
            for number, protocol in enumerate(content["protocols"])
        }
        for number, (protocol, metric, *kind) in enumerate(content["weighted_means"]):
            mean = _loaded_mean(archive, f"means{number}", *kind)
            own_means = {**values[protocol].weighted_means, metric: mean}
            values[protocol] = replace(values[protocol], weighted_means=own_means)
        of_groups = content.get("weighted_means_of_groups", [])
        groups = {
            name: _loaded_groups(archive, name, content.get(name, []), of_groups)
            for name in _GROUPED
        }
        traits = {
            name: archive.array(f"traits{number}", np.float64, (None,))
            for number, name in enumerate(content["traits"])
        }
        item_ids = archive.array("item_ids", str, (None,)) if content["has_item_ids"] else None
        top_lists: dict[str, dict[str, tuple[TopLists, ...]]] = {}
        for number, (protocol, system, kinds) in enumerate(content["lists"]):
            top_lists.setdefault(protocol, {})[system] = tuple(
                TopLists(
                    archive.array(f"lists{number}/{fold}/users", np.int64, (None,)),
                    archive.array(f"lists{number}/{fold}/items", np.int32, (None, None)),
                    archive.array(f"lists{number}/{fold}/scores", np.dtype(kind), (None, None)),
                )
                for fold, kind in enumerate(kinds)
            )
    return {
        "top_lists": top_lists,
        "item_ids": item_ids,
        **groups,
        "of_list_groups": tuple(content.get("of_list_groups", [])),
        "traits": traits,
        "of_ranks": tuple(content["of_ranks"]),
        "of_all_users": frozenset(content["of_all_users"]),
        "bounds": {
            name: (-np.inf if low is None else low, np.inf if high is None else high)
            for name, (low, high) in content.get("bounds", {}).items()
        },
        "tuning": {name: _record(own) for name, own in content["tuning"].items()},
        "systems": tuple(content["systems"]),
        "metrics": tuple(content["metrics"]),
        "values": values,
        "user_ids": user_ids,
        "settings": content["settings"],
        "notes": tuple(Note(*own) for own in content["notes"]),
        "words": tuple(content["words"]),
        "reading": tuple(loaded_report(own) for own in content["reading"]),
        "less_is_better": Directions(content["less_is_better"], content.get("best_values")),
        "list_metrics": frozenset(content["list_metrics"]),
    }


def _values(archive: Archive, name: str) -> ValuesByUser:
    """Return values whose arrays have names with ``{}`` for their part."""
    return ValuesByUser(
        sums=_by_user(archive.array(name.format("sums"), np.float64, (None, None, None))),
        weights=archive.array(name.format("weights"), np.float64, (None,)),
        users=archive.array(name.format("users"), np.int64, (None,)),
    )


def _record(saved: Mapping[str, Any]) -> TuningRecord:
    """Return the record of a tuning, whose sequences JSON has made lists."""
    fields: dict[str, Any] = {
        name: tuple(own) if isinstance(own, list) else own for name, own in saved.items()
    }
    return TuningRecord(**fields)


def _by_user(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums with the layout in memory of a new result, which decides how they are added."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(sums, -1, 0)), 0, -1)


_OPTIONS_OF_SPLITS = ("part", "test", "validation", "trained_pairs", "unselected_items")
"""Parameters of splits that are options of the command."""

_WORDS = {None: "none", True: "true", False: "false"}


def command_settings(
    settings: Mapping[str, Any], reading: Sequence[ReadingReport]
) -> dict[str, Any] | None:
    """Return the content of a ``settings.json`` for ``receval evaluate --settings``.

    None is returned if the command cannot repeat the call: ratings were not read from a file, the
    split was given in tables that are no files or has parameters that a command line cannot have
    (several shares), features of items were read by options or are in several tables with groups, a
    system is no class of :mod:`receval`, or a protocol or metric has no name of its own.
    """
    if "split" not in settings or not reading:
        return None
    report = reading[0]
    features, groups = (settings.get(name, ()) for name in ("item_features", "item_groups"))
    split = _split_in_words(settings["split"])
    systems = [_system_in_words(name, own) for name, own in settings["systems"].items()]
    sources = [*settings.get("runs", {}).items()]
    told = settings["split"]
    as_given = {name: told[name] for name in _OPTIONS_OF_SPLITS if name in told}
    files = [report.source, *(own for _, runs in sources for own in runs), *features]
    files += [own for name, own in as_given.items() if name in ("test", "validation")]
    if (
        split is None
        or any(own.given for own in reading if own.source in features)
        or (groups and len(features) > 1)
        or None in systems
        or any(len(runs) > 1 for _, runs in sources)
        or not all(Path(own).is_file() for own in files)
        or not _have_names(settings)
    ):
        return None
    given = {name: _as_option(own) for name, own in report.given.items()}
    arguments: dict[str, Any] = {"ratings": report.source, **given, "split": split}
    if selection := settings["split"].get("selection"):
        arguments["selection"] = ",".join(f"{name}={own}" for name, own in selection.items())
    arguments |= as_given
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
    arguments |= {"item_features": list(features)} if features else {}
    arguments |= {"item_groups": [f"{features[0]}:{own}" for own in groups]} if groups else {}
    others = ("rating_scores", "lists", "dialect")
    arguments |= {name: settings[name] for name in others if name in settings}
    return {"receval": receval_version(), "command": "evaluate", "arguments": arguments}


def _split_in_words(parameters: Mapping[str, Any]) -> str | None:
    """Return a kind of split with the parameters that differ from their defaults."""
    if parameters["kind"] == "predefined" and ("part" in parameters or "test" in parameters):
        trains = parameters.get("use_validation") == "train"
        return f"predefined{':use_validation=train' * trains}"
    # Imported here, because pydantic takes long to load and few calls need it.
    from receval.splits.kinds import SplitSpec

    for model in get_args(SplitSpec):
        fields = model.model_fields
        if get_args(fields["kind"].annotation) != (parameters["kind"],):
            continue
        changed = {
            name: parameters[name]
            for name, own in fields.items()
            if name not in ("kind", "selection")
            and name in parameters
            and parameters[name] != own.default
        }
        if parameters["kind"] == "predefined" or not all(
            isinstance(own, int | float | str) and _is_same_in_a_command(own)
            for own in changed.values()
        ):
            return None
        written = ",".join(f"{name}={own}" for name, own in changed.items())
        return f"{parameters['kind']}:{written}" if written else str(parameters["kind"])
    return None


def _is_same_in_a_command(value: float | str) -> bool:
    """Tell whether a command reads a value as it is: the date 20030601 would be a number."""
    if not isinstance(value, str):
        return True
    try:
        float(value)
    except ValueError:
        return "," not in value
    return False


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
    names = list(map(name_in_calls, protocols))
    return names == list(settings["protocols"]) and own == list(metrics)


def _as_option(value: Any) -> Any:
    return ",".join(value) if isinstance(value, tuple | list) else value
