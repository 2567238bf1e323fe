"""What a predictor may know of a pull request."""

import msgspec


class Query(msgspec.Struct, frozen=True):
    """Title, description and changed paths (paper 2), and no more: no patch, no new content, no test."""

    title: str
    description: str
    changed: tuple[str, ...]

    @property
    def text(self) -> str:
        """Title and description."""
        return f"{self.title}\n\n{self.description}".strip()
