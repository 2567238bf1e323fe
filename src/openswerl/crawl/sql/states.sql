-- What events say of pull requests, without text. A time of merge says that it was merged, also in review events.
SELECT
    file, "offset", lpad(event_id, 20, ' ') AS event_id, type, action, created_at, repo, repo_id, key, number,
    coalesce(merged, CASE WHEN merged_at IS NOT NULL THEN true END) AS merged,
    coalesce(merged_at, created_at) AS merge_time,
    coalesce(updated_at, created_at) AS updated_at
FROM keyed
WHERE number IS NOT NULL AND (type = 'PullRequestEvent' OR merged_at IS NOT NULL)
