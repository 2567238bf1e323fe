"""The likely cause of answers that people really get."""

import pytest

from openswerl.edits import RULES, FormatError, edit
from openswerl.preflight.advice import FORM, advice_on
from openswerl.preflight.diagnosis import cause_of, diagnose, hot
from openswerl.preflight.sampling import Sample
from openswerl.rollout import FAULTS
from preflight.conftest import sample_of

BLOCK = "```python\n### m.py\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n```"
ANSWER = f"<think>\nwhy\n</think>\n<solution>\n{BLOCK}\n</solution>"
CASES = {
    "truncated": ("unfinished", "<think>\nLet me think about"),
    "fenced": ("no_blocks", "```xml\n<think>\nwhy\n</think>\n<solution>\n...\n</solution>\n```"),
    "prose": ("missing_tag", "The bug is in m.py: change the minus to a plus."),
    "bare_blocks": ("no_blocks", ANSWER.format("    return a - 1", "    return a + 1").replace("### m.py\n", "")),
    "goes_on": ("duplicate_tag", ANSWER + "\n" + ANSWER),
    "no_thought": ("missing_tag", ANSWER.partition("</think>\n")[2]),
    "paraphrased": ("search_not_found", ANSWER.format("    return a -1", "    return a + 1")),
    "invented": ("search_not_found", ANSWER.format("for x in range(10):", "pass")),
    "gibberish": ("missing_tag", "\u4e00\u4e8c\u0416\u0416 \u2588\u2588\u4e09"),
    "noop": ("noop_edit", ANSWER.format("    return a - 1", "    return a - 1")),
    "form": ("empty_thought", ANSWER.replace("why", "")),
}


@pytest.mark.parametrize("cause", CASES)
def test_each_cause(instance, cause):
    reason, output = CASES[cause]
    assert cause_of(sample_of(-1.0, reason, output=output), instance, RULES["strict"]) == cause


def test_there_is_a_case_for_every_form():
    assert set(CASES) == set(FORM)


@pytest.mark.parametrize(
    ("reason", "output", "cause"),
    [
        ("missing_tag", "In m.py:\n<solution>\nm.py: return a + 1\n</solution>", "prose"),
        ("no_blocks", "<think>\nwhy\n</think>\n<solution>\nthe line should be return a + 1\n</solution>", "prose"),
        ("unfinished", f"{ANSWER}\n{ANSWER[:40]}", "goes_on"),
        ("search_not_found", ANSWER.format("return a - 1", "return a + 1"), "paraphrased"),  # found, but not at a start
    ],
)
def test_what_lies_between(instance, reason, output, cause):
    assert cause_of(sample_of(-1.0, reason, output=output), instance, RULES["strict"]) == cause


@pytest.mark.parametrize("reason", [*FAULTS, "timeout", "worker_died", "memory_limit", "no_tests"])
def test_what_did_not_come_or_was_not_scored_is_no_fault_of_the_form(instance, reason):
    sample = sample_of(None, reason, finish="stop", output="<think>")
    assert cause_of(sample, instance, RULES["strict"]) == reason
    assert (advice_on(reason) == "the reward could not score the answer (no_tests)") is (reason == "no_tests")


def test_the_reward_codes_of_format_errors_are_the_ones_that_the_parser_gives(instance):
    for reason, output in CASES.values():
        if reason != "unfinished":
            with pytest.raises(FormatError) as error:
                edit(instance.task.context, output, RULES["strict"])
            assert error.value.reason == reason


def test_a_well_formed_answer_has_none(instance, good):
    assert cause_of(sample_of(1.0, output=good), instance, RULES["strict"]) is None


def test_the_commonest_comes_first_with_the_words_that_show_it(instance):
    def sample(cause):
        reason, output = CASES[cause]
        return Sample(instance.instance_id, 0, 1.0, -1.0, reason, 9, 9, "stop", output)

    rows = diagnose(
        [sample("prose"), sample("paraphrased"), sample("paraphrased")],
        {instance.instance_id: instance},
        RULES["strict"],
    )
    assert [(row["cause"], row["count"]) for row in rows] == [("paraphrased", 2), ("prose", 1)]
    assert rows[0]["excerpt"] == "    return a -1" and rows[0]["reasons"] == {"search_not_found": 2}
    assert rows[1]["excerpt"] == "<think> occurs 0 times:\nThe bug is in m.py: change the minus to a plus."


def test_the_excerpt_is_of_the_commonest_reason_and_can_be_written(instance):
    rows = [("missing_tag", "one"), ("no_blocks", "the second \ud83d"), ("no_blocks", "three")]
    samples = [Sample(instance.instance_id, 0, 1.0, -1.0, reason, 9, 9, "stop", text) for reason, text in rows]
    (row,) = diagnose(samples, {instance.instance_id: instance}, RULES["strict"])
    assert (row["cause"], row["excerpt"]) == ("prose", "the second ?")


def test_greedy_answers_that_are_well_formed_beside_sampled_ones_that_are_not():
    well, ill = [sample_of(0.9)] * 5, [sample_of(-1.0, "missing_tag")] * 3 + [sample_of(0.9)]
    assert hot(well, ill)
    assert not hot(well, well) and not hot(ill, ill) and not hot([], ill)
    assert not hot(well, [sample_of(None, "rate_limit", finish="rate_limit")] * 5)
