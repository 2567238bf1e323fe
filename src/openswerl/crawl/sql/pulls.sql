-- One state for each merged pull request: the last one at or before the merge, else the first one after it.
-- Review events, which lack the counts, serve only where no pull request event says that it was merged.
CREATE TABLE merged_pulls AS
SELECT file, "offset", repo, repo_id, key, number, merge_time
FROM states
WHERE merged
QUALIFY row_number() OVER (
    PARTITION BY key, number
    ORDER BY
        type <> 'PullRequestEvent',
        updated_at > merge_time,
        CASE WHEN updated_at <= merge_time THEN updated_at END DESC,
        updated_at,
        created_at DESC, event_id DESC, file DESC, "offset" DESC
) = 1;

CREATE TABLE pulls AS
SELECT row_number() OVER (ORDER BY lower(repo), number, key) - 1 AS rank, *
FROM merged_pulls
WHERE chosen(repo);
