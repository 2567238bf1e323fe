rule ood:
    """Ask one policy the questions of the out-of-domain suites and judge its answers (paper Table 3)."""
    input:
        before("ood"),
    output:
        result=f"{EACH}/ood/{{policy}}/seed{{seed}}/result.json",
        outcomes=f"{EACH}/ood/{{policy}}/seed{{seed}}/outcomes.jsonl",
    log:
        f"{EACH}/logs/ood/{{policy}}/seed{{seed}}.log",
    threads: CFG.resources.ood.threads
    resources:
        **resources("ood"),
    params:
        cfg=tracked("ood"),
        args=args,
    shell:
        "python scripts/ood.py {params.args:q} 2>&1 | tee {log}"
