rule curate:
    """Filter the pull requests and choose the RL seeds (paper 2, appendix A)."""
    input:
        before("curate"),
    output:
        result=f"{RUN}/data/curate/result.json",
        pull_requests=f"{RUN}/data/curate/pull_requests.parquet",
        decontamination=f"{RUN}/data/curate/decontamination.csv",
        funnel=report(
            f"{RUN}/data/curate/funnel.csv",
            caption="../report/funnel.rst",
            category="Data",
        ),
    log:
        f"{RUN}/logs/data/curate.log",
    threads: CFG.resources.curate.threads
    resources:
        **resources("curate"),
    params:
        cfg=tracked("curate"),
        args=args,
    shell:
        "OPENSWERL_WORKERS={threads} python scripts/curate.py {params.args:q} 2>&1 | tee {log}"


use rule curate as curate_variant with:
    output:
        result=f"{EACH}/data/curate/result.json",
        pull_requests=f"{EACH}/data/curate/pull_requests.parquet",
        decontamination=f"{EACH}/data/curate/decontamination.csv",
        funnel=f"{EACH}/data/curate/funnel.csv",
    log:
        f"{EACH}/logs/data/curate.log",
    wildcard_constraints:
        variant=stages.A_VARIANT,
