from concurrent.futures import ThreadPoolExecutor

from openswerl.crawl.clone import Clone
from openswerl.relate.chunks import CHUNK, chunks, in_order
from relate.seeds import World, seed


def test_a_chunk_is_a_few_seeds_of_one_repository(tmp_path):
    world = World(tmp_path)
    head = world.pull(1, {"pkg/a.py": "x = 2\n"})
    world.write()
    with Clone(tmp_path / "clones" / "acme__widget.git") as clone:
        names = ["a/a"] * (CHUNK + 1) + ["a/B", "a/b"]
        pulls = [seed(clone, number, world.base, head, repo=name) for number, name in enumerate(names)]
    found = list(chunks(iter(pulls)))
    assert [len(part) for part in found] == [CHUNK, 1, 2]
    assert [pull for part in found for pull in part] == pulls


def test_results_come_in_order_and_items_are_taken_late():
    taken: list[int] = []

    def items():
        for number in range(10):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        results = in_order(pool, lambda number: number * 2, items(), 3)
        assert next(results) == 0 and len(taken) == 3
        assert list(results) == [number * 2 for number in range(1, 10)]
