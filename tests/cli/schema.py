"""Reports are checked against their published schema, if `jsonschema` is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[2] / "docs" / "report.schema.json"


def check(report: dict[str, Any]) -> None:
    """Skips the test if there is nothing to check with: call it last."""
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(_strict(json.loads(FILE.read_text()))).validate(report)


def _strict(schema: Any) -> Any:
    """Nothing may be in a report that is not in the schema."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _strict(one) for key, one in schema.items()}
    if "properties" in found and "$ref" not in found:
        found.setdefault("additionalProperties", False)
    return found
