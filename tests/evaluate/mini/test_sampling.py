from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from openswerl.evaluate.mini.sampling import CHUNK, Question, ask, chunks, packed, size
from openswerl.evaluate.views import TaskView

TASKS = [TaskView(name, "r", "c", "p", "s") for name in "abc"]


@given(samples=st.integers(0, 3 * CHUNK), rows=st.integers(1, 5 * CHUNK))
def test_packs_hold_every_sample_once_and_in_order(samples: int, rows: int) -> None:
    packs = list(packed(chunks(TASKS, samples), rows))
    found = [(chunk.task.instance_id, sample) for pack in packs for chunk in pack for sample in chunk.samples]
    assert found == [(task.instance_id, sample) for task in TASKS for sample in range(samples)]
    assert all(size(pack) < rows + CHUNK for pack in packs) and all(size(pack) >= rows for pack in packs[:-1])
    numbers = [(chunk.task.instance_id, chunk.number) for pack in packs for chunk in pack]
    assert len(set(numbers)) == len(numbers)


def test_answers_come_back_to_their_samples(scripted: Any) -> None:
    sampler = scripted(lambda step, prompt, number: prompt.splitlines()[0])
    questions = [Question(f"{k}\nTest:\n", k, numbers) for k, numbers in enumerate([[4, 2], [7], [1, 9], []])]
    found = ask(questions, sampler, 0.5)
    assert [{number: one.text for number, one in row.items()} for row in found] == [
        {4: "0", 2: "0"}, {7: "1"}, {1: "2", 9: "2"}, {},
    ]  # fmt: skip
    assert sampler.calls[:2] == [("program", 4, 0.5), ("program", 1, 0.5)], "questions of as many samples in one call"
