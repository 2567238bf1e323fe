rule sft:
    """Train one supervised baseline (paper 3.1, appendix C)."""
    input:
        before("sft"),
    output:
        result=f"{EACH}/sft/{{sft}}/seed{{seed}}/result.json",
        metrics=f"{EACH}/sft/{{sft}}/seed{{seed}}/metrics.jsonl",
        policy=directory(f"{EACH}/sft/{{sft}}/seed{{seed}}/policy"),
    log:
        f"{EACH}/logs/sft/{{sft}}/seed{{seed}}.log",
    threads: CFG.resources.sft.threads
    resources:
        **resources("sft"),
    params:
        cfg=tracked("sft"),
        launcher=launcher,
        args=args,
    shell:
        "SRUN_CPUS_PER_TASK={threads} {params.launcher} scripts/sft.py {params.args:q} 2>&1 | tee {log}"
