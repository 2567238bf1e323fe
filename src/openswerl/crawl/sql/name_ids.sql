-- The repository that a name stood for at a time: the id of the sighting nearest in time, the earlier of two equals.
-- Names change hands, so one name may have many ids. {wanted}: name (lower case), created_at.
CREATE TABLE {into} AS
WITH wanted AS (SELECT DISTINCT name, created_at FROM {wanted}),
sightings AS (
    SELECT lower(repo) AS name, created_at, min(repo_id) AS repo_id
    FROM events
    WHERE repo_id IS NOT NULL AND lower(repo) IN (SELECT name FROM wanted)
    GROUP BY ALL
),
neighbours AS (
    SELECT w.name, w.created_at, s.repo_id, s.created_at AS seen_at
    FROM wanted AS w ASOF JOIN sightings AS s ON w.name = s.name AND w.created_at >= s.created_at
    UNION ALL
    SELECT w.name, w.created_at, s.repo_id, s.created_at AS seen_at
    FROM wanted AS w ASOF JOIN sightings AS s ON w.name = s.name AND w.created_at < s.created_at
)
SELECT name, created_at, repo_id
FROM neighbours
QUALIFY row_number() OVER (
    PARTITION BY name, created_at
    ORDER BY abs(epoch(try_cast(seen_at AS TIMESTAMP)) - epoch(try_cast(created_at AS TIMESTAMP))), seen_at
) = 1;
