rule grpo:
    """Train one policy by GRPO against one reward (paper 2.2, Eq. 1 and 2)."""
    input:
        before("grpo"),
    output:
        result=f"{EACH}/grpo/{{reward}}/seed{{seed}}/result.json",
        metrics=f"{EACH}/grpo/{{reward}}/seed{{seed}}/metrics.jsonl",
        policy=directory(f"{EACH}/grpo/{{reward}}/seed{{seed}}/policy"),
    log:
        f"{EACH}/logs/grpo/{{reward}}/seed{{seed}}.log",
    threads: CFG.resources.grpo.threads
    resources:
        **resources("grpo"),
    params:
        cfg=tracked("grpo"),
        launcher=launcher,
        args=args,
    shell:
        "SRUN_CPUS_PER_TASK={threads} {params.launcher} scripts/grpo.py {params.args:q} 2>&1 | tee {log}"
