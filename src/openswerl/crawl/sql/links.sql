-- The closing keywords that Python found; `own`: the link names the repository of its pull request.
CREATE TABLE links AS
SELECT l.*, p.key AS pull_key, p.merge_time, lower(l.repo) = lower(p.repo) AS own
FROM read_csv(
    '{path}', auto_detect = false, header = false, delim = ',', quote = '', escape = '',
    columns = {{'rank': 'BIGINT', 'position': 'BIGINT', 'repo': 'VARCHAR', 'number': 'BIGINT', 'link': 'VARCHAR'}}
) AS l
JOIN pulls AS p ON l.rank = p.rank;
