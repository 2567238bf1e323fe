"""The page, made by the whole stage from files on disk."""

import csv
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from openswerl.report.run import run
from openswerl.stage import Job

VOID = {"meta", "br", "path", "use", "rect", "line", "circle", "input"}
Make = Callable[..., Job]
HOSTILE = "</pre></span><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e{{ 7*7 }}\u2028&amp;"


class Reader(HTMLParser):
    """Collects elements and text, and insists that every element is closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def page_of(job: Job) -> str:
    run(job)
    return (job.out.parent.parent / "report.html").read_text(encoding="utf-8")


def test_the_page_is_well_formed_and_self_contained(page: str) -> None:
    reader = Reader(page)
    tags = {tag for tag, _ in reader.elements}
    assert not tags & {"link", "img", "iframe", "object", "embed", "base", "form"}
    assert "://" not in page
    for _, attributes in reader.elements:
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "srcset", "action")]
        for key in ("href", "xlink:href"):
            assert (attributes.get(key) or "#").startswith("#")
    assert set(re.findall(r"url\(([^)]{1,2})", page)) <= {"#z", "#h", "#r", "#t", "#p", "#f"}
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"] for tag, attributes in reader.elements if tag == "a"}
    sections = "#rates #failures #ablation #training #tables #funnel #related #demonstrations #answers #reproduce"
    assert targets == {*sections.split(), "#settings", "#provenance"}
    assert {str(target)[1:] for target in targets} <= set(ids)


def test_the_page_is_small(hostile_page: Path) -> None:
    """Every instance of it is shown, with every part of an answer."""
    assert hostile_page.stat().st_size < 5_000_000


def test_the_policy_of_the_page_names_its_one_script_by_hash(page: str) -> None:
    (script,) = re.findall("<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for tag, a in Reader(page).elements if a.get("http-equiv") == "Content-Security-Policy")
    expected = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src "
    assert policy == f"{expected}'sha256-{digest}'"


def test_the_page_says_what_it_is_not(page: str) -> None:
    words = Reader(page).words
    assert "laptop scale: generated repositories, not SWE-bench scores" in words
    assert "smoke run: a few steps and instances, makes no claim about rates" in words
    assert "SWE-bench Verified, n = 500: a different benchmark, no error bars in the paper" in words
    assert " is ahead" not in words, "a smoke run claims nothing"


def test_every_caption_of_executed_results_names_the_sandbox(page: str) -> None:
    captions = re.findall(r'<p class="caption">(.*?)</p>|<figcaption>(.*?)</figcaption>', page, flags=re.DOTALL)
    executed = [a or b for a, b in captions if re.search("executed in", a or b, flags=re.IGNORECASE)]
    assert len(executed) == 7, "table 2, its figure, pairs, decoding, causes of failure, figure 5, answers"
    assert all("bubblewrap" in caption for caption in executed)


def test_the_page_holds_the_numbers(page: str) -> None:
    words = Reader(page).words
    for number in ("12.2", "5.4", "96.2", "29.6", "95.6", "34.8", "94.2", "29.0"):
        assert number in words
    row = re.search(r"Base 50\.0 21\.5–78\.5 25\.0 7\.1–59\.1 8 50\.0 15\.0–85\.0 25\.0 4\.6–69\.9 4", words)
    assert row, words[:3000]
    assert "Rejected: no tags 8 25.0" in words and "bots bot author 10 30" in words


def test_the_page_holds_the_data(page: str) -> None:
    words = Reader(page).words
    assert "All evidence 40.0 30.0–50.0 70.0 60.0–80.0 45.0 35.0–55.0 30.0 25.0–35.0" in words
    assert "Imports 20.0 25.0 25.0 10.0" in words, "one repository has no interval"
    assert "n = 30 instances of 2 repositories" in words
    assert "3 of 4 hours (2015-01 to 2015-02) were read; 1 missing." in words
    assert "2015-01 3 2 1 – 1 33.3" in words and "2015-02 1 1 – – – 100.0" in words


def test_a_page_without_hours_and_truth_says_so(job: Job, tmp_path: Path, make_job: Make) -> None:
    quality = job.inputs["relate"] / "quality.csv"
    quality.write_text(quality.read_text().splitlines()[0] + "\n")
    del job.inputs["archive-all"]
    words = Reader(page_of(make_job(tmp_path / "n", job.inputs))).words
    assert "nothing is measured" in words and "hours" not in words


def test_many_steps_and_months_are_folded_away(job: Job, tmp_path: Path, make_job: Make) -> None:
    lines = [f"step_{k},reason {k},1,{99 - k}" for k in range(40)]
    (job.inputs["curate"] / "funnel.csv").write_text("\n".join(["step,reason,dropped,left", *lines]) + "\n")
    hours = [f"20{k:02d}-01-01-0,read,1,50,5,0," for k in range(11, 25)]
    head = (job.inputs["archive-all"] / "coverage.csv").read_text().splitlines()[0]
    (job.inputs["archive-all"] / "coverage.csv").write_text("\n".join([head, *hours]) + "\n")
    text = page_of(make_job(tmp_path / "m", job.inputs))
    assert "<details><summary>Every step and reason</summary>" in text
    assert text.index("<summary>Every month</summary>") < text.index(">2024-01<")
    assert "step 39" in text


def test_digests_and_commands_are_printed(page: str, inputs: dict[str, Path]) -> None:
    words = Reader(page).words
    assert all(f"digest-of-{name}" in words for name in inputs) and "0123456789ab" in words
    command = (
        'snakemake --cores all --config scale=smoke overrides="grid.seed=[0] grid.reward=[continuous,discrete] '
        'grid.baselines=[base,sft,sft-gold] grid.ood=[] data.world.untidy=true"'
    )
    assert command in words


def test_the_config_card_is_on_the_page_and_a_table_beside_it(job: Job) -> None:
    text = page_of(job)
    words = Reader(text).words
    for row in csv.DictReader((job.out / "config_card.csv").open(encoding="utf-8")):
        cells = [f"{row['group']}.{row['key']}", *(row[k] for k in ("value", "source", "note", "used_by"))]
        assert " ".join(" ".join(filter(None, cells)).split()) in words
    assert "grpo.steps 3 scale smoke grpo " in words, "set by the scale, whose line says no more"


@pytest.mark.slow
def test_the_oracle_setting_is_told(job: Job, page: str, tmp_path: Path, make_job: Make) -> None:
    untidy = Reader(page).words
    assert (
        "This run shows untidy oracles" in untidy
        and "results=results-tidy overrides" in untidy
        and "data.world.untidy=false" in untidy
    )
    tidy = Reader(page_of(make_job(tmp_path / "tidy", job.inputs, "data.world.untidy=false"))).words
    assert (
        "This run shows tidy oracles" in tidy
        and "results=results-untidy overrides" in tidy
        and "data.world.untidy=true" in tidy
    )


def test_hostile_text_stays_text(job: Job, edit_lines: Callable[..., None]) -> None:
    def spoil(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            row | {"output": HOSTILE, "reason": HOSTILE, "instance_id": f"{HOSTILE}{row['sample']}"} for row in rows
        ]

    edit_lines(job.inputs["grpo-continuous-seed0"] / "rollouts.jsonl", spoil)
    edit_lines(
        job.inputs["evaluate-base-seed0"] / "outcomes.jsonl",
        lambda rows: [row | ({"output": HOSTILE} if row["decoding"] == "greedy" else {}) for row in rows],
    )
    text = page_of(job)
    reader = Reader(text)
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("script") == 1 and "img" not in tags
    assert not {"\x1b", "\u202e", "\u2028"} & set(text)
    shown = "</pre></span><script>alert(1)</script><img src=x onerror=alert(1)>␛[2J⟨U+202E⟩{{ 7*7 }}⟨U+2028⟩&amp;"
    assert reader.text.count(shown) >= 4, "rollout and its reason, the base model's answer"


def test_a_run_at_scale_states_its_findings_from_the_numbers(
    job: Job, tmp_path: Path, make_job: Make, edit_lines: Callable[..., None]
) -> None:
    """Forty times the instances: the differences become clear, in the direction of the numbers."""
    for name, folder in job.inputs.items():
        if name.startswith("evaluate"):
            edit_lines(
                folder / "outcomes.jsonl",
                lambda rows: [row | {"instance_id": f"{row['instance_id']}-{k}"} for k in range(40) for row in rows],
            )
    words = Reader(page_of(make_job(tmp_path / "a", job.inputs, "scale=laptop"))).words
    assert "In this setting the continuous reward is ahead, which is the paper’s order." in words
    assert "GRPO continuous against Base +50.0 75.0 against 25.0 % resolved. GRPO continuous is ahead." in words
    swapped = dict(job.inputs)
    first, second = "evaluate-grpo-continuous-seed0", "evaluate-grpo-discrete-seed0"
    swapped[first], swapped[second] = swapped[second], swapped[first]
    words = Reader(page_of(make_job(tmp_path / "b", swapped, "scale=laptop"))).words
    assert "In this setting the discrete reward is ahead, the reverse of the paper’s order." in words


@pytest.mark.slow
def test_another_benchmark_does_not_speak_of_generated_repositories(job: Job, tmp_path: Path, make_job: Make) -> None:
    changes = ("scale=laptop", "report.benchmark=verified", "report.source=local", "report.model=qwen7b")
    words = Reader(page_of(make_job(tmp_path / "c", job.inputs, *changes))).words
    for phrase in ("generated repositories", "untidy oracles", "sloppy by construction"):
        assert phrase not in words
