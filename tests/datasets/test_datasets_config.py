# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from datasets.registry_entries import entry, registry

from reproduction.config.reading import load_datasets
from reproduction.datasets.prepare import load_parser

FILE = {"name": "ratings.dat"}
VARIANT = {"name": "dat", "parser": "some.module:parse", "files": [FILE]}

SOURCES = [
    "ml-1m",
    "netflix",
    "librarything",
    "beeradvocate",
    "yahoo-r3",
    "cm100k",
    "lastfm-1k",
    "trec-qrels",
    "dated-twin",
]
MANUAL = {"librarything", "yahoo-r3", "trec-qrels"}
"""Datasets that must be asked for."""


def load(tmp_path: Path, content: object) -> object:
    path = tmp_path / "datasets.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return load_datasets(path)


def test_the_registry_has_all_sources_of_the_papers() -> None:
    assert set(registry()) >= set(SOURCES)


@pytest.mark.parametrize("dataset", registry())
def test_every_parser_of_the_registry_exists(dataset: str) -> None:
    for variant in registry()[dataset].variants:
        assert callable(load_parser(variant.parser))


@pytest.mark.parametrize("dataset", registry())
def test_expected_counts_of_the_registry_add_up(dataset: str) -> None:
    expected = registry()[dataset].expected
    parts = [expected, *expected.files.values(), expected.known, expected.unknown]
    for part in parts:
        if part is not None and part.values:
            assert sum(part.values.values()) == part.ratings
    if expected.files:
        assert sum(part.ratings or 0 for part in expected.files.values()) == expected.rows


def test_only_requested_data_is_manual() -> None:
    manual = {name for name, spec in registry().items() if spec.access == "manual"}
    assert manual == MANUAL


def test_an_entry_in_order_is_accepted(tmp_path: Path) -> None:
    assert load(tmp_path, {"small": entry()})["small"].title == "Small dataset"  # type: ignore[index]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"licens": "free"}, "Dataset small: there is no key licens. Remove it or correct its"),
        ({"title": None}, "Dataset small: the key title is missing."),
        ({"access": "guessed"}, "Dataset small: the key access: input should be 'automatic', "),
        (
            {"variants": [VARIANT | {"files": [FILE | {"sha": "00"}]}]},
            "Dataset small: there is no key variants.0.files.0.sha.",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"sha256": "ABC"}]}]},
            "Dataset small: the key variants.0.files.0.sha256:",
        ),
        (
            {"variants": [VARIANT | {"files": [{"name": "../ratings.dat"}]}]},
            "'../ratings.dat' is not a file name relative to the dataset's folder",
        ),
        (
            {"page": "ftp://example.org/small"},
            "Dataset small: the key page: the address 'ftp://example.org/small' begins with",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"urls": ["http://example.org:web/a"]}]}]},
            "Dataset small: the key variants.0.files.0.urls.0: the address "
            "'http://example.org:web/a' cannot be read",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"urls": ["http://[::1/a"]}]}]},
            "the address 'http://[::1/a' cannot be read",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"urls": ["https:///ratings.dat"]}]}]},
            "the address 'https:///ratings.dat' has no valid host",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"urls": ["http://me:pass@a.org/b"]}]}]},
            "the address 'http://me:pass@a.org/b' has no valid host",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"urls": ["http://a.org/" + "b" * 9_000]}]}]},
            "has 9,013 characters; at most 500 are allowed",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"size_limit": 0}]}]},
            "the key variants.0.files.0.size_limit:",
        ),
        ({"variants": [VARIANT | {"files": []}]}, "the variant dat needs either files or a"),
        ({"variants": [VARIANT | {"pattern": "*"}]}, "the variant dat needs either files or a"),
        ({"variants": [VARIANT | {"parser": "parse"}]}, "the key variants.0.parser:"),
        ({"variants": [VARIANT, VARIANT]}, "the names of the variants dat, dat must differ"),
        (
            {"variants": [VARIANT, VARIANT | {"name": "other"}]},
            "several variants have a file ratings.dat. Give each file a different size",
        ),
        ({"access": "automatic"}, "access is automatic, but no variant has an address"),
        (
            {
                "access": "generated",
                "variants": [VARIANT, VARIANT | {"name": "b", "files": [FILE | {"name": "b"}]}],
            },
            "access is generated, so the dataset must have exactly one variant",
        ),
        ({"scale": {"minimum": 1, "maximum": 5, "step": 0.3}}, "steps of 0.3 from 1"),
        ({"published": {"movies": [3]}}, "the key published.movies"),
        ({"expected": {"users": -1}}, "the key expected.users:"),
    ],
)
def test_a_mistake_is_refused_in_a_sentence_with_dataset_and_key(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=r"datasets\.yaml") as caught:
        load(tmp_path, {"small": entry(**changes)})
    assert sentence in str(caught.value)
    assert "Dataset small: " in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="key title is missing") as caught:
        load(tmp_path, {"small": entry(title=None), "tiny": entry(size=3)})
    assert "Dataset tiny: there is no key size" in str(caught.value)


def test_a_key_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the key small occurs twice"):
        load(tmp_path, yaml.safe_dump({"small": entry()}) * 2)


def test_an_id_that_is_no_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'Small_1' is not a valid id of a dataset"):
        load(tmp_path, {"Small_1": entry()})


@pytest.mark.parametrize("content", ["- a\n- b\n", "", "a: [", "just words"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(ValueError, match=r"datasets\.yaml"):
        load(tmp_path, content)
