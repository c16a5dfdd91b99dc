"""What a rule hands to its script, the script takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# What a rerun hangs on alone, and what the captions of the report read.
NOT_READ = {"code", "versions", "title", "caption"}
WORKFLOW = Path(__file__).resolve().parents[2] / "workflow"
RULES = {
    match[1]: match[2]
    for path in sorted((WORKFLOW / "rules").glob("*.smk"))
    for match in re.finditer(
        r"^rule (\w+):\n(.*?)(?=^rule |\Z)", path.read_text(encoding="utf-8"), re.M | re.S
    )
}


@pytest.mark.parametrize("rule", RULES)
def test_a_script_reads_the_parameters_of_its_rule(rule: str) -> None:
    _, _, params = RULES[rule].partition("    params:\n")
    names = set(re.findall(r"^ {8}(\w+)=", params.partition("    script:")[0], re.M))
    script = (WORKFLOW / "scripts" / f"{rule}.py").read_text(encoding="utf-8")
    read = set(re.findall(r"snakemake\.params\.(\w+)", script))
    assert read <= names
    assert names - read <= NOT_READ


def test_every_script_belongs_to_a_rule() -> None:
    assert {path.stem for path in (WORKFLOW / "scripts").glob("*.py")} == set(RULES)
