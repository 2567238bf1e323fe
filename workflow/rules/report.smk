rule report:
    """Write the tables, the figures and the page."""
    input:
        before("report"),
    output:
        result=f"{RUN}/report/result.json",
        page=shown(f"{CFG.results}/report.html", "Results"),
        figure=shown(f"{RUN}/report/figures/resolved.svg", "Figures"),
        tables=[
            shown(f"{RUN}/report/{name}.csv", "Tables")
            for name in graph.report_tables(CFG)
        ],
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
