"""Checks on real instances of the laptop world, and on one with a leak."""

from contextlib import closing

from misbehaving import behaving, says
from openswerl.errors import UserError
from openswerl.models.checkpoint import PACKAGED
from openswerl.preflight.agreement import Agreement, compare
from openswerl.preflight.checks import fit_check, gold_check, leak_check, leaked, tokenizer_check
from openswerl.records import Instance, SourceFile
from openswerl.reward.gate import Gate
from openswerl.rollout import open_sampler

LEAKY = "    return compute(a) + 1"


def test_the_prompts_of_the_laptop_show_nothing_of_their_answers(config, tasks):
    check = leak_check(tasks, config())
    assert check.passed and check.detail == "none of 30 prompts shows a line of its answer"


def test_a_line_of_the_answer_is_a_leak_unless_the_issue_or_a_file_says_it():
    old, new = "def f(a):\n    return compute(a)\n", f"def f(a):\n{LEAKY}\n"

    def made(issue: str) -> Instance:
        return Instance("o__r-1", "o/r", "abc", issue, [SourceFile("m.py", old)], [], [SourceFile("m.py", new)], "")

    prompt = f"Issue: it breaks\n{old}{LEAKY}\nAnswer:"
    assert leaked(made("it breaks"), prompt) == [LEAKY.strip()]
    assert leaked(made(f"it breaks, try {LEAKY.strip()}"), prompt) == []
    assert leaked(made("it breaks"), f"Issue: it breaks\n{old}Answer:") == []


def test_prompts_that_do_not_fit_are_counted(config, tasks):
    cfg = config("model.max_prompt_tokens=110")
    sampler = open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)
    check, fitting, share = fit_check(sampler, tasks, cfg)
    from openswerl.models.prompts import prompt_of

    lengths = [len(sampler.tokenizer.encode(prompt_of(one, cfg), add_special_tokens=False)) for one in tasks]
    short = [one for one, length in zip(tasks, lengths, strict=True) if length <= 110]
    assert fitting == short and 0 < len(short) < 27 and share == 1 - len(short) / 30
    assert not check.passed
    assert check.detail == f"{len(short)} of 30 prompts have at most 110 tokens, the longest {max(lengths)}"


def test_golden_answers_that_do_not_score_are_named(instance):
    assert gold_check(Gate([instance], [])).detail == "1 of 1 golden answers earn 1.0"
    check = gold_check(Gate([instance], [("o__r-2", "gold_below_1")]))
    assert not check.passed and check.detail == "1 of 2 golden answers earn 1.0; not so: o__r-2 (gold_below_1)"


def test_tokenizers_that_differ_fail_their_check_alone():
    def differ() -> Agreement:
        raise UserError("they split text differently")

    check = tokenizer_check(differ, needed=True)
    assert (check.passed, check.detail) == (False, "they split text differently")
    check = tokenizer_check(differ, needed=False)
    assert check.passed is None and check.detail.endswith("not so: they split text differently")
    assert tokenizer_check(lambda: Agreement(True, "the same"), needed=False).passed


def test_where_nothing_was_compared_nothing_is_passed(config, tmp_path):
    """Neither a record nor an endpoint that counts no tokens tells how it reads a prompt."""
    folder = f"serving.folder={tmp_path}"
    with behaving(says({"choices": [{"text": "one", "finish_reason": "length"}]})) as server:
        address = (f"rollout.endpoint.base_url={server.url}/v1", "rollout.endpoint.model=tiny")
        cfg = config("rollout=openai", folder, *address)
        with closing(open_sampler(cfg.model, cfg.rollout, cfg.serving, PACKAGED)) as sampler:
            assert compare(sampler, cfg).same is None
    assert tokenizer_check(lambda: compare(sampler, config("rollout=replay")), needed=True).passed is None
