# SPDX-License-Identifier: MIT
"""A configuration with a fault is refused in short sentences, whatever the fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from config.copied_config import CopiedConfig
from config.damaged_config import check_damaged_configurations

from reproduction.config.reading import read_yaml
from reproduction.config.settings import load_settings


@pytest.mark.costly
def test_damaged_configurations_are_refused_in_sentences(config: CopiedConfig) -> None:
    assert check_damaged_configurations(config, times=40, seed=19) > 10


MANY = b"".join(b"k%d: 3\n" % number for number in range(999))
BRACKETS = b"a: " + b"[" * 300_000 + b"]" * 300_000


@pytest.mark.costly
@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("systems.yaml", b"\xff\xfe\x00", r"systems\.yaml is not UTF-8 text: byte 0 is 0xff"),
        ("studies/bellogin2017.yaml", b"null", r"bellogin2017\.yaml must contain keys with values"),
        ("demo.yaml", b"studies: [a]", "studies: Input should be a valid dictionary"),
        ("demo.yaml", b"studies: null", "studies: Input should be a valid dictionary"),
        ("demo.yaml", b"studies: {bellogin2017: null}", "bellogin2017: Input should be a valid"),
        ("systems.yaml", b"? [a, b]\n: 3\n", "line 1, column 3: a key is a list or a mapping"),
        ("systems.yaml", b"3: 4", "systems.3"),
        # Closing brackets that close nothing.
        ("systems.yaml", b"a: " + b"[']', " * 100_000, "nested more than 50 levels deep"),
        ("systems.yaml", b"a: " + b"[ # ]\n " * 100_000, "nested more than 50 levels deep"),
        ("systems.yaml", b"a: " + b"['], " * 3_000 + b"]" * 3_000, r"systems\.yaml"),
        ("systems.yaml", b"a: !!int x", "is not valid YAML: invalid literal for int"),
        ("systems.yaml", b"a: !!python/object:os.system x", "could not determine a constructor"),
        ("systems.yaml", BRACKETS, r"systems\.yaml is not valid YAML: it is nested more than 50"),
        ("systems.yaml", b"- " * 3000, r"systems\.yaml is not valid YAML: it is nested more than"),
        ("systems.yaml", b"a: &a [*a]", "an alias refers to a value that contains the alias"),
        ("systems.yaml", MANY, r"and [\d,]{3,5} more problems"),
        ("config.yaml", b"edition: " + b"x" * 20_000, "There is no edition 'xxxxx"),
        ("config.yaml", b"seed: " + b"9" * 5000, r"config\.yaml is not valid YAML: .*digits"),
    ],
)
def test_a_faulty_file_is_named_with_the_reason(
    config: CopiedConfig, file: str, content: bytes, reason: str
) -> None:
    (config.folder / file).write_bytes(content)
    with pytest.raises(ValueError, match=reason) as raised:
        load_settings(config.folder, None if file == "config.yaml" else "demo")
    assert type(raised.value) is ValueError
    assert len(str(raised.value)) <= 500


def test_aliases_that_multiply_are_refused_at_once(config: CopiedConfig) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 30):
        parts = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"a{level}: &a{level} [{parts}]")
    (config.folder / "systems.yaml").write_text("\n".join(lines))
    with pytest.raises(ValueError, match="its aliases stand for more than 100,000 values"):
        load_settings(config.folder, "demo")


def test_merged_mappings_that_multiply_are_refused_at_once(config: CopiedConfig) -> None:
    lines = ["a0: &a0 {x: 1}"]
    for level in range(1, 9):
        parts = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} {{<<: [{parts}]}}")
    (config.folder / "systems.yaml").write_text("\n".join(lines))
    with pytest.raises(ValueError, match="<< stands for more than 100,000 values"):
        load_settings(config.folder, "demo")


def test_a_device_is_no_configuration() -> None:
    with pytest.raises(ValueError, match="/dev/zero is a device or a pipe"):
        read_yaml(Path("/dev/zero"))


def test_aliases_that_nest_are_refused(config: CopiedConfig) -> None:
    lines = ["- &x0 []"]
    lines += [f"- &x{level} {'[' * 45}*x{level - 1}{']' * 45}" for level in range(1, 40)]
    text = "\n".join(f"  {line}" for line in lines)
    (config.folder / "config.yaml").write_text(f"seed:\n{text}\nedition: *x39\n")
    with pytest.raises(ValueError, match="with its aliases, it is nested more than 50 levels deep"):
        load_settings(config.folder)


def test_a_file_that_cannot_be_read_is_named(config: CopiedConfig) -> None:
    path = config.folder / "systems.yaml"
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match=r"systems\.yaml: it is a folder"):
        load_settings(config.folder, "demo")


def test_brackets_and_indents_in_text_nest_nothing(config: CopiedConfig) -> None:
    path = config.folder / "systems.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"# {'[' * 60}\n#{' ' * 200}x\n{text}", encoding="utf-8")
    assert load_settings(config.folder, "demo").systems
