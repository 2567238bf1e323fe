rule crawl:
    """Join archive events and git into pull requests (paper 2)."""
    input:
        before("crawl"),
    output:
        result=f"{RUN}/data/crawl/result.json",
        pull_requests=f"{RUN}/data/crawl/pull_requests.parquet",
        blobs=f"{RUN}/data/crawl/blobs.parquet",
        quarantine=f"{RUN}/data/crawl/quarantine.jsonl",
    log:
        f"{RUN}/logs/data/crawl.log",
    threads: CFG.resources.crawl.threads
    resources:
        **resources("crawl"),
    params:
        cfg=tracked("crawl"),
        args=args,
    shell:
        "OPENSWERL_WORKERS={threads} python scripts/crawl.py {params.args:q} 2>&1 | tee {log}"


use rule crawl as crawl_variant with:
    output:
        result=f"{EACH}/data/crawl/result.json",
        pull_requests=f"{EACH}/data/crawl/pull_requests.parquet",
        blobs=f"{EACH}/data/crawl/blobs.parquet",
        quarantine=f"{EACH}/data/crawl/quarantine.jsonl",
    log:
        f"{EACH}/logs/data/crawl.log",
    wildcard_constraints:
        variant=stages.A_VARIANT,
