"""Real instances of SWE-bench Verified, where their rows, clones and interpreters are at hand.

OPENSWERL_DATA: a folder with swebench/verified_instances.jsonl.gz. OPENSWERL_CLONES: a folder with
<owner>__<name>.git. OPENSWERL_ENVIRONMENTS: where built environments are kept between sessions, if they shall be.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from openswerl.errors import UserError
from openswerl.evaluate.backends import interpreters
from openswerl.evaluate.backends.checkouts import clone_of
from openswerl.evaluate.backends.environments import Environments
from openswerl.evaluate.backends.local import LocalBackend
from openswerl.evaluate.execution.actions import Grading, Script, Suite
from openswerl.evaluate.harness.grade import grade
from openswerl.evaluate.harness.rows import read_benchmark
from openswerl.evaluate.harness.specs import spec_of
from openswerl.evaluate.sandbox.watch import Limits
from openswerl.evaluate.views import Problem, problem_of

pytestmark = pytest.mark.slow
# How many tests of FAIL_TO_PASS and PASS_TO_PASS the data set lists.
INSTANCES = {"sympy__sympy-24213": (1, 31), "pytest-dev__pytest-7432": (1, 77)}
Open = Callable[[str], tuple[Problem, LocalBackend]]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Return a function that gives an instance and a backend, or skips with the reason."""
    data, clones = os.environ.get("OPENSWERL_DATA"), os.environ.get("OPENSWERL_CLONES")
    if not data or not clones:
        pytest.skip("OPENSWERL_DATA or OPENSWERL_CLONES is not set")
    rows = {row["instance_id"]: row for row in read_benchmark(Path(data, "swebench/verified_instances.jsonl.gz")).good}
    kept = os.environ.get("OPENSWERL_ENVIRONMENTS")
    environments = Environments(Path(kept) if kept else tmp_path_factory.mktemp("verified"), Path(clones), print)

    def open_instance(instance_id: str) -> tuple[Problem, LocalBackend]:
        problem = problem_of(rows[instance_id])
        try:
            clone_of(Path(clones), problem.task.repo)
        except UserError as error:
            pytest.skip(str(error))
        version = spec_of(problem.task.repo, problem.task.version).python
        if interpreters.find(version) is None:
            pytest.skip(f"there is no CPython {version}")
        return problem, LocalBackend(environments, Limits(timeout_s=900))

    return open_instance


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("instance_id", INSTANCES)
def test_a_real_instance_passes_the_gate_three_times(opened: Open, tmp_path: Path, instance_id: str) -> None:
    problem, backend = opened(instance_id)
    counts = INSTANCES[instance_id]
    for _ in range(3):
        for patch, status, fail_to_pass in (("", "unresolved", 0), (problem.gold.patch, "resolved", counts[0])):
            execution = backend.run(problem.task, patch, Grading(problem.gold))
            verdict = grade(problem.gold, patch, execution, tmp_path / "test_output.txt")
            assert verdict.status == status and verdict.report is not None, execution
            tests = verdict.report[instance_id]["tests_status"]
            passed = [len(tests[name]["success"]) for name in ("FAIL_TO_PASS", "PASS_TO_PASS")]
            assert passed == [fail_to_pass, counts[1]]


def test_the_issue_shows_in_a_program_and_is_gone_with_the_gold_patch(opened: Open) -> None:
    """The program of SymPy's issue 24211."""
    problem, backend = opened("sympy__sympy-24213")
    source = """
from sympy.physics import units
from sympy.physics.units.systems.si import SI
v1, a1, t1 = units.Quantity("v1"), units.Quantity("a1"), units.Quantity("t1")
SI.set_quantity_dimension(v1, units.velocity)
SI.set_quantity_scale_factor(v1, 2 * units.meter / units.second)
SI.set_quantity_dimension(a1, units.acceleration)
SI.set_quantity_scale_factor(a1, -9.8 * units.meter / units.second**2)
SI.set_quantity_dimension(t1, units.time)
SI.set_quantity_scale_factor(t1, 5 * units.second)
print(SI._collect_factor_and_dimension(a1 * t1 + v1)[0])
"""
    base = backend.run(problem.task, "", Script(source))
    fixed = backend.run(problem.task, problem.gold.patch, Script(source))
    assert base.code == 1 and "ValueError: Dimension of" in base.output
    assert (fixed.code, fixed.output.strip()) == (0, "-47.0000000000000")


def test_a_suite_of_the_base_runs_by_the_repositorys_own_command(opened: Open) -> None:
    problem, backend = opened("sympy__sympy-24213")
    found = backend.run(problem.task, "", Suite(("sympy/physics/units/tests/test_prefixes.py",)))
    assert (found.state, found.code) == ("exited", 0) and "test_prefix_operations ok" in found.output
