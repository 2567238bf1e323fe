import difflib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from openswerl.compose import load
from openswerl.edits import Block, TooLargeError, render
from openswerl.errors import UserError
from openswerl.reward import Score, ScorePool, open_rewards, score
from openswerl.reward.processes import Processes
from openswerl.reward.scoring import score_small
from openswerl.reward.settings import Call, Settings

Triple = tuple[dict[str, str], dict[str, str], str]


def new_file(predicted: str, oracle: str) -> Triple:
    block = f"```python\n### n.py\n<<<<<<< SEARCH\n\n=======\n{predicted}\n>>>>>>> REPLACE\n```"
    return {}, {"n.py": oracle}, f"<think>t</think><solution>{block}</solution>"


def words(seed: int, lines: int) -> str:
    draw = random.Random(seed)
    return "\n".join("".join(draw.choices("abcdefg =", k=20)) for _ in range(lines))


def plain_score(triple: Triple) -> float:
    """The similarity by difflib, on diffs of a new file written out by hand."""
    predicted, oracle = triple[2].split("=======\n")[1].split("\n>>>>>>>")[0], triple[1]["n.py"]
    bodies = [
        f"@@ -0,0 +1{',' + str(len(lines)) if len(lines) > 1 else ''} @@\n" + "\n".join("+" + line for line in lines)
        for lines in (predicted.split("\n"), oracle.split("\n"))
    ]
    return difflib.SequenceMatcher(None, *bodies, autojunk=False).ratio()


SMALL = new_file("x = 1", "x = 2")
LARGE = new_file(words(1, 60), words(2, 60))
PATHOLOGICAL = new_file(words(3, 4000), words(4, 4000))
TIMEOUT = Score(None, "timeout")


def test_the_examples_are_on_their_side_of_the_bound() -> None:
    score_small(Call(*SMALL), Settings())
    for triple in (LARGE, PATHOLOGICAL):
        with pytest.raises(TooLargeError):
            score_small(Call(*triple), Settings())


def test_scores_keep_their_order_and_equal_plain_difflib() -> None:
    with ScorePool(workers=2, time_limit_s=60) as pool:
        triples = [SMALL, LARGE, new_file(words(5, 70), words(6, 50)), SMALL]
        assert [scored.reward for scored in pool.score_many(triples)] == [plain_score(triple) for triple in triples]


def test_a_time_out_is_recorded_and_the_pool_keeps_working() -> None:
    """Without the kill the pathological pair takes more than ten minutes, past the session's time-out."""
    before = psutil.Process().children()
    with ScorePool(workers=1, time_limit_s=2) as pool:
        scores = pool.score_many([PATHOLOGICAL, LARGE, PATHOLOGICAL, SMALL])
        assert (scores[0], scores[2]) == (TIMEOUT, TIMEOUT)
        assert [scores[1].reward, scores[3].reward] == [plain_score(LARGE), plain_score(SMALL)]
        assert pool.score_many([LARGE]) == [scores[1]]
    assert psutil.Process().children() == before


def test_a_single_score_has_the_same_limit() -> None:
    before = psutil.Process().children()
    assert score(*PATHOLOGICAL, time_limit_s=0.3) == TIMEOUT
    assert score(*LARGE, time_limit_s=60) == score(*LARGE)
    assert score(*SMALL, time_limit_s=0.3) == score(*SMALL)
    for process in set(psutil.Process().children()).difference(before):
        process.kill()


def test_the_time_of_a_scoring_is_told_and_a_time_out_has_the_limit_s() -> None:
    with ScorePool(time_limit_s=0.5, cache_size=8) as pool:
        small, late = pool.score_many([SMALL, PATHOLOGICAL])
        assert 0 < small.seconds < 0.5 and late.seconds == 0.5
        assert [scored.seconds for scored in pool.score_many([SMALL])] == [0.0]


def test_equal_answers_are_scored_once_and_a_time_out_is_tried_again() -> None:
    with ScorePool(time_limit_s=0.5, cache_size=8) as pool:
        first, second, third = pool.score_many([PATHOLOGICAL, SMALL, PATHOLOGICAL])
        assert first is third
        late, known = pool.score_many([PATHOLOGICAL, SMALL])
        assert (late, late.seconds, known, known.seconds) == (TIMEOUT, 0.5, second, 0.0)


def test_the_config_opens_a_pool_by_its_rules() -> None:
    cfg = load("reward=discrete", "edits=paper", "reward.format_penalty=-0.5")
    context, oracle = {"a.py": "x\n"}, {"a.py": "y\n"}
    output = render("t", [Block("./a.py", "x", "y")])
    with open_rewards(cfg.reward, cfg.edits) as pool:
        assert pool.score_many([(context, oracle, output)]) == [Score(-0.5, "search_not_found")]
    with open_rewards(cfg.reward, load().edits) as pool:
        assert pool.score_many([(context, oracle, output)]) == [Score(1.0, None, {"a.py": 1.0}, ("dot_slash",))]


