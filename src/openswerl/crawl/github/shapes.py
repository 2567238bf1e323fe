"""The answers of GitHub's GraphQL, as far as they are read."""

import msgspec


class Author(msgspec.Struct, rename="camel"):
    """An account; a bot's login lacks the [bot] that events and REST show."""

    login: str
    typename: str = msgspec.field(name="__typename")

    @property
    def name(self) -> str:
        """The login as in events."""
        return f"{self.login}[bot]" if self.typename == "Bot" else self.login


class Named(msgspec.Struct):
    """A label or a branch."""

    name: str


class Nodes(msgspec.Struct):
    """The labels."""

    nodes: list[Named]


class Commit(msgspec.Struct):
    """The merge."""

    oid: str


class Count(msgspec.Struct, rename="camel"):
    """How many commits there are."""

    total_count: int


class HeadRepository(msgspec.Struct, rename="camel"):
    """Where the branch came from."""

    database_id: int | None
    name_with_owner: str


class Pull(msgspec.Struct, rename="camel"):
    """A pull request; authors, labels and repositories of the head may be gone."""

    title: str
    body: str
    merged: bool
    merged_at: str | None
    closed_at: str | None
    updated_at: str
    merge_commit: Commit | None
    author: Author | None
    labels: Nodes | None
    base_ref_name: str
    base_ref_oid: str
    head_ref_name: str
    head_ref_oid: str
    head_repository: HeadRepository | None
    commits: Count
    additions: int
    deletions: int
    changed_files: int


class Repository(msgspec.Struct, rename="camel"):
    """A repository with the one pull request asked for."""

    database_id: int | None
    is_fork: bool
    default_branch_ref: Named | None
    pull_request: Pull | None


class RateLimit(msgspec.Struct, rename="camel"):
    """What is left of the hour's budget."""

    remaining: int
    reset_at: str


class Fault(msgspec.Struct):
    """One entry of `errors`; `path` starts with the alias that it is about."""

    message: str = ""
    type: str | None = None
    path: list[str | int] | None = None


class Reply(msgspec.Struct):
    """The body of an answer; some data may come with some errors."""

    data: dict[str, msgspec.Raw] | None = None
    errors: list[Fault] = []
