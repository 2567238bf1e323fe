"""The columns of an hour's Parquet file: what `archive` writes, and `crawl` queries. One row is one event.

Times are UTC, `2015-01-01T00:00:00Z`, so that text order is time order. Null is unknown, never false or empty.
"""

import pyarrow as pa

EVENTS = pa.schema(
    [
        # Where it stands.
        pa.field("file", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),  # decompressed bytes
        # The event.
        pa.field("event_id", pa.string(), nullable=False),  # empty before 2015
        pa.field("type", pa.string(), nullable=False),
        pa.field("action", pa.string(), nullable=False),
        pa.field("created_at", pa.string(), nullable=False),
        pa.field("repo", pa.string(), nullable=False),  # owner/name at the time of the event
        pa.field("repo_id", pa.int64()),
        pa.field("actor", pa.string(), nullable=False),
        # The issue or pull request that it is about; PullRequest events always have a number.
        pa.field("number", pa.int64()),
        pa.field("is_pull", pa.bool_()),
        pa.field("title", pa.string()),
        pa.field("body", pa.string()),
        pa.field("author", pa.string()),
        pa.field("author_type", pa.string()),
        pa.field("labels", pa.list_(pa.string())),
        pa.field("updated_at", pa.string()),
        # The pull request.
        pa.field("merged", pa.bool_()),
        pa.field("merged_at", pa.string()),
        pa.field("merge_commit_sha", pa.string()),
        pa.field("base_sha", pa.string()),
        pa.field("base_ref", pa.string()),
        pa.field("default_branch", pa.string()),
        pa.field("fork", pa.bool_()),  # the repository itself is a fork
        pa.field("head_sha", pa.string()),
        pa.field("head_ref", pa.string()),
        pa.field("head_repo", pa.string()),
        pa.field("head_repo_id", pa.int64()),
        pa.field("commits", pa.int64()),
        pa.field("additions", pa.int64()),
        pa.field("deletions", pa.int64()),
        pa.field("changed_files", pa.int64()),
        # The comment or review.
        pa.field("comment_id", pa.int64()),
        pa.field("comment_body", pa.string()),
        pa.field("comment_author", pa.string()),
        pa.field("comment_author_type", pa.string()),
        pa.field("comment_at", pa.string()),
        pa.field("comment_path", pa.string()),  # of review comments
        pa.field("review_state", pa.string()),
    ]
)
