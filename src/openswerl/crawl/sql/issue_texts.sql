-- The text of linked issues.
SELECT l.rank, l.position, e.title, e.body, e.labels
FROM batch AS e
JOIN (FROM links_to_issues WHERE file IN (SELECT file FROM batch)) AS l ON e.file = l.file AND e."offset" = l."offset"
ORDER BY l.rank
