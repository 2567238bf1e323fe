-- Comments, reviews and review comments on merged pull requests, without text. A review without words says nothing.
SELECT
    p.rank, p.merge_time, e.file, e."offset", lpad(e.event_id, 20, ' ') AS event_id, e.action, e.created_at,
    CASE e.type
        WHEN 'IssueCommentEvent' THEN 'comment'
        WHEN 'PullRequestReviewEvent' THEN 'review'
        ELSE 'review_comment'
    END AS kind,
    e.comment_id,
    coalesce(e.comment_at, e.created_at) AS said_at,
    coalesce(
        CAST(e.comment_id AS VARCHAR),
        md5(concat_ws(chr(0), coalesce(e.comment_author, e.actor), said_at, e.comment_path, e.comment_body))
    ) AS identity
FROM keyed AS e JOIN pulls AS p ON e.key = p.key AND e.number = p.number
WHERE e.type IN ('IssueCommentEvent', 'PullRequestReviewEvent', 'PullRequestReviewCommentEvent')
    AND (trim(e.comment_body, E' \t\r\n') <> '' OR e.action = 'deleted')
