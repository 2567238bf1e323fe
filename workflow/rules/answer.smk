rule answer:
    """Ask a policy about a part of the benchmark and run the tests (paper 3.1, 3.2)."""
    input:
        before("answer"),
    output:
        result=f"{EACH}/answer/{{policy}}/seed{{seed}}/{{part}}/result.json",
        answers=f"{EACH}/answer/{{policy}}/seed{{seed}}/{{part}}/answers.jsonl",
        executions=f"{EACH}/answer/{{policy}}/seed{{seed}}/{{part}}/executions.sqlite",
    log:
        f"{EACH}/logs/answer/{{policy}}/seed{{seed}}/{{part}}.log",
    threads: CFG.resources.answer.threads
    resources:
        **resources("answer"),
    params:
        cfg=tracked("answer"),
        args=args,
    shell:
        "python scripts/answer.py {params.args:q} 2>&1 | tee {log}"
