-- The text and counts of the chosen states.
SELECT
    p.rank, p.merge_time, p.repo, p.repo_id, p.number, e.file, e."offset", e.type, e.title, e.body, e.author,
    e.author_type, e.labels, e.merge_commit_sha, e.base_sha, e.base_ref, e.default_branch, e.fork, e.head_sha,
    e.head_repo, e.head_repo_id, e.commits, e.additions, e.deletions, e.changed_files
FROM batch AS e
JOIN (FROM pulls WHERE file IN (SELECT file FROM batch)) AS p ON e.file = p.file AND e."offset" = p."offset"
ORDER BY p.rank
