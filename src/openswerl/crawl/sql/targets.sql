-- Which issue a link means. A name is looked up as of the merge; each issue counts once, by its first link.
CREATE TABLE targets AS
SELECT
    l.rank, l.position, l.repo, l.number, l.link, l.merge_time,
    CASE WHEN l.own THEN l.pull_key ELSE coalesce(CAST(n.repo_id AS VARCHAR), lower(l.repo)) END AS key
FROM links AS l
LEFT JOIN link_ids AS n ON lower(l.repo) = n.name AND l.merge_time = n.created_at
QUALIFY row_number() OVER (PARTITION BY l.rank, key, l.number ORDER BY l.position) = 1;

