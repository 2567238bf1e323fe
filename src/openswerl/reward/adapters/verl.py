"""The rewards as verl calls them: reward.custom_reward_function.path=pkg://openswerl.reward.adapters.verl."""

import json
from typing import Any

from openswerl.errors import UserError
from openswerl.records import Instance
from openswerl.reward.adapters.scoring import files_of, score_files


def row_of(instance: Instance, prompt: list[dict[str, str]]) -> dict[str, Any]:
    """Return a row of verl's Parquet files; `reward_model.ground_truth` is what `compute_score` reads."""
    return {
        "data_source": "openswerl",
        "prompt": prompt,
        "reward_model": {"style": "rule", "ground_truth": json.dumps(files_of(instance))},
        "extra_info": {"instance_id": instance.instance_id},
    }


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    *,
    unscored: float | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the reward as `score`; beside it `unscored` (1.0 where there was no number), and `reason` ("" if none).

    verl needs a number for every answer: `unscored` is the one for what could not be scored, in `reward_kwargs` with
    any keyword of `openswerl.reward.score`. Raises UserError where such an answer meets no such number.
    """
    files = json.loads(ground_truth)
    sides = (files["changed_files"], files["related_unchanged_files"], files["oracle_new_content"])
    found = score_files(*sides, solution_str, settings)
    reward = unscored if found.reward is None else found.reward
    if reward is None:
        raise UserError(
            f"an answer has no reward ({found.reason}), and verl has no place for that; choose the number that it is "
            "to get: reward.custom_reward_function.reward_kwargs.unscored=NUMBER"
        )
    return {"score": reward, "unscored": float(found.reward is None), "reason": found.reason or ""}
