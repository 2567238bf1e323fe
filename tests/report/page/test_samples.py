import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from openswerl.report.page.samples import MAX_CHARACTERS, diff, lines, plain, shelves, visible
from openswerl.report.rows import Rollout


@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    shown = visible(text)
    kinds = {unicodedata.category(character) for character in shown if character not in "\n\t"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def test_controls_and_direction_marks_become_signs() -> None:
    assert visible("a\x00\x1b[0m\u202eb\u2028\tc\n") == "a␀␛[0m⟨U+202E⟩b⟨U+2028⟩\tc\n"


@given(st.text(max_size=200).filter(lambda text: text.count("\n") < 60))
def test_short_text_is_kept_whole(text: str) -> None:
    assert "\n".join(line.text for line in lines(text)) == text


def test_a_cut_is_said() -> None:
    assert lines("x" * (MAX_CHARACTERS + 1234))[-1].text == "… 1,234 more characters"
    many = lines("\n".join("ab" for _ in range(70)))
    assert (len(many), many[-1].text) == (61, "… 30 more characters")


def test_roles_of_the_lines_of_an_edit() -> None:
    text = "<think>\nwhy\n</think>\n<<<<<<< SEARCH\na\n=======\nb\n=======\n>>>>>>> REPLACE\n======="
    kinds = [line.kind for line in lines(text)]
    assert kinds == ["tag", "plain", "tag", "mark", "search", "mark", "replace", "replace", "mark", "plain"]


def rollout(step: int, sample: int, reward: float, reason: str | None = None) -> Rollout:
    return Rollout(step, f"i{sample}", sample, reward, "text", reason)


def test_shelves_hold_the_best_the_middle_and_different_failures_of_the_later_half() -> None:
    early = [rollout(0, sample, 1.0) for sample in range(3)]
    late = [rollout(1, 3, 0.97), rollout(1, 4, 0.97), rollout(1, 5, 0.1), rollout(1, 6, 0.55), rollout(1, 7, 0.97)]
    wrong = [rollout(1, 8, -1, "a"), rollout(1, 9, -1, "a"), rollout(1, 10, -1, "b")]
    found = {shelf.title: [row.sample for row in shelf.rollouts] for shelf in shelves(early + late + wrong, 6)}
    assert found == {"Highest reward": [3, 4], "Middle reward": [6, 5], "Format error": [8, 10]}


def test_shelves_without_any_well_formed_answer() -> None:
    assert [shelf.title for shelf in shelves([rollout(0, 0, -1, "a")], 6)] == ["Format error"]


def test_roles_of_the_lines_of_a_patch() -> None:
    head = ["diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@"]
    text = "\n".join([*head, "--- a comment of SQL", "+++ i", " same", *head, "-a"]) + "\n"
    kinds = [(line.kind, line.text[:3]) for line in diff(text)]
    heads = [("mark", "dif"), ("mark", "---"), ("mark", "+++"), ("mark", "@@ ")]
    assert kinds == [*heads, ("search", "---"), ("replace", "+++"), ("plain", " sa"), *heads, ("search", "-a")]


@given(st.text(max_size=200).filter(lambda text: text.count("\n") < 60))
def test_a_text_without_roles_is_kept_whole(text: str) -> None:
    assert [(line.kind, line.text) for line in plain(text)] == [("plain", row) for row in text.split("\n")]
