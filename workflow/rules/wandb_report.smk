# A target, not a stage: it has no result, so it runs whenever it is asked for.
rule wandb_report:
    """Publish the W&B Report; it wants a login."""
    input:
        rules.report.output,
    log:
        f"{RUN}/logs/wandb_report.log",
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
        gpu=0,
    params:
        args=args,
    shell:
        "python scripts/wandb_report.py {params.args:q} 2>&1 | tee {log}"
