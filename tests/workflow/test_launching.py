"""What starts a training script."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("processes", "command"),
    [(1, "python scripts/grpo.py"), (2, "python -m openswerl.launch 2 scripts/grpo.py")],
)
def test_several_processes_have_a_launcher(project, processes, command):
    overrides = f"overrides=scale=smoke processes={processes}"
    done = project.snakemake("--dry-run", "--printshellcmds", "grpo_all", "--config", overrides)
    assert done.returncode == 0, done.stderr
    assert f" {command} " in " ".join(done.stdout.split())
