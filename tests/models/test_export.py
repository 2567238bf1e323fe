"""What is exported loads with plain transformers, on a machine without this project."""

import os
import subprocess
import sys

import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM

from models.families import FAMILIES, model_of
from models.training import RATES, start, train
from models.words import tokenizer
from openswerl.models.export import export_policy

IDS = torch.tensor([[5, 9, 7, 3]])
CODE = """
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
folder = sys.argv[1]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder)
GenerationConfig.from_pretrained(folder)
out = model.generate(**tokenizer("w5 w9 w7", return_tensors="pt"), max_new_tokens=3, do_sample=False)
assert not any(name.startswith("openswerl") for name in sys.modules)
print(out[0].tolist())
"""


@pytest.mark.slow
def test_plain_transformers_reads_it(tmp_path):
    engine = start(zero_stage=3)
    train(engine, RATES[:2])
    engine.export(tmp_path / "policy", tokenizer(), "# card\n")
    names = {path.name for path in (tmp_path / "policy").iterdir()}
    assert names >= {"model.safetensors", "config.json", "generation_config.json", "tokenizer.json", "README.md"}
    assert (tmp_path / "policy" / "README.md").read_text() == "# card\n"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    command = [sys.executable, "-W", "ignore", "-c", CODE, str(tmp_path / "policy")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with engine.gathered() as module, torch.no_grad():
        row = [5, 9, 7]
        for _ in range(3):
            row.append(int(module(torch.tensor([row])).logits[0, -1].argmax()))
    assert done.stdout.strip() == str(row)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_weight_comes_back(family, tmp_path):
    model = model_of(family)
    export_policy(model, tmp_path / "policy", tokenizer(), "")
    again = AutoModelForCausalLM.from_pretrained(tmp_path / "policy")
    assert {n: p.shape for n, p in again.named_parameters()} == {n: p.shape for n, p in model.named_parameters()}
    assert all(torch.equal(p, dict(again.named_parameters())[n]) for n, p in model.named_parameters())


def test_tied_weights_are_written_once(tmp_path):
    export_policy(model_of("qwen2"), tmp_path / "policy", tokenizer(), "")
    with safe_open(tmp_path / "policy" / "model.safetensors", "pt") as file:
        assert "model.embed_tokens.weight" in file.keys() and "lm_head.weight" not in file.keys()  # noqa: SIM118


def test_the_folder_is_replaced_as_a_whole(tmp_path):
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "old").touch()
    export_policy(model_of("llama"), tmp_path / "policy", tokenizer(), "")
    export_policy(model_of("llama"), tmp_path / "again", tokenizer(), "")
    assert not (tmp_path / "policy" / "old").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "policy"]
    one, other = (tmp_path / name / "model.safetensors" for name in ("policy", "again"))
    assert one.read_bytes() == other.read_bytes()
