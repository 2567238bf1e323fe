"""Make an RL-ready instance of a seed, and prove that its gold edit can be written and earns 1.0."""

from typing import Literal

import msgspec
from omegaconf import DictConfig

from openswerl.crawl.clone import Clone
from openswerl.crawl.join import Unusable
from openswerl.records import Instance, Provenance, PullRequest, SourceFile
from openswerl.relate.answers import Answer
from openswerl.relate.languages import main_language
from openswerl.relate.predict import consider
from openswerl.relate.query import Query
from openswerl.relate.tree import Tree
from openswerl.reward import UnscorableError, golden_answer, score

COMPATS: tuple[Literal["paper", "strict"], ...] = ("paper", "strict")


class Related(msgspec.Struct, frozen=True):
    """A file that was looked at as a relevant unchanged one, or a name that a model gave, and what came of it."""

    instance_id: str
    path: str
    outcome: str
    score: float
    reasons: tuple[str, ...]


def query_of(pull: PullRequest) -> Query:
    """Return what a predictor may know; from here on no predictor sees the pull request."""
    return Query(pull.title, pull.body, tuple(file.path for file in pull.changed_files))


def make_instance(pull: PullRequest, tree: Tree, cfg: DictConfig, answer: Answer) -> tuple[Instance, list[Related]]:
    """Return the instance at the merge base, whose tree is given, and the choice of relevant unchanged files.

    `answer` is a model's, if `cfg.predictor` asks one. Raises Unusable (see `check_gold`; also no_problem_statement,
    not_text), GitError if the clone lacks an object.
    """
    if not problem_statement(pull):
        raise Unusable("no_problem_statement")
    considered = consider(query_of(pull), tree, cfg, answer)
    related = [_source(item.path, tree.blobs[item.path], tree.clone) for item in considered if item.outcome == "chosen"]
    instance = _instance(pull, related, tree.clone)
    check_gold(instance)
    rows = [Related(instance.instance_id, i.path, i.outcome, i.score, i.reasons) for i in considered]
    return instance, rows


def _instance(pull: PullRequest, related: list[SourceFile], clone: Clone) -> Instance:
    return Instance(
        instance_id=f"{pull.repo.replace('/', '__')}-{pull.number}",
        repo=pull.repo,
        base_commit=pull.merge_base,
        problem_statement=problem_statement(pull),
        changed_files=[_source(file.path, file.old_blob, clone) for file in pull.changed_files],
        related_unchanged_files=related,
        oracle_new_content=[_source(file.path, file.new_blob, clone) for file in pull.changed_files],
        golden_patch=pull.oracle_diff,
        number=pull.number,
        links=[f"{issue.repo}#{issue.number}" for issue in pull.issues],
        language=main_language(file.path for file in pull.changed_files),
        licence=pull.licence,
        provenance=Provenance(pull.file, pull.offset, pull.head_sha, pull.merged_at),
    )


def problem_statement(pull: PullRequest) -> str:
    """Return title and body of every linked issue that has text; of the pull request if it links none at all."""
    texts = [f"{issue.title}\n\n{issue.body}".strip() for issue in pull.issues]
    if not pull.issues:
        texts = [f"{pull.title}\n\n{pull.body}".strip()]
    return "\n\n".join(text for text in texts if text)


def check_gold(instance: Instance) -> None:
    """Raise Unusable unless the gold edit has a SEARCH/REPLACE form that the reward calls perfect by all edit rules.

    Reasons: empty_oracle (nothing but line ends changes, and doing nothing would earn 1.0), gold_inexpressible,
    gold_below_1.
    """
    try:
        answer = golden_answer(instance, "search_replace")
    except UnscorableError as error:
        raise Unusable(error.reason) from None
    for compat in COMPATS:
        if score(instance.task.context, instance.oracle, answer, compat=compat).reward != 1.0:
            raise Unusable("gold_below_1")


def _source(path: str, blob: str | None, clone: Clone) -> SourceFile:
    """Return one file; a side that does not exist is an empty file."""
    text = clone.content(blob).text if blob else ""
    if text is None:
        raise Unusable("not_text")
    return SourceFile(path, text)
