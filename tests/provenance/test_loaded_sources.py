# SPDX-License-Identifier: MIT
"""What a process has loaded is known as it was then, and compared with what was planned."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest
from workflow.edits import with_changed_function, with_changed_words

from reproduction.workflow.provenance import code_digest
from reproduction.workflow.provenance.code_digest import (
    CodeBehind,
    CodeSnapshot,
    EditedCodeError,
    LoadedSources,
    as_planned,
    hash_of_source,
)

MODULE = "receval.metrics.registry"
ENTRY = f"{MODULE}:metric_of"


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> LoadedSources:
    """What this process has loaded, for the test to change."""
    mine = LoadedSources()
    monkeypatch.setattr(code_digest, "LOADED", mine)
    monkeypatch.setattr(sys, "meta_path", [mine, *sys.meta_path])
    return mine


def planned(snapshot: CodeSnapshot, entry: str = ENTRY) -> CodeBehind:
    digest = snapshot.digest(entry)
    hashes = {name: hash_of_source(content) for name, content in snapshot.contents.items()}
    return CodeBehind((entry,), digest, hashes)


def test_a_module_is_known_as_it_was_loaded_also_from_compiled_code(
    loaded: LoadedSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "a_plugin_of_two").mkdir()
    source = tmp_path / "a_plugin_of_two" / "part.py"
    source.write_text("VALUE = 1\n")
    (tmp_path / "a_plugin_of_two" / "__init__.py").touch()
    loaded.keep(("a_plugin_of_two",))
    try:
        for _ in range(2):
            assert import_module("a_plugin_of_two.part").VALUE == 1
            assert loaded.contents["a_plugin_of_two.part"] == b"VALUE = 1\n"
            loaded.contents.clear()
            del sys.modules["a_plugin_of_two.part"]
        assert import_module("a_plugin_of_two.part").VALUE == 1
        source.write_text("VALUE = 2\n")
        assert loaded.contents["a_plugin_of_two.part"] == b"VALUE = 1\n"
    finally:
        for name in [name for name in sys.modules if name.startswith("a_plugin_of_two")]:
            del sys.modules[name]


def test_what_was_loaded_before_is_known_as_it_is_then(loaded: LoadedSources) -> None:
    import_module(MODULE)
    loaded.keep()
    assert loaded.contents[MODULE] == Path(str(sys.modules[MODULE].__file__)).read_bytes()


def test_a_job_whose_code_was_edited_before_it_was_loaded_is_refused(loaded: LoadedSources) -> None:
    snapshot = CodeSnapshot()
    code = planned(snapshot)
    loaded.keep()
    with as_planned(code):
        pass
    content = snapshot.contents[MODULE].decode()
    loaded.note(MODULE, with_changed_function(content, "metric_of").encode())
    with (
        pytest.raises(EditedCodeError, match=rf"^{MODULE} was edited during the run"),
        as_planned(code),
    ):
        raise AssertionError("It has begun.")


def test_code_that_is_edited_while_the_job_is_at_work_makes_no_result(
    loaded: LoadedSources,
) -> None:
    snapshot = CodeSnapshot()
    code = planned(snapshot)
    content = snapshot.contents[MODULE].decode()
    with pytest.raises(EditedCodeError), as_planned(code):
        loaded.note(MODULE, with_changed_function(content, "metric_of").encode())


@pytest.mark.costly
def test_edited_comments_and_edited_code_of_others_are_no_reason_to_refuse(
    loaded: LoadedSources,
) -> None:
    snapshot = CodeSnapshot()
    code = planned(snapshot)
    content = with_changed_words(snapshot.contents[MODULE].decode())
    loaded.keep()
    loaded.note(MODULE, with_changed_function(content, "parse").encode())
    with as_planned(code):
        pass
