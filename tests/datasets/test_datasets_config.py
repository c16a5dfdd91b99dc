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

MANUAL = {"librarything", "yahoo-r3", "trec-qrels"}
"""Datasets that must be asked for."""


def load(tmp_path: Path, content: object) -> object:
    path = tmp_path / "datasets.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return load_datasets(path)


@pytest.mark.each("dataset", registry())
def test_every_parser_of_the_registry_exists(dataset: str) -> None:
    for variant in registry()[dataset].variants:
        assert callable(load_parser(variant.parser))


@pytest.mark.each("dataset", registry())
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


@pytest.mark.each(
    ("changes", "sentence"),
    [
        ({"licens": "free"}, "small.licens: there is no such key. Remove it or correct its"),
        ({"title": None}, "small.title: the key is missing."),
        ({"access": "guessed"}, "small.access: Input should be 'automatic', "),
        (
            {"variants": [VARIANT | {"files": [FILE | {"sha": "00"}]}]},
            "small.variants.0.files.0.sha: there is no such key.",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"sha256": "ABC"}]}]},
            "small.variants.0.files.0.sha256:",
        ),
        (
            {"variants": [VARIANT | {"files": [{"name": "../ratings.dat"}]}]},
            "'../ratings.dat' is not a file name relative to the dataset's folder",
        ),
        (
            {"page": "ftp://example.org/small"},
            "small.page: the address 'ftp://example.org/small' begins with",
        ),
        (
            {"variants": [VARIANT | {"files": [FILE | {"urls": ["http://example.org:web/a"]}]}]},
            "small.variants.0.files.0.urls.0: the address "
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
            "small.variants.0.files.0.size_limit:",
        ),
        ({"variants": [VARIANT | {"files": []}]}, "the variant dat needs either files or a"),
        ({"variants": [VARIANT | {"pattern": "*"}]}, "the variant dat needs either files or a"),
        ({"variants": [VARIANT | {"parser": "parse"}]}, "small.variants.0.parser:"),
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
        ({"published": {"movies": [3]}}, "small.published.movies"),
        ({"expected": {"users": -1}}, "small.expected.users:"),
    ],
)
def test_a_mistake_is_refused_in_a_sentence_with_dataset_and_key(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=r"datasets\.yaml") as caught:
        load(tmp_path, {"small": entry(**changes)})
    assert sentence in str(caught.value)
    assert "\n  small" in str(caught.value)


def test_an_id_that_is_no_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Small_1\.\[key\]: String should match"):
        load(tmp_path, {"Small_1": entry()})


def test_counts_vouch_for_every_file_without_a_checksum() -> None:
    for name, dataset in registry().items():
        files = [file for variant in dataset.variants for file in variant.files]
        if dataset.access == "generated":
            continue  # Whoever writes the files knows the counts.
        if not all(file.verifiable for file in files):
            expected = dataset.expected
            counts = (expected.rows, expected.users)
            items = expected.items or expected.files
            assert None not in counts, name
            assert items, name


def test_every_download_has_a_limit_that_its_documents_allow() -> None:
    limits = {
        file.name: file.most_bytes
        for dataset in registry().values()
        for variant in dataset.variants
        for file in variant.files
        if file.urls
    }
    assert limits["ml-1m.zip"] == 5_917_549
    assert 700_000_000 < limits["nf_prize_dataset.tar.gz"] <= 1_000_000_000
    assert 672_700_000 < limits["lastfm-dataset-1K.tar.gz"] <= 1_000_000_000
    assert max(limits.values()) <= 1 << 31
