rule report:
    """Write the tables, the figures and the page."""
    input:
        before("report"),
    output:
        result=f"{RUN}/report/result.json",
        table=report(
            f"{RUN}/report/table2.csv",
            caption="../report/table2.rst",
            category="Results",
        ),
        page=report(
            f"{CFG.results}/report.html",
            caption="../report/page.rst",
            category="Results",
        ),
    log:
        f"{RUN}/logs/report.log",
    threads: CFG.resources.report.threads
    resources:
        **resources("report"),
    params:
        cfg=tracked("report"),
        args=args,
    shell:
        "python scripts/report.py {params.args:q} 2>&1 | tee {log}"
