-- The text of the conversation up to the merge.
SELECT
    c.rank, c.kind, c.said_at, c.comment_id, c.identity,
    coalesce(e.comment_author, e.actor) AS author,
    coalesce(e.comment_author_type, '') AS author_type,
    coalesce(e.comment_path, '') AS path,
    e.comment_body AS body
FROM batch AS e
JOIN (FROM conversation WHERE said_at <= merge_time AND file IN (SELECT file FROM batch)) AS c
    ON e.file = c.file AND e."offset" = c."offset"
ORDER BY c.rank
