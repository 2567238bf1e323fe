"""The JSON Schema of an instance. `python -m openswerl.relate.export` writes docs/instance.schema.json anew."""

import json
from pathlib import Path
from typing import Any

import msgspec

from openswerl.records import Instance

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "instance.schema.json"


def instance_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of an instance: all keys are there, and no others."""
    schema = msgspec.json.schema(Instance)
    for part in schema["$defs"].values():
        part |= {"required": sorted(part["properties"]), "additionalProperties": False}
        for hint in part["properties"].values():
            hint.pop("default", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "SWE-RL instance"} | schema


def schema_text() -> str:
    """Return the schema as it is published in docs/instance.schema.json."""
    return json.dumps(instance_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
