import numpy as np

from openswerl.rollout.seeds import seed_of, uniforms


def test_seeds_of_different_names_differ_and_fit_63_bits():
    seeds = {seed_of(run, name) for run in range(20) for name in range(50)}
    assert len(seeds) == 1000 and all(0 <= seed < 2**63 for seed in seeds)
    assert seed_of(1, "a") == seed_of("1", "a") != seed_of("1a")


def test_a_row_depends_on_its_seed_and_number_alone():
    many, one = uniforms([3, 2**63 - 1], 4, 6), uniforms([2**63 - 1], 2, 6)
    assert many.shape == (8, 6) and (many[4:6] == one).all()
    assert len(np.unique(many)) == many.size
    assert (uniforms([3], 1, 3)[0] == many[0, :3]).all(), "a longer limit does not change the numbers before it"


def test_numbers_are_uniform():
    drawn = uniforms(range(50), 4, 100).ravel()
    assert drawn.min() >= 0 and drawn.max() < 1
    counts = np.histogram(drawn, 10, (0, 1))[0]
    assert abs(counts - 2000).max() < 5 * (20000 * 0.1 * 0.9) ** 0.5


def test_no_prompts_no_rows():
    assert uniforms([], 4, 6).shape == (0, 6)
