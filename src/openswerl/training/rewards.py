"""The reward that a job trains against."""

from omegaconf import DictConfig, OmegaConf

from openswerl.stage import Job


def reward_of(job: Job) -> DictConfig:
    """Return the reward group; for a reward that runs tests in the laptop's world, with the folder of its clones."""
    reward = job.cfg.reward
    if "laptop" not in job.inputs or reward.options.get("clones"):
        return reward
    return OmegaConf.create({**reward, "options": {**reward.options, "clones": str(job.inputs["laptop"] / "repos")}})
