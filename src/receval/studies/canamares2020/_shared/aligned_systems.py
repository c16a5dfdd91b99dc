"""Numbers of an artifact's parameters, one for each of some systems."""

from __future__ import annotations

from collections.abc import Sequence

from receval.studies._shared.inputs import ArtifactInputs


def numbers_of_systems(
    inputs: ArtifactInputs, parameter: str, systems: Sequence[str]
) -> dict[str, int]:
    """Return the number that a parameter gives each system, such as its number of neighbours.

    Parameters
    ----------
    inputs : ArtifactInputs
    parameter : str
        A list of increasing numbers. The name of a system that ends in a number must end in its
        own.
    systems : sequence of str
        In the order of the numbers.

    Raises
    ------
    ValueError
        There is not one number for each system, they do not increase, or a system's name says
        another number.
    """
    results = [int(number) for number in inputs.parameters[parameter]]
    if len(results) != len(systems):
        raise ValueError(
            f"The parameter {parameter} has {len(results)} numbers for the systems "
            f"{', '.join(systems)}: give one for each of these {len(systems)}."
        )
    if sorted(set(results)) != results:
        raise ValueError(
            f"The parameter {parameter} is {', '.join(map(str, results))}, which does not "
            "increase: list numbers and systems from the smallest to the largest."
        )
    aligned = dict(zip(systems, results, strict=True))
    for system, number in aligned.items():
        ending = system.rpartition("-")[2]
        if ending.isdigit() and int(ending) != number:
            raise ValueError(
                f"The parameter {parameter} gives the system {system} the number {number}, but "
                f"its name says {ending}: list both in the same order."
            )
    return aligned
