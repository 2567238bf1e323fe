-- One place for each blob of the parts. A clone may lack what another one has: text comes first.
CREATE TABLE blob_choices AS
SELECT row_number() OVER (ORDER BY sha) - 1 AS rank, *
FROM (
    SELECT sha, size, filename, file_row_number
    FROM read_parquet(getvariable('events'), filename = true, file_row_number = true)
    QUALIFY row_number() OVER (PARTITION BY sha ORDER BY content IS NULL, reason, filename, file_row_number) = 1
);
