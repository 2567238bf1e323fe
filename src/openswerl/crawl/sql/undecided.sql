-- The same with the commits.
SELECT c.*, coalesce(e.base_sha, '') AS base_sha, coalesce(e.head_sha, '') AS head_sha
FROM batch AS e
JOIN (FROM last_closed WHERE file IN (SELECT file FROM batch)) AS c ON e.file = c.file AND e."offset" = c."offset"
