TABLES = ["table2", "paired", "ablation", "causes", "zero_variance"]
TABLES += ["table1"] if any(CFG.evaluate.mini.splits.values()) else []
TABLES += ["table3"] if graph.ood_policies(CFG) else []


rule report:
    """Write the tables, the figures and the page."""
    input:
        before("report"),
    output:
        result=f"{RUN}/report/result.json",
        page=report(
            f"{CFG.results}/report.html",
            caption="../report/page.rst",
            category="Results",
        ),
        figure=report(
            f"{RUN}/report/figures/resolved.svg",
            caption="../report/resolved.rst",
            category="Figures",
        ),
        tables=[
            report(
                f"{RUN}/report/{name}.csv",
                caption=f"../report/{name}.rst",
                category="Tables",
            )
            for name in TABLES
        ],
    log:
        f"{RUN}/logs/report.log",
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        gpu=0,
    params:
        cfg=tracked("report"),
        args=args,
    shell:
        "python scripts/report.py {params.args:q} 2>&1 | tee {log}"
