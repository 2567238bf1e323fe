-- The events of a batch of files with the key of their repository: the id as text, or the lower-case name where no event
-- tells the id.
CREATE VIEW keyed AS
SELECT
    e.* EXCLUDE (repo_id),
    coalesce(e.repo_id, n.repo_id) AS repo_id,
    coalesce(CAST(coalesce(e.repo_id, n.repo_id) AS VARCHAR), lower(e.repo)) AS key
FROM batch AS e
LEFT JOIN event_ids AS n
    ON CASE WHEN e.repo_id IS NULL THEN lower(e.repo) END = n.name AND e.created_at = n.created_at;
