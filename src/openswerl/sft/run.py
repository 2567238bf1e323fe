"""The sft stage."""

import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import Any

import msgspec
import torch
from omegaconf import DictConfig, OmegaConf
from transformers import PreTrainedTokenizerBase

from openswerl.errors import UserError
from openswerl.files import write_json, write_jsonl
from openswerl.models.checkpoint import base_checkpoint, load_trainable
from openswerl.models.distributed import is_main
from openswerl.models.engine import Engine
from openswerl.models.prompts import Prompt, check_fit
from openswerl.records import Instance
from openswerl.reward import ScorePool, open_rewards
from openswerl.rollout import Sampler, open_sampler
from openswerl.rollout.agreement import check_agreement
from openswerl.rollout.local import LocalSampler
from openswerl.sft.demonstrations import Demonstration, Source, counts, open_source
from openswerl.sft.documents import Reader
from openswerl.sft.editing import EDITING
from openswerl.sft.probe import Probe
from openswerl.sft.questions import Question, held_out, kinds_asked, make_questions
from openswerl.sft.synthesis import synthesise
from openswerl.sft.trainer import Documents, Trainer
from openswerl.stage import Job
from openswerl.training.card import model_card
from openswerl.training.finite import require_finite
from openswerl.training.select import Selection, read_instances, select

DROPPED = {"format_penalty": -1.0}  # any number would do: a malformed answer is dropped for its reason


def run(job: Job) -> dict[str, Any]:
    """Make demonstrations and train on them from the base policy.

    Writes policy/, metrics.jsonl, timings.jsonl, demonstrations.json, demonstrations.jsonl, quarantine.jsonl.
    """
    cfg = job.cfg
    check(cfg)
    torch.manual_seed(cfg.seed)  # new adapters are drawn at random
    policy, tokenizer = load_trainable(cfg.model)
    reader = Reader(tokenizer, cfg)
    general = reader.general(cfg.sft.mix.path)  # a fault in the file is told before the long work
    engine = Engine.start(policy, cfg.sft.optimiser)
    live = LocalSampler(engine.module, tokenizer, cfg.model, cfg.rollout)
    selection, questions, found = demonstrated(job, engine, live)
    apart = held_out(questions, cfg.sft.held_out, cfg.seed)
    documents = documents_of(reader, found, questions, {item.instance_id for item in apart}, general)
    probe = Probe(cfg, engine, live, apart[: cfg.sft.probe_prompts])
    Trainer(cfg, engine, documents, probe, job.scratch).train()
    summary = {
        "instances": len(selection.instances),
        "left_out": selection.reasons,
        "demonstrations": len(documents.own),
        "held_out": len(documents.held_out),
        "general": len(general),
        "documents_too_long": reader.too_long,
    }
    finish(job, engine, live, model_card(job, summary), found)
    return summary


def demonstrated(job: Job, engine: Engine, live: LocalSampler) -> tuple[Selection, list[Question], list[Demonstration]]:
    """Return the instances that can be trained on, the questions about them, and all answers."""
    cfg = job.cfg
    with (
        open_rewards(OmegaConf.create({**cfg.reward, **DROPPED}), cfg.edits) as rewards,
        sampling(cfg, engine),
        ExitStack() as opened,
    ):
        selection = selected(job, live.tokenizer, rewards)
        questions = make_questions(selection.instances, cfg.sft, cfg.seed)
        source = partial(source_of, cfg, live, rewards, opened)
        found = synthesise(questions, source, cfg, job.scratch / "demonstrations")
    return selection, questions, found


def sampling(cfg: DictConfig, engine: Engine) -> AbstractContextManager[Any]:
    """Whole parameters where the policy in training answers; another backend has its own, and needs the memory."""
    live = cfg.rollout.backend == "local" and cfg.sft.demonstrations != "gold"
    return engine.gathered() if live else nullcontext()


def check(cfg: DictConfig) -> None:
    """Raise UserError for settings that cannot be meant, before the long work."""
    if cfg.prompt.answer != "search_replace":
        raise UserError(f"sft writes search_replace answers, and prompt={cfg.prompt.name} asks for {cfg.prompt.answer}")
    check_fit(cfg.prompt, cfg.reward.kind)
    path, share = cfg.sft.mix.path, cfg.sft.mix.share
    if (path is None) != (share == 0):
        raise UserError(f"sft.mix.share={share} and sft.mix.path={path} do not fit; give both, or 0 and null")


def selected(job: Job, tokenizer: PreTrainedTokenizerBase, rewards: ScorePool) -> Selection:
    """Return the instances whose prompts fit and whose golden answers score 1; see `select`."""
    cfg = job.cfg

    def prompts(instance: Instance) -> list[Prompt]:
        kinds = {EDITING.name: EDITING} | {kind.name: kind for kind in kinds_asked(cfg.sft)}
        shown = [kind.prompt(instance, cfg) for kind in kinds.values()]
        hints = [kind.hinted(instance, cfg) for kind in kinds.values()] if cfg.sft.demonstrations == "hinted" else []
        return shown + hints

    return select(job, read_instances(job.inputs["relate"] / "instances.parquet"), tokenizer, rewards, prompts)


def source_of(cfg: DictConfig, live: LocalSampler, rewards: ScorePool, opened: ExitStack) -> Source:
    """Return the source of demonstrations; `opened` closes what another backend than the local one holds.

    Demonstrations are texts, so another model may write them; vLLM is to load the base policy, and that is checked.
    """
    sampler: Sampler = live
    if cfg.rollout.backend != "local" and cfg.sft.demonstrations != "gold":
        sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, base_checkpoint(cfg.model))
        opened.callback(sampler.close)
        if cfg.rollout.backend == "vllm" and sampler.tokenizer is not None:
            check_agreement(live.tokenizer, sampler.tokenizer)
    return open_source(cfg, sampler, rewards)


def documents_of(
    reader: Reader,
    found: Sequence[Demonstration],
    questions: Sequence[Question],
    apart: set[str],
    general: Sequence[Any],
) -> Documents:
    """Return what is trained on and what is held out. Raises UserError if nothing is left to train on."""
    instances = {question.instance.instance_id: question.instance for question in questions}
    own = reader.documents([item for item in found if item.instance_id not in apart], instances)
    kept_apart = reader.documents([item for item in found if item.instance_id in apart], instances)
    if not own:
        raise UserError(
            f"no demonstration is left to train on: {len(kept_apart)} are held out, and {reader.too_long} are longer "
            "than sft.row_tokens; raise sft.prompts or sft.row_tokens"
        )
    return Documents(own, general, kept_apart)


def finish(
    job: Job,
    engine: Engine,
    live: LocalSampler,
    card: str,
    found: Sequence[Demonstration],
) -> None:
    """Write the policy and all beside it. Raises UserError, and writes nothing, if a weight is not finite."""
    require_finite(engine.module, "sft")
    if is_main():
        keep(job, found)
    engine.export(job.out / "policy", live.tokenizer, card)


def keep(job: Job, found: Sequence[Demonstration]) -> None:
    """Write what the run leaves beside the policy."""
    write_json(job.out / "demonstrations.json", counts(found))
    write_jsonl(job.out / "demonstrations.jsonl", [msgspec.to_builtins(item) for item in found])
    for name in ("metrics.jsonl", "timings.jsonl"):
        shutil.copyfile(job.scratch / name, job.out / name)
