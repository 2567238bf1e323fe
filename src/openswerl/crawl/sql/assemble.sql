-- The records of a stretch of pull requests, in order. The columns are those of records.MergedPull.
WITH issue_lists AS (
    SELECT
        l.rank, bool_or(l.late) AS late,
        list(
            {
                'repo': l.repo, 'number': l.number, 'title': coalesce(x.title, ''), 'body': coalesce(x.body, ''),
                'labels': coalesce(x.labels, []), 'link': l.link
            }
            ORDER BY l.position
        ) AS issues
    FROM (FROM links_to_issues WHERE rank >= $start AND rank < $stop) AS l
    LEFT JOIN (FROM issue_texts WHERE rank >= $start AND rank < $stop) AS x
        ON l.rank = x.rank AND l.position = x.position
    GROUP BY l.rank
),
comment_lists AS (
    SELECT
        rank,
        list(
            {
                'kind': kind, 'author': author, 'author_type': author_type, 'created_at': said_at, 'path': path,
                'body': body
            }
            ORDER BY said_at, comment_id NULLS LAST, kind, identity
        ) AS conversation
    FROM comments
    WHERE rank >= $start AND rank < $stop
    GROUP BY rank
)
SELECT
    w.file, w."offset", w.repo, w.repo_id, w.fork, w.number,
    coalesce(w.title, '') AS title, coalesce(w.body, '') AS body,
    coalesce(w.author, '') AS author, coalesce(w.author_type, '') AS author_type,
    w.merge_time AS merged_at,
    coalesce(w.base_ref, '') AS base_ref, coalesce(w.default_branch, '') AS default_branch,
    coalesce(w.base_sha, '') AS base_sha, coalesce(w.head_sha, '') AS head_sha,
    coalesce(w.head_repo, '') AS head_repo, w.head_repo_id,
    coalesce(w.merge_commit_sha, '') AS merge_commit_sha,
    coalesce(w.labels, []) AS labels,
    coalesce(i.issues, []) AS issues,
    coalesce(c.conversation, []) AS conversation,
    list_filter(
        [
            CASE WHEN i.late THEN 'issue_text_after_merge' END,
            CASE WHEN w.base_ref <> w.default_branch THEN 'not_default_branch' END,
            CASE WHEN from_api(w.file) THEN 'state_from_api' END,
            CASE WHEN w.type <> 'PullRequestEvent' THEN 'state_from_review' END
        ],
        lambda flag: flag IS NOT NULL
    ) AS flags,
    w.commits, w.additions, w.deletions, w.changed_files
FROM wide_pulls AS w
LEFT JOIN issue_lists AS i ON w.rank = i.rank
LEFT JOIN comment_lists AS c ON w.rank = c.rank
WHERE w.rank >= $start AND w.rank < $stop
ORDER BY w.rank;
