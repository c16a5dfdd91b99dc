# SPDX-License-Identifier: MIT
"""Tests run on changed copies of a small repository."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from mutants.mutations import Mutation, mutations_of
from mutants.reached import measured_reaches, stages_of
from mutants.trials import change_file, linked_copy, run_tests, update_copy

pytestmark = [pytest.mark.processes, pytest.mark.repository]

FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\n",
    "src/receval/__init__.py": "",
    "src/receval/metrics/__init__.py": "",
    "src/receval/metrics/limits.py": """
        def doubled(number: int) -> int:
            return 2 * number


        def tripled(number: int) -> int:
            return 3 * number
        """,
    "src/receval/metrics/counts.py": """
        import numpy as np
        from numba import njit


        @njit(cache=True)
        def below(numbers: np.ndarray) -> int:
            found = 0
            index = 0
            while index < len(numbers):
                found += numbers[index] < 3
                index += 1
            return found
        """,
    "tests/conftest.py": """
        from hypothesis import settings

        settings.register_profile("mutants")
        """,
    "tests/metrics/test_counts.py": """
        import numpy as np

        from receval.metrics.counts import below


        def test_below():
            assert below(np.arange(10)) == 3
        """,
    "tests/theory/test_limits.py": """
        from threading import Thread

        from receval.metrics.limits import doubled, tripled


        def test_doubled():
            assert doubled(2) == 4


        def test_positive():
            assert doubled(2) > 0


        def test_no_error_of_a_thread():
            thread = Thread(target=tripled, args=(2,))
            thread.start()
            thread.join()
        """,
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the small repository, with a kernel that was compiled there."""
    repository = tmp_path_factory.mktemp("small") / "repository"
    for name, text in FILES.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    copy = tmp_path_factory.mktemp("copies") / "copy"
    update_copy(repository, copy)
    assert run_tests(copy, ["metrics/test_counts.py"], seconds=60).outcome == "passed"
    return copy


def mutation(copy: Path, file: str, after: str) -> Mutation:
    """Return the mutation that makes a line of a file."""
    source = (copy / "src" / "receval" / file).read_bytes()
    [found] = [one for one in mutations_of(source, file) if one.after == after]
    return found


def outcome_of(copy: Path, file: str, after: str, test: str) -> tuple[str, str]:
    """Return how a test file ends, and by which test, if a file is changed."""
    changed = mutation(copy, file, after)
    with linked_copy(copy) as tree:
        original = (tree / "src" / "receval" / file).read_bytes()
        change_file(tree, file, changed.made_in(original))
        trial = run_tests(tree, [test], seconds=5)
    return trial.outcome, trial.by


def test_a_mistake_is_found_by_the_first_test_that_fails(copy: Path) -> None:
    found = outcome_of(copy, "metrics/limits.py", "return -(2 * number)", "theory/test_limits.py")
    assert found == ("failed", "tests/theory/test_limits.py::test_doubled")


def test_to_the_end_all_tests_tell_whether_they_notice_a_mistake(copy: Path) -> None:
    changed = mutation(copy, "metrics/limits.py", "return 3 * number")
    with linked_copy(copy) as tree:
        original = (tree / "src/receval/metrics/limits.py").read_bytes()
        change_file(tree, "metrics/limits.py", changed.made_in(original))
        trial = run_tests(tree, ["theory/test_limits.py"], seconds=5, to_the_end=True)
    assert trial.failed == ["tests/theory/test_limits.py::test_doubled"]
    assert "tests/theory/test_limits.py::test_positive" in trial.passed


def test_a_changed_kernel_is_compiled_again_and_that_of_others_stays(copy: Path) -> None:
    test = "metrics/test_counts.py"
    assert outcome_of(copy, "metrics/counts.py", "found -= numbers[index] < 3", test)[0] == "failed"
    assert run_tests(copy, [test], seconds=60).outcome == "passed"


def test_compiled_code_that_never_ends_is_ended(copy: Path) -> None:
    found = outcome_of(copy, "metrics/counts.py", "index += 0", "metrics/test_counts.py")
    assert found == ("timed out", "tests/metrics/test_counts.py::test_below")


def test_only_tests_that_reach_a_mistake_run_those_of_its_package_first(
    copy: Path, tmp_path: Path
) -> None:
    def stages(file: str, after: str) -> list[list[str]]:
        found = stages_of(reaches, mutation(copy, file, after))
        return [[reach.file for reach in stage] for stage in found]

    told: list[str] = []
    reaches = measured_reaches(copy, tmp_path / "reached.json", 1, told.append)
    assert len(told) == 2
    assert stages("metrics/counts.py", "index += 0") == [["metrics/test_counts.py"]]
    assert stages("metrics/limits.py", "return 3 * number") == [["theory/test_limits.py"]]
    again = measured_reaches(copy, tmp_path / "reached.json", 1, told.append)
    assert again == reaches
    assert len(told) == 2


def test_a_copy_follows_its_repository_and_keeps_what_was_compiled(tmp_path: Path) -> None:
    repository, copy = tmp_path / "repository", tmp_path / "copy"
    (repository / "work").mkdir(parents=True)
    for name in ("a.py", "b.py", "work/c.py"):
        (repository / name).write_text("1", encoding="utf-8")
    update_copy(repository, copy)
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "a.nbi").touch()
    (repository / "a.py").write_text("2", encoding="utf-8")
    (repository / "b.py").unlink()
    update_copy(repository, copy)
    assert (copy / "a.py").read_text(encoding="utf-8") == "2"
    names = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert names == {"a.py", "__pycache__/a.nbi"}


def test_what_tests_call_in_threads_is_reached(copy: Path) -> None:
    trial = run_tests(copy, ["theory/test_limits.py"], seconds=60, watched=True)
    assert trial.entered["metrics/limits.py"] == ["<module>", "doubled", "tripled"]
