"""The model that names files: the real laptop checkpoint, and recorded answers."""

import json
import subprocess
import sys

import msgspec
import pytest

from openswerl.config import load
from openswerl.errors import UserError
from openswerl.files import read_jsonl
from openswerl.models.prompts import digest_of
from openswerl.parquet import read_parquet
from openswerl.records import PullRequest
from openswerl.relate import Query, Tree, open_asker
from openswerl.relate.answers import Answer
from openswerl.relate.ask import Recorded
from openswerl.relate.making import ask
from openswerl.relate.prompt import listing, related_prompt
from relate.seeds import World, clones_in, job_of, run_relate
from servers import running, status

LAPTOP = (
    "relate=llm",
    *("relate.llm.model.path=null", "relate.llm.model.name=laptop", "relate.llm.model.dtype=float32"),
    *("relate.llm.model.prompt=compact", "relate.llm.rollout.backend=local", "relate.llm.rollout.batch_rows=8"),
)
QUERY = Query("Mend it", "It breaks", ("pkg/core.py",))


@pytest.fixture
def world(tmp_path) -> World:
    world = World(tmp_path)
    for number in (1, 2):
        world.pull(number, {"pkg/a.py": f"x = {number + 1}\n"}, title=f"Change x to {number}")
    world.write()
    return world


def record(world: World, texts: dict[int, str]) -> None:
    """Write what a model would have said of each pull request, where the stage keeps it."""
    job, lines = job_of(world.folder, *LAPTOP), []
    with clones_in(world.folder).open("Acme/widget") as clone:
        for number, text in texts.items():
            tree = Tree(clone, world.base)
            query = Query(f"Change x to {number}", "", ("pkg/a.py",))
            prompt = related_prompt(query, *listing(query, tree, job.cfg.relate), job.cfg.relate)
            lines.append(msgspec.json.encode(Recorded(digest_of(prompt), Answer(text))))
    job.scratch.mkdir(parents=True)
    (job.scratch / "answers.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def test_the_real_sampler_is_asked_and_nothing_false_gets_through(world, tmp_path):
    """The laptop's base model was never taught this question, so its answers must all be refused, and counted."""
    limits = ("relate.llm.model.max_prompt_tokens=900", "relate.llm.model.max_response_tokens=8")
    result, instances = run_relate(tmp_path, *LAPTOP, *limits)
    assert (result["instances"], result["related_files"]) == (2, 0)
    assert sum(result["passed_over"].values()) == 2 and set(result["passed_over"]) <= {"malformed", "unfinished"}
    assert all(instance.related_unchanged_files == [] for instance in instances)
    answers = (job_of(tmp_path, *LAPTOP).scratch / "answers.jsonl").read_bytes()
    assert len(answers.splitlines()) == 2 and all(json.loads(line)["answer"][0] for line in answers.splitlines())
    assert run_relate(tmp_path, *LAPTOP, *limits) == (result, instances), "recorded answers are taken"
    assert (job_of(tmp_path, *LAPTOP).scratch / "answers.jsonl").read_bytes() == answers


def test_recorded_answers_need_no_model_and_good_names_are_shown(world, tmp_path):
    record(world, {1: "<files>\npkg/c.py\npkg/ghost.py\n</files>", 2: "<files>\npkg/a.py\n</files>"})
    result, instances = run_relate(tmp_path, *LAPTOP)
    shown = [[file.path for file in instance.related_unchanged_files] for instance in instances]
    assert shown == [["pkg/c.py"], []]
    assert (result["related_files"], result["passed_over"]) == (1, {"changed": 1, "hallucinated": 1})
    rows = read_jsonl(tmp_path / "relate" / "related.jsonl")
    assert rows[0]["reasons"] == ["named by laptop"]


def test_a_prompt_that_is_too_long_is_not_asked(world, tmp_path):
    result, _ = run_relate(tmp_path, *LAPTOP, "relate.llm.model.max_prompt_tokens=20")
    assert result["passed_over"] == {"prompt_too_long": 2}


def test_what_a_kill_leaves_of_the_last_line_is_asked_again(tree, tmp_path):
    cfg, path = load(*LAPTOP).relate, tmp_path / "answers.jsonl"
    prompt = related_prompt(QUERY, *listing(QUERY, tree, cfg), cfg)
    good = msgspec.json.encode(Recorded(digest_of(prompt), Answer("<files>pkg/util.py</files>"))) + b"\n"
    path.write_bytes(good + good[:-9])
    assert open_asker(cfg, load().serving, path).ask([(QUERY, tree)]) == [Answer("<files>pkg/util.py</files>")]
    assert path.read_bytes() == good


def elsewhere(url: str, folder) -> tuple[str, ...]:
    """relate=llm with a model behind an address."""
    endpoint = {"base_url": f"{url}/v1", "model": "m"}
    return (
        *("relate=llm", "rollout@relate.llm.rollout=openai", f"serving.folder={folder}", "serving.attempts=1"),
        *(f"relate.llm.rollout.endpoint.{key}={value}" for key, value in endpoint.items()),
    )


def test_a_model_elsewhere_is_asked_and_what_it_did_not_answer_is_told_and_asked_again(world, tmp_path):
    """The first run's first question meets a server's fault; the second run asks it alone."""
    choices = [{"index": 0, "message": {"content": "<files>\npkg/c.py\n</files>"}, "finish_reason": "stop"}]
    with running(lambda handler, body: handler.reply(200, json.dumps({"choices": choices}).encode())) as server:
        server.script["/v1/chat/completions"] = [status(500)]
        overrides = (*elsewhere(server.url, tmp_path / "responses"), "serving.connections=1")
        result, _ = run_relate(tmp_path, *overrides)
        assert (result["related_files"], result["passed_over"]) == (1, {"server_error": 1})
        record = job_of(tmp_path, *overrides).scratch / "answers.jsonl"
        assert len(record.read_bytes().splitlines()) == 1 == len(server.asked) - 1
        result, instances = run_relate(tmp_path, *overrides)
        assert (result["related_files"], result["passed_over"], len(server.asked)) == (2, {}, 3)
    assert [[file.path for file in one.related_unchanged_files] for one in instances] == [["pkg/c.py"], ["pkg/c.py"]]


def test_a_seed_whose_commit_is_lost_is_not_asked_about(world, tmp_path):
    pulls = read_parquet(tmp_path / "curate" / "pull_requests.parquet", PullRequest)
    lost = msgspec.structs.replace(pulls[0], merge_base="1" * 40)
    record(world, {2: "<files></files>"})
    job = job_of(tmp_path, *LAPTOP)
    task = ask(
        [lost, pulls[1]],
        clones_in(tmp_path),
        open_asker(job.cfg.relate, job.cfg.serving, job.scratch / "answers.jsonl"),
    )
    assert [answer.fault for answer in task.answers] == ["not_asked", ""]


def test_a_predictor_without_a_model_asks_nobody():
    assert open_asker(load().relate, load().serving) is None
    with pytest.raises(UserError, match="choose relate=llm"):
        open_asker(load("relate.predictor=llm").relate, load().serving)


def test_torch_is_imported_when_a_model_is_asked_and_not_before():
    code = "import sys, openswerl.relate.run; print('torch' in sys.modules or 'transformers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
