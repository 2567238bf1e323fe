"""The page and the figure on findings made by hand: well formed, whole, and safe to open."""

import re
from html.parser import HTMLParser

from openswerl.preflight.budget import budget
from openswerl.preflight.checks import Check
from openswerl.preflight.figure import draw
from openswerl.preflight.numbers import numbers
from openswerl.preflight.page import between, number, write_page
from openswerl.preflight.sampling import Look
from openswerl.preflight.telling import tell
from openswerl.preflight.verdict import judge
from preflight.conftest import sample_of

VOID = {"meta", "img"}
EVIL = "<script>alert(1)</script> \ud83d"


class Nesting(HTMLParser):
    """Tags that are closed in the order in which they were opened, and the text between."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], set(), ""

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def findings(cfg, samples, **more):
    found = numbers(samples, 0.0, -1.0, 0.95)
    checks = [Check("tokenizers agree", None, "no tokenizer is named")]
    causes = [
        {
            "cause": "prose",
            "count": 1,
            "advice": "a",
            "reasons": {"missing_tag": 1},
            "instance_id": "b",
            "excerpt": "<i>",
        }
    ]
    spent = budget(Look([], samples, 1.0, 1, None), cfg)
    verdict = judge(found, checks, cfg.preflight.rules, None)
    known = {"verdict": verdict, "numbers": found, "checks": checks, "causes": causes, "budget": spent}
    return {**known, "repeated": [], "hot": False, "trial": None, "model": None, **more}


def written(cfg, folder, samples, **more):
    found = findings(cfg, samples, **more)
    draw(found["numbers"], samples, cfg.preflight.rules, -1.0, folder / "p.png")
    write_page(folder / "p.html", cfg, folder / "p.png", found, samples)
    return found, (folder / "p.html").read_text()


def test_the_page_is_well_formed_holds_all_and_runs_nothing_of_an_answer(config, tmp_path):
    samples = [sample_of(1.0, name="a"), sample_of(-1.0, "missing_tag", "b", output=EVIL)]
    _, page = written(config(), tmp_path, samples, hot=True)
    nesting = Nesting()
    nesting.feed(page)
    assert nesting.open == [] and "script" not in nesting.seen and "i" not in nesting.seen
    assert "<script>alert(1)</script> ?" in nesting.text and "lower grpo.temperature" in nesting.text
    assert nesting.text.index("Reward too low") < nesting.text.index("Checks")
    assert not re.search(r'(src|href)="(?!data:)', page)


def test_nothing_that_came_still_makes_a_page_and_a_table(config, tmp_path, capsys):
    samples = [sample_of(None, "rate_limit", finish="rate_limit")]
    found, page = written(config(), tmp_path, samples)
    assert "No sample was scored (1 rate_limit)" in page
    tell(found, Look([], samples, 1.0, 1, None), config().preflight.rules)
    out = capsys.readouterr().out
    assert "  ??  tokenizers agree: no tokenizer is named\n" in out and "mean reward – (no interval)" in out
    assert out.endswith("preflight: mend first: no sample was scored (1 rate_limit). Look at the reasons below\n")


def test_the_console_tells_each_reward_and_shows_the_words_harmlessly(config, tmp_path, capsys):
    greedy, sampled = [sample_of(0.3, name="b")], [sample_of(0.9, name="b"), sample_of(-1.0, "missing_tag", "b")]
    found = findings(config(), sampled)
    found["causes"][0]["excerpt"] = "\x1b[2J" + "long " * 99
    tell(found, Look(greedy, sampled, 1.0, 3, None), config().preflight.rules)
    out = capsys.readouterr().out
    assert "  --  rewards of b, the greedy one first: 0.30, 0.90, -1.00\n" in out
    assert "  --  sampled answers: near match 1; malformed 1\n" in out
    assert f"  --  1 x prose: a, such as '\\x1b[2J{15 * 'long '}l'\n" in out  # 80 characters


def test_numbers_in_words():
    assert [number(value) for value in (None, 1234567, 0.0, 0.456, 1234.5, 0.00123)] == [
        *("–", "1,234,567", "0.00", "0.46", "1,234.50", "0.0012")
    ]
    assert between([-0.5, 0.25]) == "-0.50 to 0.25"
