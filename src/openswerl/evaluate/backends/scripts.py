"""The shell scripts of the local backend: making an environment, entering a fresh tree, running an action."""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from openswerl.evaluate.harness.grade import END, EXIT_CODE, START
from openswerl.evaluate.harness.specs import Spec
from openswerl.evaluate.sandbox.watch import Limits

ACTIVATE = "/opt/miniconda3/bin/activate"  # what the scripts of rows source; there is no conda here
SHIM = f"""conda() {{
  case $1 in activate) PATH=/venv/bin:$PATH; export PATH VIRTUAL_ENV=/venv;; esac
}}
conda {ACTIVATE.rpartition("/")[2]}
"""
WORDS = ("ready", "refused", "broken")
PROGRAM = "openswerl_program.py"
HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
INSTALL = re.compile(r"\s*((python3?\s+-m\s+)?pip3?\s+install|python3?\s+setup\.py\s+(build|install|develop))\b")
TOX = re.compile(r"\btox --current-env -epy\d+ -v --")  # loses a venv's packages: it links the interpreter elsewhere
PYTEST = "python -X dev -m pytest -rA"
CODE = re.compile(re.escape(EXIT_CODE) + r": (-?\d+)\n")


def build(spec: Spec, python: str) -> str:
    """Return the script that makes /venv and the tree's one commit, and leaves /out/testbed.tar and /out/head.

    Edits of the recipe belong to the commit. The install is editable, also where the recipe's is not: the environment
    is read-only later on, and a patch has to take effect.
    """
    lines = ["set -eux", "cd /testbed", *spec.pre_install, "git add -u", "git commit -q --allow-empty -m base"]
    lines += [f"{shlex.quote(python)} -m venv {'' if _needs_pip(spec) else '--without-pip '}/venv"]
    lines += ["PATH=/venv/bin:$PATH", "export PATH"]
    if spec.packages:
        lines.append(f"python -m pip install {shlex.join(spec.packages)}")
    for name in spec.requirements:
        if name.endswith(".txt"):  # the others are conda's
            lines.append(f"test ! -e {shlex.quote(name)} || python -m pip install -r {shlex.quote(name)}")
    lines += [editable(spec.install), "git commit -q --amend --no-edit --allow-empty -a"]
    # as old as no patch: what was compiled is known by second and size, and a change in the same second would be missed
    lines.append("git ls-files -z | xargs -0 touch -h -d 2000-01-01T00:00:00Z; git update-index -q --refresh || true")
    lines.append("python -m compileall -q . >/out/compile.log || true")  # or every run compiles what it imports
    lines += ["git rev-parse HEAD >/out/head", "tar -cf /out/testbed.tar ."]
    return "\n".join(lines) + "\n"


def _needs_pip(spec: Spec) -> bool:
    return bool(spec.packages or spec.requirements or spec.install)


def editable(install: str) -> str:
    """Return an install command that leaves the code in the tree."""
    if "setup.py" in install:  # among them are two commands on one line
        return "python -m pip install -e ."
    return re.sub(r"(pip3? install(?:(?! -e ).)*) (\.(?:\[[^]]*\])?)(?=\s|$)", r"\1 -e \2", install)


def enter(limits: Limits, control: int) -> str:
    """Return the script that unpacks the tree, applies /openswerl/patch, tells how that went, and runs the action.

    It tells over the descriptor `control`, which the action does not get: what git said, then one of `WORDS`.
    """
    kilobytes, blocks = limits.memory_bytes >> 10, limits.file_bytes >> 10
    tell = f">&{control}"
    return f"""cd /testbed && tar --no-same-owner -xf /openswerl/testbed.tar 2{tell} || {{ echo broken {tell}; exit; }}
if test -s /openswerl/patch; then
  git apply /openswerl/patch {tell} 2{tell} || git apply --3way /openswerl/patch {tell} 2{tell} ||
    {{ echo refused {tell}; exit; }}
fi
ulimit -c 0; ulimit -v {kilobytes}; ulimit -f {blocks}; ulimit -t {int(limits.timeout_s) + 1}; ulimit -u 4096
echo ready {tell}
exec {control}>&-
exec bash /openswerl/action
"""


def grading(eval_script: str, base_commit: str, head: str) -> str:
    """Return a row's script for here: the tree's one commit for the base, and no install, which would need a network.

    What is inside a here-document (the test patch) stays as it is.
    """
    return "\n".join(_adapted(eval_script.split("\n"), base_commit, head))


def _adapted(lines: Sequence[str], base_commit: str, head: str) -> Iterator[str]:
    inside = ""
    for line in lines:
        if inside:
            inside = "" if line == inside else inside
            yield line
            continue
        found = HEREDOC.search(line)
        inside = found[2] if found else ""
        if INSTALL.match(line):
            yield ": not here"
        elif line.strip() == "git show":
            yield "git show -s"  # of one commit alone, the whole repository
        else:
            yield TOX.sub(PYTEST, line.replace(base_commit, head))


def suite(spec: Spec, files: Sequence[str]) -> str:
    """Return the script that runs test files by the repository's own test command."""
    command = TOX.sub(PYTEST, spec.command(files))
    return "\n".join([f"source {ACTIVATE}", "cd /testbed", *spec.setup, command]) + "\n"


def program() -> str:
    """Return the script that runs /openswerl/program as a file in the root of the tree."""
    return f"source {ACTIVATE}\ncd /testbed\ncp /openswerl/program {PROGRAM}\nexec python {PROGRAM}\n"


class Tested(NamedTuple):
    """What the tests of a row's script printed, and the exit code of the test command, None where it was not told."""

    output: str
    code: int | None


def tested(log: str) -> Tested | None:
    """Return the tests' part of what a row's script printed; None if the script did not get to its end."""
    _, start, rest = log.partition(f"{START}'\n")
    output, end, told = rest.rpartition(f"{END}'\n")
    if not start or not end:
        return None
    output = output.rpartition("\n")[0]  # the shell's own trace of the marker
    found = CODE.search(told)
    return Tested(output + "\n", int(found[1]) if found else None)
