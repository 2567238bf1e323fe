"""Benchmarks of training: the GRPO step, then the reward. python bench/train.py; last line JSON."""

import json

from parts import run_parts

if __name__ == "__main__":
    print(json.dumps(run_parts(["train_grpo", "train_reward"])))