def test_small_answers_start_no_process() -> None:
    with ScorePool(time_limit_s=1) as pool:
        before = psutil.Process().children()
        pool.score_many([SMALL, ({}, {}, "no tags")] * 3)
        assert psutil.Process().children() == before


def test_what_is_equal_costs_nothing_however_large() -> None:
    same = words(7, 3000)
    assert score_small(Call(*new_file(same, same)), Settings()).reward == 1.0
    context, oracle, output = SMALL
    assert score_small(Call(context | {"big": same}, oracle | {"big": same}, output), Settings()) == score(*SMALL)


def test_a_small_change_of_a_long_file_is_large_for_the_line_diff() -> None:
    long = words(8, 3000)
    call = Call({"f": long}, {"f": long + "x"}, new_file("x = 1", "")[2])
    with pytest.raises(TooLargeError):
        score_small(call, Settings())
    assert score(*call[:3], time_limit_s=60) == score(*call[:3]) == Score(0.0, files={"f": 0.0, "n.py": 0.0})


def test_a_dead_worker_is_replaced() -> None:
    before = set(psutil.Process().children())
    with ScorePool(time_limit_s=60) as pool:
        first = pool.score_many([LARGE])
        (worker,) = set(psutil.Process().children()) - before
        worker.kill()
        assert pool.score_many([LARGE]) == first


def blocks(count: int, *pairs: tuple[str, str]) -> str:
    """An answer of `count` doublings of a line, then the pairs."""
    return render("t", [*[Block("a.c", "}", "}\n}")] * count, *(Block("a.c", *pair) for pair in pairs)])


def test_blocks_that_multiply_lines_are_applied_in_a_process() -> None:
    """22 doublings and then swaps: two thousand characters that made a file of millions in the trainer's process."""
    swaps = [("}", "{"), ("{", "}")] * 5
    for count in (17, 22):
        call = Call({"a.c": "}\n"}, {"a.c": "{}\n"}, blocks(count, *swaps))
        with pytest.raises(TooLargeError):
            score_small(call, Settings())
    with ScorePool(time_limit_s=60) as pool:
        assert pool.score_many([call]) == [Score(-1.0, "result_too_large")]


def test_a_scoring_that_needs_too_much_memory_is_told_and_the_process_goes_on(make_kind: Callable[..., str]) -> None:
    kind = make_kind("greedy", "Value(float(bool(bytearray(int(work.call.output)))), {})")
    with ScorePool(kind, time_limit_s=60) as pool:
        pool.score_many([({}, {}, "1")])
        started = psutil.Process().children()
        scores = pool.score_many([({}, {}, str(3 << 30)), ({}, {}, "2")])
        assert scores == [Score(None, "memory_limit"), Score(1.0)]
        assert psutil.Process().children() == started


class Poison(dict):
    """Kills the process that unpickles it."""

    def __reduce__(self) -> tuple:
        return os._exit, (3,)


def test_a_call_that_kills_its_worker_twice_is_given_up_and_the_others_are_scored() -> None:
    processes = Processes(2)
    calls = [Call(*LARGE), Call(Poison(), {}, ""), Call(*LARGE)]
    try:
        first, dead, last = processes.run(calls, Settings(), 60)
    finally:
        processes.close()
    assert dead == "worker_died"
    assert first == last == score(*LARGE)


def test_a_worker_whose_parent_is_gone_is_ended_by_the_kernel(tmp_path: Path) -> None:
    """The process serves itself one endless call, so that nothing but its own CPU limit can end it."""
    script = tmp_path / "main.py"
    script.write_text(
        "import threading\nfrom multiprocessing import Pipe\n"
        "from openswerl.reward.settings import Call, Settings\n"
        "from openswerl.reward.worker import serve\n"
        f"near, far = Pipe()\nmessage = (Call(*{PATHOLOGICAL!r}), Settings(), 0.1)\n"
        "threading.Thread(target=near.send, args=[message]).start()\nserve(far)\n"
    )
    assert subprocess.run([sys.executable, script]).returncode == -signal.SIGXCPU


def test_the_cpu_limit_of_a_call_does_not_outlast_it() -> None:
    code = (
        "import resource; from openswerl.reward.worker import limit_cpu; limit_cpu(7); limited = "
        "resource.getrlimit(resource.RLIMIT_CPU)[0]; limit_cpu(None); print(limited, *resource.getrlimit(0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    limited, soft, hard = map(int, done.stdout.split())
    assert 9 <= limited <= 15
    assert soft == hard


def test_no_worker_or_no_time_is_refused() -> None:
    for bad in ({"workers": 0}, {"time_limit_s": 0}, {"cache_size": -1}):
        with pytest.raises(UserError, match="at least one worker"):
            ScorePool(**bad)


def test_workers_load_neither_torch_nor_the_main_module(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text(
        "print('main module loaded')\n"
        "from openswerl.reward import ScorePool\n"
        f"with ScorePool(time_limit_s=60) as pool:\n    print(pool.score_many([{LARGE!r}])[0].reason)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "main module loaded\nNone\n"
    code = "import sys, openswerl.reward.worker; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
