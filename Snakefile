# Path grammar, <run> = <results>/<scale>:
#   <run>/laptop/                            the generated world: archive hours, clones, mini benchmark
#   <run>/data/archive/<span>/               typed events of hour files
#   <run>/data/{crawl,curate,relate}/        the data funnel
#   <run>/preflight/<rollout>/<reward>/seed<k>/   what a few samples say before training
#   <run>/sft/<sft>/seed<k>/                 policies by supervised fine-tuning
#   <run>/grpo/<reward>/seed<k>/             policies by GRPO
#   <run>/answer/<policy>/seed<k>/<part>/    answers to a part of the benchmark, where parts > 1
#   <run>/evaluate/<policy>/seed<k>/         repair outcomes of one policy
#   <run>/ood/<policy>/seed<k>/              out-of-domain outcomes of one policy
#   <run>/variants/<name>/...                what a variant changes, by the same grammar
#   <run>/report/, <results>/report.html     tables, figures, the page
#   <run>/logs/, <run>/costs/                mirror the above; costs/costs.csv is the sum by stage
from snakemake.utils import min_version

min_version("9.27")


# Of use with --sdm apptainer alone; `make image` builds it.
container: "openswerl.sif"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/laptop.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/crawl.smk"
include: "workflow/rules/curate.smk"
include: "workflow/rules/relate.smk"
include: "workflow/rules/preflight.smk"
include: "workflow/rules/sft.smk"
include: "workflow/rules/grpo.smk"
include: "workflow/rules/answer.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/ood.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/wandb_report.smk"


localrules:
    all,
    archive_all,
    preflight_all,
    sft_all,
    grpo_all,
    evaluate_all,
    ood_all,
    wandb_report,


onsuccess:
    failures.tell_tries(log)


onerror:
    failures.tell(log)


rule all:
    default_target: True
    input:
        rules.report.output,


rule archive_all:
    input:
        before("crawl"),


rule preflight_all:
    input:
        lambda w: files(graph.preflight_cells(conf.Cell("report", OVERRIDES))),


rule sft_all:
    input:
        cells("sft"),


rule grpo_all:
    input:
        cells("grpo"),


rule evaluate_all:
    input:
        cells("evaluate"),


rule ood_all:
    input:
        cells("ood"),
