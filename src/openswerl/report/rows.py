"""The rows that earlier stages wrote, type-checked as they are read."""

import csv
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from openswerl.errors import UserError
from openswerl.evaluate.results.taxonomy import not_judged

R = TypeVar("R")
Decoding = Literal["greedy", "sample", "vote", "mini", "mini-majority", "mini-regression", "mini-reproduction"]
MINI: tuple[Decoding, ...] = ("mini", "mini-majority", "mini-regression", "mini-reproduction")
"""Agentless Mini's choice, and what it would choose with fewer stages of reranking."""


class Outcome(msgspec.Struct, frozen=True):
    """One executed answer of one policy; `output` is kept for greedy decoding alone, `cause` names why it failed.

    `files_extra` counts the changed files that the reference fix leaves alone; None without a patch.
    """

    instance_id: str
    split: str
    decoding: Decoding
    sample: int
    format_ok: bool
    status: str
    cause: str
    reason: str | None = None
    output: str | None = None
    files_changed: int | None = None
    files_extra: int | None = None

    @property
    def judged(self) -> bool:
        """Whether it says anything about the policy: an answer came, and machine and environment held."""
        return not_judged(self.status, self.reason) is None

    @property
    def resolved(self) -> bool:
        """Whether the patch passed every test."""
        return self.status == "resolved"


class Rollout(msgspec.Struct, frozen=True):
    """One sample of the policy during GRPO; the reward is None if it could not be scored.

    `attempt` counts the prompts that its place in the step had before; the last one alone is trained on.
    """

    step: int
    instance_id: str
    sample: int
    reward: float | None
    output: str
    reason: str | None = None
    attempt: int = 0


class Step(msgspec.Struct, frozen=True):
    """One GRPO step: means over its samples; `zero_variance` is a share of its groups."""

    step: int
    reward_mean: float | None
    format_rate: float
    exact_rate: float
    zero_variance: float
    response_tokens: float


class Demonstrations(msgspec.Struct, frozen=True):
    """What became of the sampled SFT demonstrations."""

    sampled: int
    kept: int
    rejected: dict[str, int]


class QualityRow(msgspec.Struct, frozen=True):
    """A predictor of related files at one k; means over `n` instances, without an interval for one repository."""

    predictor: str
    k: int
    n: int
    repositories: int
    recall: float
    precision: float
    recall_low: float | None = None
    recall_high: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None


class FunnelRow(msgspec.Struct, frozen=True):
    """One filter of the data funnel: pull requests dropped by it, and left after it."""

    step: str
    reason: str
    dropped: int
    left: int


def read_lines(path: Path, kind: type[R]) -> list[R]:
    """Read a JSON Lines file of `kind`. Raises UserError if it is missing, empty, or a line does not fit."""
    decoder = msgspec.json.Decoder(kind)
    rows = []
    for number, line in enumerate(_content(path).split(b"\n"), start=1):
        if line.strip():
            try:
                rows.append(decoder.decode(line))
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise UserError(f"{path} line {number}: {error}; {_remake(path)}") from None
    if not rows:
        raise UserError(f"{path} has no rows; {_remake(path)}")
    return rows


def read_document(path: Path, kind: type[R]) -> R:
    """Read one JSON document of `kind`. Raises UserError if it is missing or does not fit."""
    try:
        return msgspec.json.decode(_content(path), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {error}; {_remake(path)}") from None


def read_funnel(path: Path) -> list[FunnelRow]:
    """Read funnel.csv. Raises UserError if it is missing, empty, or a row does not fit."""
    rows = read_table(path, FunnelRow)
    if not rows:
        raise UserError(f"{path} has no rows; {_remake(path)}")
    return rows


def read_table(path: Path, kind: type[R]) -> list[R]:
    """Read a CSV file of `kind`; an empty cell is the field's default, or an empty text.

    Raises UserError if it is missing or a row does not fit.
    """
    records = csv.DictReader(_content(path).decode("utf-8", "replace").splitlines())
    optional = {field.name for field in msgspec.structs.fields(kind) if not field.required}  # type: ignore[arg-type]
    rows = [{key: cell for key, cell in row.items() if cell or key not in optional} for row in records]
    try:
        return msgspec.convert(rows, list[kind], strict=False)  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: {error}; {_remake(path)}") from None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); {_remake(path)}") from None


def _remake(path: Path) -> str:
    return f"remake it with: snakemake --cores all --force {path.parent / 'result.json'}"
