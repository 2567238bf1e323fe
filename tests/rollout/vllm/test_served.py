from openswerl.config import Cell
from openswerl.rollout.vllm.served import with_ends


def test_the_server_is_told_the_ends_though_a_stage_may_only_read_its_config() -> None:
    rollout = Cell("grpo", ("rollout=vllm_server",)).view().rollout
    assert list(with_ends(rollout, frozenset({7, 2})).endpoint.extra.stop_token_ids) == [2, 7]
    assert "stop_token_ids" not in rollout.endpoint.extra
