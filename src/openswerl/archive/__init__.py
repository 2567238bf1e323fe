"""Hour files of GH Archive to one Parquet file of typed events for each hour (paper 2)."""
