# SPDX-License-Identifier: MIT
"""What two folders of artifacts were not both made with is said, one sentence for each thing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reproduction.drift.comparison import other_arithmetic

ARITHMETIC = {
    "blas": ["OpenBLAS 0.3.30 with Haswell kernels"],
    "numba": "for haswell with +avx2,+fma",
    "numpy": "X86_V2 X86_V3",
    "libc": "glibc 2.36",
    "given": {},
}
VERSIONS = {"numpy": "2.4.6", "matplotlib": "3.11.2", "snakemake": "9.27.1"}


def differences(accepted: Path, fresh: Path) -> tuple[str, ...]:
    """Return what is said of one of the two studies."""
    return other_arithmetic(accepted, fresh, "one")


def folder(path: Path, versions: dict[str, str] | None = None, **arithmetic: Any) -> Path:
    """Write the records of two studies made with some arithmetic."""
    for study in ("one", "two"):
        (path / study).mkdir(parents=True)
        record = {"arithmetic": {**ARITHMETIC, **arithmetic}, "versions": versions or VERSIONS}
        (path / study / "provenance.json").write_text(json.dumps(record))
    return path


def test_nothing_is_said_where_both_were_made_with_the_same(tmp_path: Path) -> None:
    assert differences(folder(tmp_path / "a"), folder(tmp_path / "b")) == ()


@pytest.mark.each(
    ("other", "sentence"),
    [
        (
            {"blas": ["OpenBLAS 0.3.30 with NeoverseN1 kernels"]},
            "Linear algebra: OpenBLAS 0.3.30 with Haswell kernels for the accepted results, "
            "OpenBLAS 0.3.30 with NeoverseN1 kernels here.",
        ),
        (
            {"libc": "glibc 2.39"},
            "C library: glibc 2.36 for the accepted results, glibc 2.39 here.",
        ),
        (
            {"given": {"OPENBLAS_CORETYPE": "", "NUMBA_CPU_NAME": "znver3"}},
            "Set by the user or the host: nothing for the accepted results, "
            "OPENBLAS_CORETYPE=(empty) and NUMBA_CPU_NAME=znver3 here.",
        ),
        (
            {"versions": {**VERSIONS, "numpy": "2.5.0"}},
            "Version of numpy: 2.4.6 for the accepted results, 2.5.0 here.",
        ),
    ],
    ids=["kernels", "C library", "given", "version"],
)
def test_what_differs_is_named_with_both_values(
    tmp_path: Path, other: dict[str, Any], sentence: str
) -> None:
    assert differences(folder(tmp_path / "a"), folder(tmp_path / "b", **other)) == (sentence,)


def test_libraries_that_compute_no_number_may_differ(tmp_path: Path) -> None:
    newer = {**VERSIONS, "matplotlib": "4.0", "snakemake": "10.0"}
    assert differences(folder(tmp_path / "a"), folder(tmp_path / "b", newer)) == ()


@pytest.mark.parametrize("missing", ["record", "arithmetic"])
def test_results_that_name_no_arithmetic_may_have_been_made_with_any(
    tmp_path: Path, missing: str
) -> None:
    accepted, fresh = folder(tmp_path / "a"), folder(tmp_path / "b")
    for path in accepted.glob("*/provenance.json"):
        if missing == "record":
            path.unlink()
        else:
            path.write_text(json.dumps({"versions": VERSIONS}))
    assert differences(accepted, fresh) == (
        "one: there is no record of the arithmetic that made the accepted results.",
    )


def test_the_record_of_the_run_speaks_for_a_study_of_which_a_part_was_made(
    tmp_path: Path,
) -> None:
    accepted, fresh = folder(tmp_path / "a"), folder(tmp_path / "b" / "artifacts")
    record = (fresh / "one" / "provenance.json").rename(tmp_path / "b" / "run.json")
    assert differences(accepted, fresh) == ()
    record.unlink()
    assert differences(accepted, fresh) == (
        "one: there is no record of the arithmetic that made the fresh results.",
    )


def test_studies_are_told_apart(tmp_path: Path) -> None:
    accepted, fresh = folder(tmp_path / "a"), folder(tmp_path / "b")
    record = {"arithmetic": {**ARITHMETIC, "libc": "musl 1.2"}, "versions": VERSIONS}
    (fresh / "two" / "provenance.json").write_text(json.dumps(record))
    assert other_arithmetic(accepted, fresh, "one") == ()
    assert other_arithmetic(accepted, fresh, "two") == (
        "C library: glibc 2.36 for the accepted results, musl 1.2 here.",
    )


@pytest.mark.each(
    "text",
    ["", "[3]", "3", '{"arithmetic": 3}', '{"arithmetic": {"blas": 3}, "versions": {}}'],
)
def test_what_is_no_record_is_named(tmp_path: Path, text: str) -> None:
    accepted, fresh = folder(tmp_path / "a"), folder(tmp_path / "b")
    (fresh / "one" / "provenance.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"one.provenance\.json is not a record of what the results"
    ):
        differences(accepted, fresh)
