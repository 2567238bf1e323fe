"""The figures as files: each as SVG and as PNG."""

from collections.abc import Mapping
from pathlib import Path

from openswerl.files import replacing, write_text
from openswerl.report.figures.svg import Drawing


def write(folder: Path, drawings: Mapping[str, Drawing]) -> list[str]:
    """Write every figure into `folder` and return the names; what an earlier report left there goes."""
    for name, one in drawings.items():
        write_text(folder / f"{name}.svg", one.svg)
        with replacing(folder / f"{name}.png") as temporary:
            temporary.write_bytes(one.png)
    written = {f"{name}{end}" for name in drawings for end in (".svg", ".png")}
    for path in folder.iterdir():
        if path.suffix in (".svg", ".png") and path.name not in written:
            path.unlink()
    return sorted(written)
