# SPDX-License-Identifier: MIT
"""Every x86-64 processor with AVX2 computes the same bytes, and what a person asks for wins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from receval import arithmetic
from receval.arithmetic import (
    SETTINGS,
    THREADS,
    numpy_features_beyond_avx2,
    one_arithmetic,
    other_settings,
    settings_in_effect,
)
from reproduction.workflow.provenance.versions import described_processor, used_arithmetic, versions

PROGRAM = Path(__file__).with_name("computed_bytes.py")

MADE_WITH = {"numba": "0.68.1", "numpy": "2.4.6", "scipy": "1.17.1"}
BYTES = {
    "blas": "72d42d9f7e962eb3",
    "eals": "164c7c5ca1b24abd",
    "numba": "10bafc4546b88ea2",
    "numba's target": "for haswell with +avx2,+fma",
    "numpy": "313381f90f4890fa",
}
"""What ``computed_bytes.py pinned`` prints wherever these versions are installed."""

needs_avx2 = pytest.mark.skipif(
    not one_arithmetic(), reason="this processor is none of x86-64 with AVX2"
)
needs_openblas = pytest.mark.skipif(
    not used_arithmetic()["blas"][0].startswith("OpenBLAS"),
    reason="numpy and scipy have another library of linear algebra than OpenBLAS here",
)


def has_avx512() -> bool:
    """Tell whether Linux says that the processor has AVX-512."""
    processor = Path("/proc/cpuinfo")
    return processor.is_file() and " avx512bw " in processor.read_text(encoding="utf-8")


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment without the one arithmetic, but with some settings."""
    bare = {name: value for name, value in os.environ.items() if name not in {*SETTINGS, *THREADS}}
    return {**bare, **settings}


@cache
def computed(*arguments: str, **settings: str) -> Mapping[str, Any]:
    """Return what a process with some settings prints."""
    done = subprocess.run(
        [sys.executable, PROGRAM, *arguments],
        env=environment(**settings),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return MappingProxyType(printed)


@pytest.mark.processes
@pytest.mark.costly
@needs_avx2
@needs_openblas
def test_the_bytes_of_the_one_arithmetic_are_those_kept_here() -> None:
    if {name: versions()[name] for name in MADE_WITH} != MADE_WITH:
        pytest.skip("the bytes are kept of the versions in requirements.lock")
    assert {name: computed("pinned")[name] for name in BYTES} == BYTES


@pytest.mark.processes
@pytest.mark.costly
@needs_avx2
@needs_openblas
def test_kernels_asked_for_by_name_change_what_blas_computes_and_nothing_else() -> None:
    pinned, asked = computed("pinned"), computed("pinned", OPENBLAS_CORETYPE="Sandybridge")
    different = {name for name in BYTES if asked[name] != pinned[name]}
    assert different == {"blas", "eals"}


@pytest.mark.processes
@pytest.mark.costly
@needs_avx2
def test_numba_compiles_for_this_processor_unless_it_is_told() -> None:
    assert computed()["numba's target"] != computed("pinned")["numba's target"]


@pytest.mark.processes
@needs_openblas
@pytest.mark.skipif(not has_avx512(), reason="this processor has no AVX-512 to choose for itself")
def test_a_processor_with_avx512_computes_other_bytes_unless_it_is_told() -> None:
    own, pinned = computed(), computed("pinned")
    assert own["blas"] != pinned["blas"]
    assert own["numpy"] != pinned["numpy"]


def test_what_the_user_or_the_host_has_set_stays_and_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    arithmetic.use_one_arithmetic(computes=False)
    assert os.environ["OPENBLAS_CORETYPE"] == "Nehalem"
    assert other_settings()["OPENBLAS_CORETYPE"] == "Nehalem"
    assert os.environ.get("NUMBA_CPU_NAME") == one_arithmetic().get("NUMBA_CPU_NAME")
    assert "NUMBA_CPU_NAME" not in other_settings()


def test_nothing_is_set_for_a_processor_that_has_no_avx2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arithmetic, "_has_avx2", lambda: False)
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    assert settings_in_effect() == {}
    arithmetic.use_one_arithmetic(computes=False)
    assert not set(SETTINGS) & set(os.environ)


@pytest.mark.processes
def test_a_library_that_was_loaded_before_is_an_error() -> None:
    program = "import numpy; from receval.arithmetic import use_one_arithmetic as use; use()"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "numpy was loaded before" in done.stderr


@pytest.mark.processes
def test_a_library_may_be_loaded_before_where_all_is_set_or_nothing_is_computed() -> None:
    set_already = {**one_arithmetic(), **dict.fromkeys(THREADS, "1")}
    use = "import numpy; from receval.arithmetic import use_one_arithmetic as use; use({})"
    for arguments, settings in (("", set_already), ("computes=False", {})):
        program = use.format(arguments)
        subprocess.run([sys.executable, "-c", program], env=environment(**settings), check=True)


@needs_avx2
def test_the_names_for_numpy_are_those_of_its_own_list_beyond_avx2() -> None:
    import numpy as np

    package = "numpy.core" if np.__version__.startswith("1.") else "numpy._core"
    dispatched = import_module(f"{package}._multiarray_umath").__cpu_dispatch__
    beyond = dispatched[dispatched.index("X86_V3" if "X86_V3" in dispatched else "AVX2") + 1 :]
    assert list(numpy_features_beyond_avx2()) == beyond


@pytest.mark.processes
def test_the_library_changes_nothing_in_the_process_that_imports_it() -> None:
    assert computed()["changed"] == []


@pytest.mark.processes
@pytest.mark.costly
@needs_avx2
@needs_openblas
def test_the_command_computes_with_the_one_arithmetic_and_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "receval", "repo", "versions"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    said = done.stdout.splitlines()
    kernels = [line.split()[-2] for line in said if line.startswith("linear algebra")]
    assert kernels
    assert set(kernels) == {"Haswell"}
    assert any(line.startswith("code by numba") and "haswell" in line for line in said)


@pytest.mark.processes
@needs_avx2
@needs_openblas
def test_kernels_that_a_user_asked_for_are_named_by_the_command() -> None:
    said = computed("pinned", OPENBLAS_CORETYPE="Sandybridge")["versions"]
    assert "OPENBLAS_CORETYPE=Sandybridge" in said
    assert "with Sandybridge kernels" in said


@pytest.mark.processes
@pytest.mark.costly
def test_another_process_describes_this_machine_as_this_one_would() -> None:
    described = described_processor()
    assert described["arithmetic"] == used_arithmetic()
    assert described["processor"]
