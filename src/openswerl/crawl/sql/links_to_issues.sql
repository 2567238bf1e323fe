-- A pull request is no issue. The text of an issue is the latest at or before the merge, else the first one after it; an
-- issue without text stays, as the link itself is known.
CREATE TABLE links_to_issues AS
SELECT t.rank, t.position, t.repo, t.number, t.link, m.file, m."offset", coalesce(m.created_at > t.merge_time, false) AS late
FROM targets AS t
ANTI JOIN (FROM mentions WHERE is_pull) AS p ON t.key = p.key AND t.number = p.number
LEFT JOIN (FROM mentions WHERE has_text) AS m ON t.key = m.key AND t.number = m.number
QUALIFY row_number() OVER (
    PARTITION BY t.rank, t.position
    ORDER BY
        m.created_at > t.merge_time,
        CASE WHEN m.created_at <= t.merge_time THEN m.created_at END DESC,
        m.created_at,
        m.event_id DESC, m.file DESC, m."offset" DESC
) = 1;
