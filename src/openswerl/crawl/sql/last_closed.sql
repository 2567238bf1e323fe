-- Pull requests that were closed by events that do not say whether they were merged. Later events decide some: a merged
-- pull request is never reopened, nor reported as not merged. GitHub's own answer decides all.
CREATE TABLE last_closed AS
WITH fates AS (
    SELECT
        key, number,
        max(created_at) FILTER (merged IS NULL AND action IN ('closed', 'merged')) AS closed_at,
        max(created_at) FILTER (NOT merged) AS unmerged_at,
        max(created_at) FILTER (action = 'reopened') AS reopened_at
    FROM states
    GROUP BY key, number
    HAVING NOT coalesce(bool_or(merged), false) AND NOT bool_or(from_api(file))
)
SELECT s.file, s."offset", s.key, s.repo, s.repo_id, s.number, s.updated_at
FROM states AS s JOIN fates AS f ON s.key = f.key AND s.number = f.number AND s.created_at = f.closed_at
WHERE s.merged IS NULL AND s.action IN ('closed', 'merged') AND chosen(s.repo)
    AND coalesce(f.unmerged_at < f.closed_at, true) AND coalesce(f.reopened_at <= f.closed_at, true)
QUALIFY row_number() OVER (PARTITION BY s.key, s.number ORDER BY s.event_id, s.file, s."offset") = 1;
