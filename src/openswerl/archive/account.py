"""Where every byte of an hour went."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Account:
    """Counts of one hour, or of many added up. Bytes are decompressed ones, but for `unread_bytes`.

    `events` counts the kept events by type, `other_events` the whole events of types that nobody asked for,
    `quarantine` the stretches and the faults of files by reason. `separator_bytes` are newlines and white space between
    events. `unread_bytes` are bytes of the stored file that gave nothing: padding, or what follows a fault.
    """

    input_bytes: int = 0
    kept_bytes: int = 0
    other_bytes: int = 0
    separator_bytes: int = 0
    quarantined_bytes: int = 0
    unread_bytes: int = 0
    other_events: int = 0
    events: dict[str, int] = field(default_factory=Counter)
    quarantine: dict[str, int] = field(default_factory=Counter)

    @property
    def kept(self) -> int:
        """How many events were kept."""
        return sum(self.events.values())

    @property
    def balanced(self) -> bool:
        """Whether every byte of the input is in exactly one count."""
        parts = self.kept_bytes + self.other_bytes + self.separator_bytes + self.quarantined_bytes
        return self.input_bytes == parts


def total(accounts: Iterable[Account]) -> Account:
    """Add accounts up."""
    whole = Account()
    for account in accounts:
        for name, value in vars(account).items():
            old = getattr(whole, name)
            setattr(whole, name, old + (Counter(value) if isinstance(value, dict) else value))
    return whole
