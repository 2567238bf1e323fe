rule evaluate:
    """Repair the benchmark with one policy and run the tests (paper 3.2, Table 2)."""
    input:
        before("evaluate"),
    output:
        result=f"{EACH}/evaluate/{{policy}}/seed{{seed}}/result.json",
        outcomes=f"{EACH}/evaluate/{{policy}}/seed{{seed}}/outcomes.jsonl",
        predictions=f"{EACH}/evaluate/{{policy}}/seed{{seed}}/predictions.jsonl",
    log:
        f"{EACH}/logs/evaluate/{{policy}}/seed{{seed}}.log",
    threads: CFG.resources.evaluate.threads
    resources:
        **resources("evaluate"),
    params:
        cfg=tracked("evaluate"),
        args=args,
    shell:
        "python scripts/evaluate.py {params.args:q} 2>&1 | tee {log}"
