-- The chosen blobs of a batch of parts.
SELECT c.rank, b.* EXCLUDE (filename, file_row_number)
FROM read_parquet(getvariable('batch'), filename = true, file_row_number = true) AS b
JOIN (FROM blob_choices WHERE filename IN (SELECT unnest(getvariable('batch')))) AS c
    ON b.filename = c.filename AND b.file_row_number = c.file_row_number
ORDER BY c.rank
