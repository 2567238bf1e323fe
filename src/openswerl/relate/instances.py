"""Make an RL-ready instance of a seed, and prove that its gold edit can be written and earns 1.0."""

import msgspec
from omegaconf import DictConfig

from openswerl.crawl.clone import Clone
from openswerl.crawl.join import Unusable
from openswerl.edits import InexpressibleError, diff_bodies, minimal_blocks, render
from openswerl.records import Instance, PullRequest, SourceFile
from openswerl.relate.predict import choose, rank
from openswerl.relate.ranking import Ranked
from openswerl.relate.tree import Tree
from openswerl.reward import score


class Related(msgspec.Struct, frozen=True):
    """Why a relevant unchanged file was chosen."""

    instance_id: str
    path: str
    score: float
    reasons: tuple[str, ...]


def make_instance(pull: PullRequest, clone: Clone, cfg: DictConfig) -> tuple[Instance, list[Related]]:
    """Return the instance at the merge base (paper 2.1), and the choice of relevant unchanged files.

    Raises Unusable (see `check_gold`; also no_problem_statement, not_text), GitError if the clone lacks an object.
    """
    problem = problem_statement(pull)
    if not problem:
        raise Unusable("no_problem_statement")
    tree = Tree(clone, pull.merge_base)
    paths = [file.path for file in pull.changed_files]
    chosen = choose(rank(paths, tree, cfg), tree, cfg)
    instance = Instance(
        instance_id=f"{pull.repo.replace('/', '__')}-{pull.number}",
        repo=pull.repo,
        base_commit=pull.merge_base,
        problem_statement=problem,
        changed_files=[_source(file.path, file.old_blob, clone) for file in pull.changed_files],
        related_unchanged_files=[_source(file.path, tree.blobs[file.path], clone) for file in chosen],
        oracle_new_content=[_source(file.path, file.new_blob, clone) for file in pull.changed_files],
        golden_patch=pull.oracle_diff,
    )
    check_gold(instance)
    return instance, [_related(instance.instance_id, file) for file in chosen]


def problem_statement(pull: PullRequest) -> str:
    """Return title and body of every linked issue that has text; of the pull request if it links none at all."""
    texts = [f"{issue.title}\n\n{issue.body}".strip() for issue in pull.issues]
    if not pull.issues:
        texts = [f"{pull.title}\n\n{pull.body}".strip()]
    return "\n\n".join(text for text in texts if text)


def check_gold(instance: Instance) -> None:
    """Raise Unusable unless the gold edit has a SEARCH/REPLACE form that the reward calls perfect.

    Reasons: empty_oracle (nothing but line ends changes, and doing nothing would earn 1.0), gold_inexpressible,
    gold_below_1.
    """
    context, oracle = instance.task.context, instance.oracle
    if not diff_bodies(context, oracle):
        raise Unusable("empty_oracle")
    try:
        answer = render("The change.", minimal_blocks(context, oracle))
    except InexpressibleError:
        raise Unusable("gold_inexpressible") from None
    if score(context, oracle, answer).reward != 1.0:
        raise Unusable("gold_below_1")


def _source(path: str, blob: str | None, clone: Clone) -> SourceFile:
    """Return one file; a side that does not exist is an empty file."""
    text = clone.content(blob).text if blob else ""
    if text is None:
        raise Unusable("not_text")
    return SourceFile(path, text)


def _related(instance_id: str, file: Ranked) -> Related:
    return Related(instance_id, file.path, file.score, file.reasons)
