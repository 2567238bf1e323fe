rule archive:
    """Download hours of GH Archive and read them, each into a Parquet file (paper 2)."""
    input:
        before("archive"),
        hour_files,
    output:
        result=f"{EACH}/data/archive/{{span}}/result.json",
        coverage=f"{EACH}/data/archive/{{span}}/coverage.csv",
        quarantine=f"{EACH}/data/archive/{{span}}/quarantine.jsonl",
    log:
        f"{EACH}/logs/data/archive/{{span}}.log",
    threads: CFG.resources.archive.threads
    resources:
        **resources("archive"),
    params:
        cfg=tracked("archive"),
        args=args,
    shell:
        "OPENSWERL_WORKERS={threads} python scripts/archive.py {params.args:q} 2>&1 | tee {log}"
