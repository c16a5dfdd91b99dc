# SPDX-License-Identifier: MIT
"""The JSON schema that editors read is the one of the models."""

from __future__ import annotations

import json

from config.copied_config import CONFIG

from reproduction.config.settings import json_schema

SCHEMA = CONFIG / "schema.json"


def test_the_schema_file_is_that_of_the_models() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == json_schema(), (
        "config/schema.json is not that of the models: run receval repo schema."
    )


def test_the_schema_refuses_unknown_keys() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    objects = {"Settings": schema, **schema["$defs"]}
    open_ones = [
        name
        for name, definition in objects.items()
        if definition.get("type") == "object"
        and definition.get("additionalProperties") is not False
    ]
    assert open_ones == []
