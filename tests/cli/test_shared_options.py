# SPDX-License-Identifier: MIT
"""Options that several commands share mean the same in all of them."""

from __future__ import annotations

import argparse
import re

from receval.cli.main import command_parser

OTHERWISE = {
    "--format": {"split"},  # It writes files for a tool; --ratings-format is how it reads them.
    "--grid": {"multiverse"},  # Levels of decisions; in tune, values of parameters.
    "--users": {"recommend"},  # Some users; elsewhere, which of all users are averaged.
    "--validation": {"tune"},  # A kind of split; elsewhere, a table of others' split.
    "--system": {"recommend", "multiverse"},  # One system; several with commas.
    "--out": {"recommend"},  # One file.
    "--test": {"runs", "audit-samples"},  # Judgments as well as ratings.
    "--trained-pairs": {"runs", "audit-samples"},  # Without other parts, and always given.
}
"""The commands in which an option means something else."""

IN_OTHER_WORDS = {
    *("--user", "--item", "--rating", "--timestamp"),  # Of the ratings, or of --test.
    *("--relevant", "--seed", "--force", "--strict"),  # What they apply to.
    *("--system", "--split", "--metric", "--jobs"),  # Which examples they have.
}
"""Options of the same meaning whose help says more in some commands."""

WITH_SELECTION = {"diagnose", "evaluate", "recommend", "split", "tune"}
"""The commands that split or train on ratings; others read lists, or decide on selections."""


def _commands() -> dict[str, dict[str, argparse.Action]]:
    parser = command_parser(False)
    (commands,) = (own for own in parser._actions if isinstance(own, argparse._SubParsersAction))
    return {
        name: {option: own for own in command._actions for option in own.option_strings}
        for name, command in commands.choices.items()
    }


def test_an_option_of_several_commands_means_the_same_in_all() -> None:
    met: dict[str, dict[tuple[object, ...], set[str]]] = {}
    for command, options in _commands().items():
        for option, own in options.items():
            if command in OTHERWISE.get(option, ()):
                continue
            words = re.sub(r" \(default: .*?\)$", "", own.help or "")
            form = (type(own), own.metavar, own.dest, str(own.choices), own.nargs)
            # What a command does without the option is its own: its folder, its metrics.
            told = (*form, "" if option in IN_OTHER_WORDS else words)
            met.setdefault(option, {}).setdefault(told, set()).add(command)
    assert {option: by for option, by in met.items() if len(by) > 1} == {}


def test_every_named_difference_of_an_option_is_there() -> None:
    commands = _commands()
    for option, others in OTHERWISE.items():
        assert len([name for name, own in commands.items() if option in own]) > len(others)
        assert all(option in commands[name] for name in others)


def test_every_command_that_splits_or_trains_selects_ratings() -> None:
    found = {name for name, options in _commands().items() if "--selection" in options}
    assert found == WITH_SELECTION
