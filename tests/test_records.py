from openswerl.records import Instance, SourceFile, make_task


def instance() -> Instance:
    changed = [SourceFile("b.py", "old b"), SourceFile("a.py", "old a")]
    related, gold = [SourceFile("c.py", "c")], [SourceFile("a.py", "gold")]
    return Instance("o__r-1", "o/r", "c0ffee", "It breaks.", changed, related, gold, "diff")


def test_a_task_shows_the_files_and_nothing_of_the_gold_data():
    task = instance().task
    assert set(task.__struct_fields__) == {"instance_id", "problem_statement", "files"}
    assert task.context == {"a.py": "old a", "b.py": "old b", "c.py": "c"}
    assert instance().oracle == {"a.py": "gold"}


def test_the_order_of_files_depends_on_the_id_alone():
    files = [SourceFile(f"{name}.py", "") for name in "abcdef"]
    orders = {identity: make_task(identity, "", files).files for identity in ("one", "two", "three", "four")}
    assert all(make_task(identity, "", files[::-1]).files == order for identity, order in orders.items())
    assert len({tuple(file.path for file in order) for order in orders.values()}) > 1
