-- Events about linked issues, without text.
SELECT
    e.file, e."offset", lpad(e.event_id, 20, ' ') AS event_id, e.created_at, e.key, e.number,
    coalesce(e.is_pull, false) OR starts_with(e.type, 'PullRequest') AS is_pull,
    e.title IS NOT NULL AS has_text
FROM keyed AS e
SEMI JOIN targets AS t ON e.key = t.key AND e.number = t.number
