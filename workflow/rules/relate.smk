rule relate:
    """Add relevant unchanged files and build the training instances (paper 2.1)."""
    input:
        before("relate"),
    output:
        result=f"{RUN}/data/relate/result.json",
        instances=f"{RUN}/data/relate/instances.parquet",
        lines=f"{RUN}/data/relate/instances.jsonl",
        quality=f"{RUN}/data/relate/quality.csv",
    log:
        f"{RUN}/logs/data/relate.log",
    threads: CFG.resources.relate.threads
    resources:
        **resources("relate"),
    params:
        cfg=tracked("relate"),
        args=args,
    shell:
        "OPENSWERL_WORKERS={threads} python scripts/relate.py {params.args:q} 2>&1 | tee {log}"


use rule relate as relate_variant with:
    output:
        result=f"{EACH}/data/relate/result.json",
        instances=f"{EACH}/data/relate/instances.parquet",
        lines=f"{EACH}/data/relate/instances.jsonl",
        quality=f"{EACH}/data/relate/quality.csv",
    log:
        f"{EACH}/logs/data/relate.log",
    wildcard_constraints:
        variant=stages.A_VARIANT,
