-- Each remark once: in its last form at or before the merge, else in the first one after it. What was deleted is left out.
CREATE TABLE conversation AS
SELECT rank, merge_time, file, "offset", kind, comment_id, said_at, identity
FROM remarks
QUALIFY row_number() OVER (
    PARTITION BY rank, kind, identity
    ORDER BY
        created_at > merge_time,
        CASE WHEN created_at <= merge_time THEN created_at END DESC,
        created_at,
        event_id DESC, file DESC, "offset" DESC
) = 1 AND NOT bool_or(action = 'deleted') OVER (PARTITION BY rank, kind, identity);
