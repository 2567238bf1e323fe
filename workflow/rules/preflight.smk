rule preflight:
    """Sample a few instances, score them, and say whether training is worth starting; not in the paper."""
    input:
        before("preflight"),
    output:
        result=f"{EACH}/preflight/{{rollout}}/{{reward}}/seed{{seed}}/result.json",
        page=f"{EACH}/preflight/{{rollout}}/{{reward}}/seed{{seed}}/preflight.html",
    log:
        f"{EACH}/logs/preflight/{{rollout}}/{{reward}}/seed{{seed}}.log",
    threads: CFG.processes
    resources:
        mem_mb=4000,
        runtime=60,
        gpu=0,
    params:
        cfg=tracked("preflight"),
        launcher=launcher,
        args=args,
    shell:
        "{params.launcher} scripts/preflight.py {params.args:q} 2>&1 | tee {log}"
