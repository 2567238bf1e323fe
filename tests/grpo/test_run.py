"""What the stage says before and after training."""

from openswerl.compose import load
from openswerl.grpo.run import SAMPLER, tell_sampler


def test_a_backend_that_is_not_followed_is_told_in_one_line(capsys):
    tell_sampler(load("scale=node8", "data.start=2020-01-01-0", "data.end=2020-01-01-0"))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "grpo: warning: rollout.backend=vllm is not followed: grpo samples in the training processes"
    )
    tell_sampler(load("rollout=local"))
    assert capsys.readouterr().err == "" and SAMPLER == "local"
