"""The nearest layout of both training stages that fits, by the changes that there are."""

from collections.abc import Sequence
from dataclasses import replace

from openswerl.plan.changes import Change, own_changes, shared_changes
from openswerl.plan.faults import faults_of
from openswerl.plan.layout import Layout
from openswerl.plan.shapes import Shape


def nearest(layouts: Sequence[Layout], shape: Shape, taken: float) -> tuple[str, ...] | None:
    """Return the overrides of least distance under which all layouts fit; None if there are none."""
    best: Change | None = None
    for shared in shared_changes(layouts[0], shape):
        if best is not None and shared.distance >= best.distance:
            break
        found = [_own(_applied(shared, layout), shape, taken) for layout in layouts]
        if None not in found:
            whole = sum((own for own in found if own is not None), shared)
            best = whole if best is None or whole.distance < best.distance else best
    return None if best is None else tuple(dict.fromkeys(best.overrides))


def _applied(shared: Change, layout: Layout) -> Layout:
    changed = shared.of(layout)
    return replace(changed, response=changed.max_response) if layout.stage == "grpo" else changed


def _own(layout: Layout, shape: Shape, taken: float) -> Change | None:
    return next((way for way in own_changes(layout, shape) if not faults_of(way.of(layout), shape, taken)), None)
