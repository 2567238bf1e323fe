rule laptop:
    """Generate the laptop world: archive hour files, clones, and the mini benchmark."""
    output:
        result=f"{RUN}/laptop/result.json",
        benchmark=f"{RUN}/laptop/benchmark/rows.jsonl",
    log:
        f"{RUN}/logs/laptop.log",
    threads: CFG.resources.laptop.threads
    resources:
        **resources("laptop"),
    params:
        cfg=tracked("laptop"),
        args=args,
    shell:
        "python scripts/laptop.py {params.args:q} 2>&1 | tee {log}"


use rule laptop as laptop_variant with:
    output:
        result=f"{EACH}/laptop/result.json",
        benchmark=f"{EACH}/laptop/benchmark/rows.jsonl",
    log:
        f"{EACH}/logs/laptop.log",
    wildcard_constraints:
        variant=stages.A_VARIANT,
