# The Hydra bridge and nothing else: conf/ is the only configuration, and this file hands it to the rules.
import os
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import LockException, WorkflowError

from openswerl import config as conf
from openswerl import graph, stages
from openswerl.archive import sources
from openswerl.cluster import resources as cluster
from openswerl.errors import UserError
from openswerl.workflow import failures, lock

KEYS = ("scale", "experiment", "results")

os.environ.update(
    OPENSWERL_SNAKEMAKE="1",  # tells a stage that its result needs no adoption
    PYTHONUNBUFFERED="1",  # a line of progress shows when it is written
    PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
)

if workflow.is_main_process and not lock.hold():
    # Snakemake's own advice is to break the lock, which here nobody needs to.
    LockException.__init__ = lambda error: WorkflowError.__init__(error, lock.refusal())


onstart:
    lock.keep()


def overrides():
    """The Hydra overrides given as `--config scale=S experiment=E results=FOLDER overrides="key=value ..."`."""
    unknown = sorted(set(config).difference(KEYS, ["overrides"]))
    if unknown:
        raise WorkflowError(
            f'--config {unknown[0]} is unknown; it takes {", ".join(KEYS)}, and overrides="key=value ..."'
        )
    groups = (f"{key}={config[key]}" for key in KEYS if key in config)
    return (*groups, *shlex.split(str(config.get("overrides", ""))))


def checked(cell):
    """The composed config. Every cell of the grid must compose before any job starts; a remote job skips that."""
    try:
        if workflow.is_main_process:
            cell.digest
        return cell.cfg
    except UserError as error:
        raise WorkflowError(str(error)) from None


OVERRIDES = overrides()
CFG = checked(conf.Cell("report", OVERRIDES))
RUN = CFG.run_dir
EACH = f"{RUN}{{variant}}"  # a variant has a folder for what is another result with it


def args(w, input):
    """This job's Hydra overrides. Taking `input` makes them derived for Snakemake: they alone rerun nothing."""
    values = {axis: value.rpartition("/")[2] for axis, value in w.items() if value}
    return [*OVERRIDES, *(f"{axis}={value}" for axis, value in values.items())]


def launcher(w, input):
    """What starts a training script as so many processes on so many nodes. Derived like `args`."""
    return cluster.launcher(CFG)


def resources(stage):
    """What a job of the stage asks for: conf/resources/."""
    return cluster.resources(CFG, stage)


def tracked(stage):
    """What the stage may read of the config: a change here, and only here, reruns the rule."""
    return lambda w: conf.Cell(stage, tuple(args(w, None))).params


def files(cells):
    """All that the rules of these cells write."""
    return [
        file
        for cell in cells
        for file in expand(
            rule_of(cell).output,
            **stages.axes(cell.cfg),
            variant=conf.variant_folder(cell),
        )
    ]


def rule_of(cell):
    """The rule that makes a cell. A stage without axes is a target by its name, so its variants have another rule."""
    apart = cell.variant and cell.stage not in stages.AXES
    return getattr(rules, f"{cell.stage}_variant" if apart else cell.stage)


def shown(file, category):
    """A file that Snakemake's own report shows; its caption has the file's name."""
    name, _, _ = os.path.basename(file).partition(".")
    return report(file, caption=f"../report/{name}.rst", category=category)


def before(stage):
    """The files of the cells before, so that the graph and the chain of digests are one."""
    return lambda w: files(conf.Cell(stage, tuple(args(w, None))).before)


def hour_files(w):
    """The user's own hour files, so that a new one is noticed."""
    return sources.local_files(CFG.data)


def cells(stage):
    """The files of the stage's cells in the grid, for the targets `<stage>_all`."""
    return lambda w: files(
        cell for cell in conf.Cell("report", OVERRIDES).before if cell.stage == stage
    )


wildcard_constraints:
    **graph.wildcards(),
