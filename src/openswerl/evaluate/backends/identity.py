"""What an execution depends on besides tree, patch and action, as a text for the keys of kept ones."""

import json
from dataclasses import asdict
from importlib.metadata import version

from openswerl.evaluate.harness.specs import Spec
from openswerl.evaluate.sandbox.watch import Limits


def identity(kind: str, number: int, place: str, limits: Limits, spec: Spec | None) -> str:
    """Return the identity of a backend's kind and version `number`, its image or environment `place`, and the limits.

    Scripts of rows are completed by swebench, and suites are run as the recipe says, so both are part of it.
    """
    recipe = None if spec is None else asdict(spec)
    return json.dumps([number, kind, place, asdict(limits), version("swebench"), recipe], sort_keys=True)
