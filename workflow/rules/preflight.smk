rule preflight:
    """Sample a few instances, score them, and say whether training is worth starting; not in the paper."""
    input:
        before("preflight"),
    output:
        result=f"{EACH}/preflight/{{rollout}}/{{reward}}/seed{{seed}}/result.json",
        page=f"{EACH}/preflight/{{rollout}}/{{reward}}/seed{{seed}}/preflight.html",
    log:
        f"{EACH}/logs/preflight/{{rollout}}/{{reward}}/seed{{seed}}.log",
    threads: CFG.resources.preflight.threads
    resources:
        **resources("preflight"),
    params:
        cfg=tracked("preflight"),
        launcher=launcher,
        args=args,
    shell:
        "SRUN_CPUS_PER_TASK={threads} {params.launcher} scripts/preflight.py {params.args:q} 2>&1 | tee {log}"
