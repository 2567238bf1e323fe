"""The relate stage: RL seeds and clones in, RL-ready instances out."""

import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, nullcontext
from functools import partial
from typing import Any

from openswerl.archive.sources import clones_folder
from openswerl.crawl.clone import Clones
from openswerl.crawl.git import require_git
from openswerl.files import write_text
from openswerl.parquet import iter_parquet, open_parquet
from openswerl.records import PullRequest
from openswerl.relate.ask import open_asker
from openswerl.relate.chunks import CHUNK, chunks, in_order
from openswerl.relate.making import Made, Task, ask, make_chunk
from openswerl.relate.quality import Quality
from openswerl.relate.sink import Sink
from openswerl.stage import Job
from openswerl.workers import end_with_parent, workers

MEASURED = 2000
PROGRESS = 500


def run(job: Job) -> dict[str, Any]:
    """Write instances.parquet and .jsonl, related.jsonl, dropped.jsonl and quality.csv; README.md tells what is what.

    Quality is measured on about 2,000 instances. Raises UserError if the clones' folder, git or the predictor is
    missing.
    """
    require_git()
    clones, cfg = Clones(clones_folder(job.cfg.data, job.inputs)), job.cfg.relate
    seeds = job.inputs["curate"] / "pull_requests.parquet"
    with open_parquet(seeds) as file:
        count = file.metadata.num_rows
    asker = open_asker(cfg, job.cfg.serving, job.scratch / "answers.jsonl")
    tasks = (ask(pulls, clones, asker) for pulls in chunks(iter_parquet(seeds, PullRequest)))
    work = partial(make_chunk, clones=clones, cfg=cfg, share=min(1.0, MEASURED / max(count, 1)))
    quality = Quality()
    with Sink(job.out) as sink, closing(asker) if asker else nullcontext():
        for made in _all(work, tasks, count):
            sink.write(made)
            quality.add(made.hits)
            if sink.seeds % PROGRESS == 0:
                print(f"relate: {sink.seeds} of {count} seeds", file=sys.stderr, flush=True)
    write_text(job.out / "quality.csv", quality.csv())
    found = sink.summary()
    told = ", ".join(f"{reason} {number}" for reason, number in found["dropped"].items())
    print(f"relate: {count} seeds, {found['instances']} instances; dropped: {told or 'none'}")
    return found | {"measured": quality.measured}


def _all(work: Callable[[Task], list[Made]], tasks: Iterator[Task], count: int) -> Iterator[Made]:
    """Yield what became of every seed, in order; a few seeds are not worth a process."""
    if count <= CHUNK or workers() == 1:
        yield from (made for task in tasks for made in work(task))
        return
    # Not a fork: a model may be in memory here, and its threads do not survive one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers(), context, end_with_parent) as pool:
        for group in in_order(pool, work, tasks, 2 * workers()):
            yield from group
