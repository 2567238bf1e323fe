"""What a scoring gives back."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Score:
    """One answer's reward; `reason` is None for a well-formed answer that was scored in time.

    Reasons: those of `openswerl.edits.FormatError`; "timeout"; "worker_died" (its scoring process was killed twice).
    `files` maps the path of every file that either side changes to its own score.
    """

    reward: float
    reason: str | None = None
    files: dict[str, float] = field(default_factory=dict)
