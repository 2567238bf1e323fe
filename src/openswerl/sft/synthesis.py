"""Answer all questions chunk by chunk; a chunk that is on disk is not asked again after a kill."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from omegaconf import DictConfig

from openswerl.errors import UserError
from openswerl.files import read_jsonl, write_jsonl
from openswerl.models import distributed
from openswerl.rollout import FAULTS, count_faults
from openswerl.rollout.seeds import seed_of
from openswerl.sft.demonstrations import Demonstration, Source, counts
from openswerl.sft.questions import Question


def synthesise(
    questions: Sequence[Question], open_source: Callable[[], Source], cfg: DictConfig, folder: Path
) -> list[Demonstration]:
    """Return the answers to all questions, in order; each process answers its share of chunks into files in `folder`.

    The source is opened only if a chunk is missing, by all processes. Raises UserError if no answer is kept.
    """
    chunks = _chunks(questions, max(1, cfg.rollout.batch_rows // cfg.sft.samples_per_prompt))
    paths = [folder / f"{number:06d}-{_key(chunk)}.jsonl" for number, chunk in enumerate(chunks)]
    todo = [pair for pair in distributed.share([*zip(paths, chunks, strict=True)]) if not _whole(pair[0])]
    source = open_source() if distributed.max_over_ranks(len(todo)) else None  # an engine is opened together
    for path, chunk in todo:
        assert source is not None
        write_jsonl(path, [msgspec.to_builtins(item) for item in source.answer(chunk)])
        print(f"sft: demonstrations {paths.index(path) + 1}/{len(chunks)}", flush=True)
    distributed.barrier()
    found = [msgspec.convert(row, Demonstration) for path in paths for row in read_jsonl(path)]
    if (told := count_faults(item.reason for item in found)) and distributed.is_main():
        print(f"sft: warning: {told}", file=sys.stderr, flush=True)
    if all(item.reason for item in found):
        raise UserError(
            f"none of {len(found)} demonstrations is kept ({counts(found)['rejected']}); raise sft.prompts, or choose "
            "sft=gold"
        )
    return found


def _whole(path: Path) -> bool:
    """Whether the answers of a chunk are there; what a fault took away is asked for again."""
    return path.exists() and not any(row["reason"] in FAULTS for row in read_jsonl(path))


def _key(chunk: Sequence[Question]) -> str:
    """Name the questions, so that no other chunk's answers are taken for theirs."""
    return f"{seed_of(*((question.kind.name, question.seed) for question in chunk)):016x}"


def _chunks(questions: Sequence[Question], size: int) -> list[list[Question]]:
    return [list(questions[start : start + size]) for start in range(0, len(questions), size)]
